import type {
  ClusterClaim,
  ClusterInfoImport,
  ClusterProbes,
  ClusterSet,
  Gateway,
  KnownCluster,
  LocalRange,
  memberClusterSetStatus,
  Namespace,
  SmallPath,
  Verdict,
  VirtualPodCIDR,
} from '@isthmus/api';
import type { CacheOptions, Client, Indexes, Resource, ResourceOptions, World } from '@isthmus/kube';
import type { Address, KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { ControllerConfig } from '../process/config.ts';
import type { Held } from '../loss/held.ts';
import type { OwnNodes } from './own-nodes.ts';
import type { ClusterSetConditions } from './cluster-set-conditions.ts';
import type { Reports } from '../reporting/reports.ts';
import type { Grants } from '../known-clusters/grants.ts';
import type { SharedValue } from '../reporting/shared-value.ts';

/** The part of the configuration that exchanges read. */
export type ExchangeConfig = Pick<
  ControllerConfig,
  | 'enableStretchedNetworkPolicy'
  | 'endpointIPType'
  | 'gatewayIPPrecedence'
  | 'hardened'
  | 'podCIDRs'
  | 'serviceCIDR'
  | 'importExcludedNamespaces'
>;

/** The objects of its own cluster that a member uses. */
export interface OwnCluster {
  /** The controller's Namespace, with ClusterSet, ClusterClaims and Secrets. */
  readonly namespace: string;
  readonly config: ExchangeConfig;
  readonly clusterSets: Resource<ClusterSet>;
  /** The ClusterSet that this cluster has joined or is joining. */
  readonly served: () => ClusterSet | undefined;
  /** Empty if the API server does not serve the kind, which Antrea dropped in 1.13. */
  readonly clusterClaims: Resource<ClusterClaim>;
  readonly namespaces: Resource<Namespace>;
  /** Those in the controller's Namespace. Optional: the member is ready without them. */
  readonly gateways: Resource<Gateway>;
  readonly gatewayNodes: OfferedGateways;
  readonly ownNodes: OwnNodes;
  /**
   * The leader's findings about the ranges of this cluster, for its ClusterSet; undefined: not
   * known.
   */
  readonly networkConflict: SharedValue<Verdict<typeof memberClusterSetStatus, 'NetworkConflict'> | 'absent'>;
  /**
   * The ranges by which other clusters know the Pods of this one, for its ClusterSet; undefined:
   * not known.
   */
  readonly virtualPodCIDRs: SharedValue<readonly VirtualPodCIDR[]>;
  /** The networks of the other clusters. Optional: the member is ready without them. */
  readonly clusterInfoImports: Resource<ClusterInfoImport>;
  /**
   * What other clusters may announce, by the administrators of this one. Optional: the member is
   * ready without them.
   */
  readonly knownClusters: Resource<KnownCluster>;
  readonly grants: Grants;
  readonly events: Reports;
  readonly clusterSetConditions: ClusterSetConditions;
  /** Imports that are kept although the leader no longer has them. */
  readonly held: Held;
  /** See `silence.ts`. */
  readonly forgottenAfterMs: number;
  /**
   * Exports that are kept although their objects are gone, by the name of the CRD that was deleted
   * with them.
   */
  readonly heldExports: Held;
  readonly world: World;
  readonly unserved: UnservedKinds;
  readonly denied: DeniedRequests;
  /** For the rare object that is in no cache. */
  readonly client: Client;
  /**
   * A cache of the kind, which lives as long as the member. Call it before the member runs. Errors:
   * throws if the kind is already open, since two callers may want different indexes.
   */
  open<T extends KubernetesObject>(type: ResourceType<T>, options: OpenOptions<T>): Resource<T>;
}

export interface OpenOptions<T extends KubernetesObject> {
  /** Its name in health reports. */
  readonly name: string;
  /** `own`: in the controller's Namespace. `all`: in every Namespace, or cluster-scoped. */
  readonly scope: 'own' | 'all';
  /** The member is ready without it, see {@link Access.optional}. */
  readonly optional?: boolean | undefined;
  /**
   * See {@link CacheOptions.whenUnserved}: `empty` for a kind that a cluster does not need to have.
   */
  readonly whenUnserved?: CacheOptions<T>['whenUnserved'];
  /**
   * `Strict`: an object with fields that the kind lacks here is rejected, not written without them.
   */
  readonly fieldValidation?: ResourceOptions['fieldValidation'];
  readonly indexes?: Indexes<T> | undefined;
}

/** A Node that is marked as a gateway. */
export interface OfferedGateway {
  readonly node: string;
  /** Its valid address for other clusters; undefined: it has none. */
  readonly gatewayIP: string | undefined;
  /** Its WireGuard public key, if its agent publishes one. */
  readonly publicKey: string | undefined;
  /** The addresses where its agent answers probes outside a tunnel. Default: none. */
  readonly directProbes?: readonly Address[] | undefined;
  /** Whether it can carry traffic now. */
  readonly isUsable: boolean;
  /** Whether an agent on it renews its Lease. `none`: there has been no agent. */
  readonly agent: 'alive' | 'silent' | 'none';
  /** What its Node reaches by itself, as its agent has listed it last. Default: nothing. */
  readonly localRanges?: readonly LocalRange[] | undefined;
  /** The probe results of its agent for other clusters; undefined: it does not report them. */
  readonly probes: readonly ClusterProbes[] | undefined;
  /** The gateways of other clusters to which its agent loses large packets. Default: none. */
  readonly smallPaths?: readonly SmallPath[] | undefined;
}

/** The Nodes that are marked as gateways. */
export interface OfferedGateways {
  /** By the names of the Nodes, which is the order in which they take over. */
  list(): readonly OfferedGateway[];
  /** Whether they have been read, or may not be read. */
  readonly isKnown: boolean;
  /** Calls `listener` when `list` may have changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Requests that this cluster denies the controller. */
export interface DeniedRequests {
  /**
   * Each has the form `create serviceimports.multicluster.x-k8s.io`, sorted. Requests that only
   * admission rejects are not included.
   */
  list(): readonly string[];
  /** Calls `listener` when `list` changes. Returns the unsubscriber. */
  onChange(listener: () => void): () => void;
}

/** Kinds that the member cannot use, or only in an older version. */
export interface UnservedKinds {
  /**
   * Optional kinds that the API server does not serve, or does not allow the member to read. In the
   * form `gateways.multicluster.crd.antrea.io`, in the order in which they were opened.
   */
  list(): readonly string[];
  /**
   * Kinds that the member needs and the API server does not serve, since their CRDs were deleted.
   */
  missing(): readonly string[];
  /** Kinds that the API server serves only in an older version, as with Antrea's CRDs. */
  older(): readonly string[];
  /** Calls `listener` when a list may have changed. Returns the unsubscriber. */
  onChange(listener: () => void): () => void;
}
