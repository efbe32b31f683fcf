/** Listeners, and things that they are told of. */
export interface Teller<E> {
  /** Tells every listener of each of `events`, in their order. */
  tell(events: readonly E[]): void;
  /** Returns the unsubscriber; nothing is told after it was called. */
  subscribe(listener: (event: E) => void): () => void;
}

/**
 * Guarantees: every listener hears everything that is told after it came, in one and the same order, also where a listener causes further events while
 * it listens; a listener that throws is reported and the others still hear.
 */
export function createTeller<E>(onError: (error: unknown) => void): Teller<E> {
  // Wrapped, so that the same function may subscribe twice.
  const listeners = new Set<{ readonly hear: (event: E) => void }>();
  const waiting: E[] = [];
  let telling = false;
  return {
    tell(events) {
      for (const event of events) waiting.push(event);
      if (telling) return;
      telling = true;
      for (let next = 0; next < waiting.length; next++) {
        for (const listener of listeners) {
          try {
            listener.hear(waiting[next] as E);
          } catch (error) {
            onError(error);
          }
        }
      }
      waiting.length = 0;
      telling = false;
    },
    subscribe(hear) {
      const listener = { hear };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
