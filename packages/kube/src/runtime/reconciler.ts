import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { Log } from '../log.ts';
import type { Outcome } from '../outcome.ts';
import type { Change, ReadCache } from './cache.ts';

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  /** To give a role rights that one does not have oneself (kubernetes.io/docs, "Using RBAC Authorization"). */
  | 'escalate';

/** One line of what a reconciler may do; the RBAC manifests are generated from these. */
export interface Access {
  /** `local` is the cluster that the process serves; `leader` the API server that a member's session speaks to. */
  readonly at: 'local' | 'leader';
  readonly type: Pick<ResourceType, 'group' | 'plural' | 'namespaced'>;
  readonly subresource?: string | undefined;
  /** `own`: only in the controller's own Namespace (or the leader Namespace); `all`: in every Namespace, or cluster-scoped. */
  readonly scope: 'own' | 'all';
  readonly verbs: readonly Verb[];
  /** Narrows to these names; impossible for create, list and watch without a field selector. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** A cache whose changes wake keys of a reconciler. */
export interface Source {
  readonly synced: boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  /**
   * Tells keys to look at; at once for what is already there, then for each change. Returns the unsubscriber. What goes wrong
   * with single objects is reported, and the others are told.
   */
  start(enqueue: (key: string) => void, report?: (error: unknown) => void): () => void;
}

/**
 * Each object of `cache`, as it was and as it is, wakes the keys that `keys` names. `keys` should be total; where it throws, the object wakes
 * nothing and the error is reported.
 */
export function from<T extends KubernetesObject>(cache: ReadCache<T>, keys: (object: T) => readonly string[]): Source {
  return {
    get synced() {
      return cache.synced;
    },
    whenSynced: (signal) => cache.whenSynced(signal),
    start(enqueue, report) {
      const tell = (object: T | undefined) => {
        if (object === undefined) return;
        try {
          for (const key of keys(object)) enqueue(key);
        } catch (error) {
          report?.(error);
        }
      };
      const unsubscribe = cache.subscribe((change: Change<T>) => {
        tell(change.before);
        tell(change.after);
      });
      for (const object of cache.list()) tell(object);
      return unsubscribe;
    },
  };
}

export interface ReconcileContext {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** A controller as data: what wakes it, what it may do, and one function from a key to an outcome. */
export interface Reconciler {
  /** Lower-case with dashes; also the label of its metrics. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly access: readonly Access[];
  /** How many keys run side by side; one key never runs twice at once. Default 8. */
  readonly concurrency?: number | undefined;
  /**
   * A key that ran less than this ago waits for the rest of it, so that a burst costs one run; a lone change runs at once.
   * Default 0.
   */
  readonly coalesceMs?: number | undefined;
  /** More sources, which need not be synced before the first run (the reconcile asks the cache itself). Default none. */
  readonly optionalSources?: readonly Source[] | undefined;
  reconcile(key: string, context: ReconcileContext): Promise<Outcome>;
}

export function defineReconciler(reconciler: Reconciler): Reconciler {
  return reconciler;
}
