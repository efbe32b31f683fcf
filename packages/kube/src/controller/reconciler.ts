import type { Log } from '../log/log.ts';
import type { Blocked, Outcome } from './outcome.ts';
import type { Access } from './access.ts';
import type { Source } from './source.ts';

export interface ReconcileContext {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** A controller as data: its sources, its access, and one function from a key to an outcome. */
export interface Reconciler<Reason extends string = string> {
  /** Lower-case with dashes; also the label of its metrics. */
  readonly name: string;
  /** Their order has no meaning. */
  readonly sources: readonly Source[];
  readonly access: readonly Access[];
  /** How many keys run side by side; one key never runs twice at once. Default 8. */
  readonly concurrency?: number | undefined;
  /**
   * A key that ran less than this ago waits for the rest of it, so that a burst costs one run; a
   * lone change runs at once. Default 0.
   */
  readonly coalesceMs?: number | undefined;
  /**
   * More sources, which need not be synced before the first run (the reconcile asks the cache
   * itself). Default none.
   */
  readonly optionalSources?: readonly Source[] | undefined;
  reconcile(key: string, context: ReconcileContext): Promise<Outcome<Reason>>;
  /**
   * Reports on an object what blocks `key` (its condition, or an Event), or, if `blocked` is
   * undefined, that it is not blocked. Only this function reports it, for exactly the reasons with
   * which `reconcile` may end. Called after every reconcile that did not throw, so that the report
   * is also right after a restart and after another client changed the object. It must write only
   * differences. A throw counts as a failed reconcile.
   */
  report?(key: string, blocked: Blocked<Reason> | undefined, context: ReconcileContext): Promise<void>;
}

export function defineReconciler<Reason extends string>(reconciler: Reconciler<Reason>): Reconciler {
  return reconciler;
}
