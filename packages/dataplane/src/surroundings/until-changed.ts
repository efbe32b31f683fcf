import { equal } from '@isthmus/machinery';

/** What was read of the kernel last, until it may have changed. */
export interface UntilChanged<T> {
  /** Reads, where `of` is another or something may have changed since the last time. The same object until it has another content. Errors: those of reading. */
  read(of: string): Promise<T | undefined>;
  /** It may have changed. */
  forget(): void;
  /** Calls `listener` when what was read may have changed. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
}

/** `read`: reads what there is of something; undefined: there is nothing, and it is looked for again the next time. */
export function readUntilChanged<T>(read: (of: string) => Promise<T | undefined>): UntilChanged<T> {
  const listeners = new Set<() => void>();
  /** The last read, also while it is under way: what changes meanwhile may be missing in it. */
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
