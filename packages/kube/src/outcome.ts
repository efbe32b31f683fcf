/**
 * What a reconcile says of its key when nothing unexpected happened. A throw means a bug or a broken world: the runtime backs
 * off, counts it and tries again.
 */
export type Outcome =
  | { readonly kind: 'done' }
  /** Waiting, not failing: run again after `afterMs`, or sooner when a source changes. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly why: string }
  /** A person must act; the reconciler has shown why on the object. Runs again when a source changes. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string };

export const done: Outcome = { kind: 'done' };

export function again(afterMs: number, why: string): Outcome {
  return { kind: 'again', afterMs, why };
}

export function blocked(reason: string, message: string): Outcome {
  return { kind: 'blocked', reason, message };
}
