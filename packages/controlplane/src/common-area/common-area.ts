import type {
  ClusterClaim,
  ClusterSet,
  KnownCluster,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  ServiceAccount,
} from '@isthmus/api';
import type { OwnerLimits, Resource, RunnableCache } from '@isthmus/kube';
import type { EndpointIPType, ExportQuery, LeaderConfig } from '@isthmus/wire';
import { announcedEndpointIPType } from '@isthmus/wire';
import type { Grants } from '../known-clusters/grants.ts';
import type { Reports } from '../reporting/reports.ts';
import type { Held } from '../loss/held.ts';
import type { Tally } from '../reporting/tally.ts';

/** The objects that a leader works on: those of one Namespace, the Common Area. */
export interface CommonArea {
  readonly namespace: string;
  readonly config: LeaderConfig;
  readonly clusterSets: Resource<ClusterSet>;
  /** The ClusterSet that this leader serves. */
  readonly served: () => ClusterSet | undefined;
  /** Empty if the API server does not serve the kind, which Antrea dropped in 1.13. */
  readonly clusterClaims: Resource<ClusterClaim>;
  /** The ServiceAccounts of the Namespace. Never filled if the leader may not read them. */
  readonly accounts: Resource<ServiceAccount>;
  /** What clusters may announce. Never filled if the leader may not read it. */
  readonly knownClusters: Resource<KnownCluster>;
  readonly grants: Grants;
  /** Indexed by {@link AnnounceIndex}. */
  readonly announces: Resource<MemberClusterAnnounce>;
  /**
   * Indexed by {@link ExportIndex}, and by the name of each exchange: the keys under which it
   * merges.
   */
  readonly exports: Resource<ResourceExport>;
  /** Indexed by the name of each exchange: the keys under which it publishes. */
  readonly imports: Resource<ResourceImport>;
  readonly events: Reports;
  /** Publications that are kept although their exports are missing. */
  readonly held: Held;
  /** See `silence.ts`. */
  readonly forgottenAfterMs: number;
  /** The limits on the exports of one cluster that this leader accepts. */
  readonly exportLimits: OwnerLimits;
  /** The clusters that export, or announce, more than this leader accepts. */
  readonly overLimits: {
    readonly exports: Pick<RunnableCache<ResourceExport>, 'overLimits' | 'onOverLimits'>;
    readonly announces: Pick<RunnableCache<MemberClusterAnnounce>, 'overLimits' | 'onOverLimits'>;
  };
  /** Kinds that are exported but not merged by any exchange. */
  readonly unserved: Tally;
  /** Settings that are off here and have exports. Only leaders with these settings merge them. */
  readonly switchedOff: Tally;
  /** Why ServiceAccounts of members are not bound to a cluster. */
  readonly unbound: Tally;
  /** Members that write far more than their quota. */
  readonly suspensions: {
    /** How much each member writes; see `member-writes.ts`. */
    readonly writes: {
      over(): readonly { readonly clusterID: string; readonly excess: string }[];
      forget(clusterID: string): void;
      onOver(listener: () => void): () => void;
    };
    /** Which accounts of members are suspended. */
    readonly suspended: Tally;
    /** Why members that are above their quota are not suspended. */
    readonly failed: Tally;
  };
  /** Clusters that export without an announcement. */
  readonly unannounced: {
    look(): { readonly sinceMs: ReadonlyMap<string, number>; readonly nextMs: number | undefined };
    onChange(listener: () => void): () => void;
  };
  /**
   * Kinds, by names of resources, that the API server does not serve, although the leader needs
   * them.
   */
  readonly missingKinds: { list(): readonly string[]; onChange(listener: () => void): () => void };
  /**
   * When one of these kinds was last not served for long, or the API server went back in time. By
   * the monotonic clock; undefined: never.
   */
  readonly lostMs: () => number | undefined;
  /** Exchanges that have no number left for an export. */
  readonly exhausted: Tally;
  /**
   * Clusters with labels that have no number, because the leader keeps too many numbers for each of
   * these clusters already.
   */
  readonly overQuota: Tally;
  /**
   * Asks the API server, past the cache, whether any matching ResourceExport exists that is not
   * being deleted.
   */
  isExported(query: ExportQuery, signal: AbortSignal): Promise<boolean>;
}

/** Names of the indexes of {@link CommonArea.announces}. */
export const AnnounceIndex = {
  clusterID: 'clusterID',
} as const;

/** Names of the indexes of {@link CommonArea.exports} that do not belong to an exchange. */
export const ExportIndex = {
  /** By `spec.clusterID`, for every kind of export. */
  clusterID: 'clusterID',
} as const;

/** The type of endpoints that a cluster announces; undefined: it announces none. */
export function endpointIPTypeOf(area: CommonArea, clusterID: string): EndpointIPType | undefined {
  const [announce] = area.announces.cache.byIndex(AnnounceIndex.clusterID, clusterID);
  return announce === undefined ? undefined : announcedEndpointIPType(announce);
}
