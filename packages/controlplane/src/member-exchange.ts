import type { ResourceExport, ResourceImport } from '@isthmus/api';
import type { Indexes, Reconciler } from '@isthmus/kube';
import type { ControllerAccess } from './controller-access.ts';
import type { ImportedObjects } from './own-cluster/imported-objects.ts';
import type { ImportSource } from './own-cluster/import-source.ts';
import type { LeaderSession } from './own-cluster/leader-session.ts';
import type { OwnCluster } from './own-cluster/own-cluster.ts';

/** A member's part for one kind of payload. */
export interface MemberExchange {
  /** The access of its controllers, in the own cluster and at the leader. */
  readonly access: readonly ControllerAccess[];
  /**
   * The keys of the own objects for which a ResourceExport of this cluster was made. Empty for
   * kinds of other exchanges. Undefined: members export nothing of the kind; its exporters work in
   * the leader's cluster.
   */
  readonly exportKeys?: ((object: ResourceExport) => readonly string[]) | undefined;
  /**
   * The values of `spec.kind` of its ResourceImports. An import with one of these that contradicts
   * itself still has that kind.
   */
  readonly importKinds: readonly string[];
  /**
   * The keys of the own objects that a ResourceImport is for. Empty for kinds of other exchanges,
   * and for an import that contradicts itself.
   */
  readonly importKeys: (object: ResourceImport) => readonly string[];
  /**
   * Further indexes of the ResourceImports of the leader. No other exchange may use the same names.
   */
  readonly importIndexes?: Indexes<ResourceImport> | undefined;
  /**
   * Opens the caches that it needs in the own cluster. It is called once in the life of a member,
   * which may have several memberships.
   */
  readonly join: (own: OwnCluster) => MemberPart;
}

/** One active exchange in one cluster. */
export interface MemberPart {
  /** The controllers that export, for one membership. */
  exporters(membership: ExchangeMembership): readonly Reconciler[];
  /** The controllers that import the offers of `source`, and withdraw everything else. */
  importers(source: ImportSource): readonly Reconciler[];
  /**
   * The controllers that keep imports working while the leader cannot be read, by facts from this
   * cluster. They never run together with the importers. The ID of the own cluster is undefined
   * while it is not known.
   */
  keepers(ownClusterID: () => string | undefined): readonly Reconciler[];
  /** The imported objects, kind by kind. */
  readonly imported: readonly ImportedObjects[];
}

/** Why there is no session. */
export interface NoSession {
  readonly message: string;
  /**
   * The cluster is a member, and its exports stay on the leader. A user has to correct a setting
   * before it can connect.
   */
  readonly isMember?: boolean | undefined;
}

/** The connection between cluster and leader while one set of controllers runs. */
export interface ExchangeMembership {
  /** Undefined: there is no session. The reason `why` is reported to users. */
  readonly session: LeaderSession | undefined;
  readonly why: NoSession;
}
