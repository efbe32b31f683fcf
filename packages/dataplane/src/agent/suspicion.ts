import type { Clock } from '@isthmus/machinery';

/** Decides when the kernel has to be compared with what was written. */
export interface Suspicion {
  /**
   * Reports that a monitor printed a change. Monitors also print our own changes. During a write
   * and soon after it, a change is therefore only probably foreign. `at`: the highest urgency of
   * this change.
   */
  raise(at?: 'faint'): void;
  /** Runs a write of the agent, which resolves to whether anything was written. */
  during(write: () => Promise<boolean>): Promise<void>;
  /**
   * Compares, if a comparison is due. After an error the comparison remains due, because its result
   * is unknown. Errors: those of `compare`.
   */
  whenDue(everyMs: number, compare: () => Promise<void>): Promise<void>;
  /** How long until the next comparison is due, if no change is reported. In milliseconds. */
  lookAgainMs(everyMs: number): number;
  /** Calls `listener` when a comparison becomes more urgent. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
}

/** A monitor prints a change some time after it was made: on a busy machine, late. */
const echoMs = 2_000;
/** Programs that change the network all the time must not make the agent read it all the time. */
const leastMs = { strong: 2_000, faint: 30_000 } as const;

export function createSuspicion(clock: Clock): Suspicion {
  const listeners = new Set<() => void>();
  let isWriting = false;
  let writtenMs = -Infinity;
  let lastMs = clock.monotonic();
  let raised: keyof typeof leastMs | undefined;

  const sinceMs = () => clock.monotonic() - lastMs;
  const waitMs = (everyMs: number) => (raised === undefined ? everyMs : Math.min(everyMs, leastMs[raised]));
  return {
    raise(at) {
      const kind = at === 'faint' || isWriting || clock.monotonic() - writtenMs < echoMs ? 'faint' : 'strong';
      if (raised === kind || raised === 'strong') return;
      raised = kind;
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
      const before = { raised, lastMs };
      // A change that is reported meanwhile may be too late for this comparison.
      raised = undefined;
      lastMs = clock.monotonic();
      try {
        await compare();
      } catch (error) {
        lastMs = before.lastMs;
        if (raised === undefined || before.raised === 'strong') raised = before.raised;
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
