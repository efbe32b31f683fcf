/** A person must act: nothing that the controller could do by itself, now or later, would help. */
export interface Blocked {
  readonly kind: 'blocked';
  /** UpperCamelCase, from a closed set: the reason of the condition or Event that reports it, and a label of the metric. */
  readonly reason: string;
  /** For people: what is wrong, and what to do. */
  readonly message: string;
}

/**
 * What a reconcile reports of its key when nothing unexpected happened. A throw means a bug or a broken world: the runtime backs
 * off, counts it and tries again.
 */
export type Outcome =
  | { readonly kind: 'done' }
  /** Waiting, not failing: run again after `afterMs`, or sooner when a source wakes it. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly why: string }
  /** Runs again when a source wakes it. Until a later run ends otherwise the key is counted as blocked. */
  | Blocked;

export const done: Outcome = { kind: 'done' };

export function again(afterMs: number, why: string): Outcome {
  return { kind: 'again', afterMs, why };
}

export function blocked(reason: string, message: string): Outcome {
  return { kind: 'blocked', reason, message };
}
