/**
 * Waits for the promise of `start`. Rejects if the signal aborts first, and then calls the function
 * that `start` returned.
 */
export function abortable<T = void>(
  signal: AbortSignal,
  start: (resolve: (value: T) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = start((value) => {
      signal.removeEventListener('abort', onAbort);
      resolve(value);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
