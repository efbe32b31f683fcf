import type { Clock } from '@isthmus/machinery';

/**
 * A signal that can be aborted here, and is aborted with its parent. Dispose it when its work is
 * over.
 */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
}

/**
 * A child of `parent`. Unlike `AbortSignal.any` it unsubscribes from its parent when it is
 * disposed, so that a process-long parent does not collect all signals that were ever derived from
 * it.
 */
export function linkedAbort(parent: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => parent.removeEventListener('abort', follow),
  };
}

/** A child of `parent` that aborts by itself after `ms`, with an Error whose message is `why`. */
export function limitedAbort(parent: AbortSignal, clock: Clock, ms: number, why: string): LinkedAbort {
  const child = linkedAbort(parent);
  const cancel = clock.after(ms, () => child.abort(new Error(why)));
  return {
    signal: child.signal,
    abort: child.abort,
    [Symbol.dispose]() {
      cancel();
      child[Symbol.dispose]();
    },
  };
}

/** Resolves when the signal aborts, at once where it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
