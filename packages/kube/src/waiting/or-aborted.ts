/**
 * What `promise` comes to, unless the signal aborts first or has: then a rejection with its reason. How the promise ends after that is nobody's
 * business: its failure counts as handled.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const settled = () => signal.removeEventListener('abort', onAbort);
    promise.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}
