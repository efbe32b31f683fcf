/** A person must act: nothing that the controller could do by itself, now or later, would help. */
export interface Blocked<Reason extends string = string> {
  readonly kind: 'blocked';
  /**
   * UpperCamelCase, from a closed set: the reason of the condition or Event that reports it, and a
   * label of the metric.
   */
  readonly reason: Reason;
  /** Human-readable: what is wrong, and what to do. */
  readonly message: string;
  /**
   * The reconcile runs again after so many milliseconds, because no source shows that the cause is
   * gone. Undefined: a source does.
   */
  readonly lookAgainMs?: number | undefined;
}

/**
 * The result of a reconcile for its key, if nothing unexpected happened. `Reason`: the reasons with
 * which it may be blocked. A throw means a bug or an unexpected failure: the runtime backs off,
 * counts it and tries again.
 */
export type Outcome<Reason extends string = never> =
  | { readonly kind: 'done' }
  /** Waiting, not failing: run again after `afterMs`, or sooner when a source wakes it. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly why: string }
  /**
   * Runs again when a source wakes it. Until a later run ends otherwise the key is counted as
   * blocked.
   */
  | Blocked<Reason>;

export const done: Outcome<never> = { kind: 'done' };

export function again(afterMs: number, why: string): Outcome<never> {
  return { kind: 'again', afterMs, why };
}

export function blocked<const Reason extends string>(
  reason: Reason,
  message: string,
  { lookAgainMs }: Pick<Blocked, 'lookAgainMs'> = {},
): Blocked<Reason> {
  return lookAgainMs === undefined
    ? { kind: 'blocked', reason, message }
    : { kind: 'blocked', reason, message, lookAgainMs };
}
