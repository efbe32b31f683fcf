import type { Clock } from '@isthmus/machinery';

/** Decides when the kernel has to be compared with what was written. */
export interface AuditSchedule {
  /**
   * Requests a comparison, because a monitor printed a change. Monitors also print our own changes,
   * so the urgency is low during a write and soon after it. `atMost`: the highest urgency.
   */
  request(atMost?: 'low'): void;
  /** Runs a write of the agent, which resolves to whether anything was written. */
  during(write: () => Promise<boolean>): Promise<void>;
  /**
   * Compares, if a comparison is due. After an error the comparison remains due, because its result
   * is unknown. Errors: those of `compare`.
   */
  whenDue(everyMs: number, compare: () => Promise<void>): Promise<void>;
  /** How long until the next comparison is due, without a further request. In milliseconds. */
  lookAgainMs(everyMs: number): number;
  /** Calls `listener` when a comparison becomes more urgent. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
}

/** A monitor prints a change some time after it was made: on a busy machine, late. */
const monitorDelayMs = 2_000;
/** Programs that change the network all the time must not make the agent read it all the time. */
const leastMs = { high: 2_000, low: 30_000 } as const;

export function createAuditSchedule(clock: Clock): AuditSchedule {
  const listeners = new Set<() => void>();
  let isWriting = false;
  let writtenMs = -Infinity;
  let lastMs = clock.monotonic();
  let requested: keyof typeof leastMs | undefined;

  const sinceMs = () => clock.monotonic() - lastMs;
  const waitMs = (everyMs: number) => (requested === undefined ? everyMs : Math.min(everyMs, leastMs[requested]));
  return {
    request(atMost) {
      const urgency = atMost === 'low' || isWriting || clock.monotonic() - writtenMs < monitorDelayMs ? 'low' : 'high';
      if (requested === urgency || requested === 'high') return;
      requested = urgency;
      for (const listener of listeners) listener();
    },
    async during(write) {
      isWriting = true;
      try {
        if (await write()) writtenMs = clock.monotonic();
      } catch (error) {
        writtenMs = clock.monotonic();
        throw error;
      } finally {
        isWriting = false;
      }
    },
    async whenDue(everyMs, compare) {
      if (sinceMs() < waitMs(everyMs)) return;
      const before = { requested, lastMs };
      // A request meanwhile may be too late for this comparison.
      requested = undefined;
      lastMs = clock.monotonic();
      try {
        await compare();
      } catch (error) {
        lastMs = before.lastMs;
        if (requested === undefined || before.requested === 'high') requested = before.requested;
        throw error;
      }
    },
    lookAgainMs: (everyMs) => Math.max(waitMs(everyMs) - sinceMs(), 1),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
