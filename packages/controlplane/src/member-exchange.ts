import type { ResourceExport, ResourceImport } from '@isthmus/api';
import type { Indexes, Reconciler } from '@isthmus/kube';
import type { ControllerAccess } from './controller-access.ts';
import type { ImportedObjects } from './own-cluster/imported-objects.ts';
import type { ImportSource } from './own-cluster/import-source.ts';
import type { LeaderSession } from './own-cluster/leader-session.ts';
import type { OwnCluster } from './own-cluster/own-cluster.ts';

/** What a member does with one kind of payload. */
export interface MemberExchange {
  /** What its controllers may do, in the own cluster and at the leader. */
  readonly access: readonly ControllerAccess[];
  /**
   * The keys of the own objects that a ResourceExport of this cluster was made for; nothing for kinds of other exchanges. Undefined: members export
   * nothing of the kind; who exports it works in the leader's cluster.
   */
  readonly exportKeys?: ((object: ResourceExport) => readonly string[]) | undefined;
  /** The values of `spec.kind` of its ResourceImports. An import of these that contradicts itself is not of another kind. */
  readonly importKinds: readonly string[];
  /** The keys of the own objects that a ResourceImport is for; nothing for kinds of other exchanges, and for one that contradicts itself. */
  readonly importKeys: (object: ResourceImport) => readonly string[];
  /** Further indexes of the ResourceImports of the leader, by names that no other exchange has. */
  readonly importIndexes?: Indexes<ResourceImport> | undefined;
  /** Opens what it needs of the own cluster. Called once for the life of a member; memberships come and go. */
  readonly join: (own: OwnCluster) => MemberPart;
}

/** One exchange at work in one cluster. */
export interface MemberPart {
  /** The controllers that export, for one membership. */
  exporters(membership: ExchangeMembership): readonly Reconciler[];
  /** The controllers that import what `source` offers, and withdraw what it does not. */
  importers(source: ImportSource): readonly Reconciler[];
  /**
   * The controllers that keep imports working while the leader cannot be read, by what this cluster itself knows; never beside the importers. The
   * ID of the own cluster is undefined while it is not known.
   */
  keepers(ownClusterID: () => string | undefined): readonly Reconciler[];
  /** What it imports, kind by kind. */
  readonly imported: readonly ImportedObjects[];
}

/** Why there is no session. */
export interface NoSession {
  readonly message: string;
  /** The cluster is a member, and what it exported stays on the leader: a user has to correct something before it can ask. */
  readonly isMember?: boolean | undefined;
}

/** How the cluster stands to the leader while one set of controllers runs. */
export interface ExchangeMembership {
  /** Undefined: there is none, for the reason `why`, which is reported to users. */
  readonly session: LeaderSession | undefined;
  readonly why: NoSession;
}
