import type { ResourceType } from '@isthmus/machinery';

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  /**
   * To give a role rights that one does not have oneself (kubernetes.io/docs, "Using RBAC
   * Authorization").
   */
  | 'escalate';

/**
 * One line of the access that a reconciler or a webhook needs; the RBAC manifests are generated
 * from these. `At` names the API servers that a product knows, as `'local' | 'leader'`. Products
 * with a closed set of servers narrow it; the access that this package declares is always for
 * `local`.
 */
export interface Access<At extends string = string> {
  /**
   * The API server, by its name among the sessions of the process; `local` is that of the cluster
   * which the process serves.
   */
  readonly at: At;
  readonly type: Pick<ResourceType, 'group' | 'plural' | 'namespaced'>;
  readonly subresource?: string | undefined;
  /**
   * `own`: only in the Namespace that the process owns in that cluster; `all`: in every Namespace,
   * or cluster-scoped.
   */
  readonly scope: 'own' | 'all';
  readonly verbs: readonly Verb[];
  /**
   * If it is not granted, or the kind not served, only the part of the process that needs it waits.
   * For access that a release adds: the manifests of the release before do not grant it.
   */
  readonly optional?: boolean | undefined;
  /**
   * If the kind is not served there are no such objects: nothing waits for it. See `whenUnserved`
   * of a cache.
   */
  readonly mayBeUnserved?: boolean | undefined;
  /**
   * Every request names one object, so that a rule for the names that are used is enough. The
   * manifests do not know them and grant all.
   */
  readonly byName?: boolean | undefined;
  /** Narrows to these names; impossible for create, list and watch without a field selector. */
  readonly resourceNames?: readonly string[] | undefined;
}
