/**
 * The listeners of a stream of events.
 */
export interface Listeners<E> {
  /** Calls every listener with each of `events`, in their order. */
  notify(events: readonly E[]): void;
  /** Returns the unsubscriber, after which the listener is not called again. */
  subscribe(listener: (event: E) => void): () => void;
}

/**
 * Guarantees: every listener sees every event from its subscription on, in one and the same order,
 * also where a listener causes further events; a listener that throws is reported and the others
 * are still called.
 */
export function createListeners<E>(onError: (error: unknown) => void): Listeners<E> {
  // Wrapped, so that the same function may subscribe twice.
  const listeners = new Set<{ readonly call: (event: E) => void }>();
  const waiting: E[] = [];
  let notifying = false;
  return {
    notify(events) {
      for (const event of events) waiting.push(event);
      if (notifying) return;
      notifying = true;
      for (let next = 0; next < waiting.length; next++) {
        for (const listener of listeners) {
          try {
            listener.call(waiting[next] as E);
          } catch (error) {
            onError(error);
          }
        }
      }
      waiting.length = 0;
      notifying = false;
    },
    subscribe(call) {
      const listener = { call };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
