import { equal } from '@isthmus/machinery';

/** The last result of reading from the kernel, kept until it may have changed. */
export interface UntilChanged<T> {
  /**
   * Reads if `of` differs from the last time, or if the result may have changed since. Returns the
   * same object until the content changes. Errors: those of reading.
   */
  read(of: string): Promise<T | undefined>;
  /** Marks the result as possibly changed. */
  forget(): void;
  /** Calls `listener` when the result may have changed. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
}

/**
 * `read`: reads the object with this name; undefined: it does not exist, and is looked for again
 * the next time.
 */
export function readUntilChanged<T>(read: (of: string) => Promise<T | undefined>): UntilChanged<T> {
  const listeners = new Set<() => void>();
  /** The last read, even while it is not finished: changes meanwhile may be missing in it. */
  let last: { readonly of: string; found?: T | undefined } | undefined;
  let lastFound: T | undefined;
  return {
    async read(of) {
      if (last?.of === of && last.found !== undefined) return last.found;
      const own: typeof last = { of };
      last = own;
      const found = await read(of);
      lastFound = equal(found, lastFound) ? lastFound : found;
      own.found = lastFound;
      return lastFound;
    },
    forget() {
      if (last === undefined) return;
      last = undefined;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
