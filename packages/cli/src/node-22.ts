/** Adds what the program uses of the language and Node 22 does not have. Node 24 has all of it, and nothing is loaded. */
export async function addMissing(): Promise<void> {
  if (typeof AsyncDisposableStack === 'undefined') await import('core-js/actual/async-disposable-stack/index.js');
}
