/** Time as an argument. Real in a process, virtual in tests and rehearsals. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. May jump. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes back. For durations and deadlines. */
  monotonic(): number;
  /** Calls `callback` once, `ms` from now; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** The moment `epochMs` in RFC 3339, UTC, second resolution: the form of metav1.Time. */
export function rfc3339(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -'.000Z'.length)}Z`;
}

/** The moment `epochMs` in RFC 3339 with microseconds: the form of metav1.MicroTime. */
export function rfc3339Micro(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}000Z`;
}

/**
 * Milliseconds since the epoch of an RFC 3339 time (with `Z` or an offset), or undefined for any
 * other text. Leap seconds are not accepted.
 */
export function parseRfc3339(text: string | undefined): number | undefined {
  if (text === undefined || !RFC3339.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
