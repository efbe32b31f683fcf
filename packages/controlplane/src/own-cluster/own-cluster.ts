import type {
  ClusterClaim,
  ClusterInfoImport,
  ClusterProbes,
  ClusterSet,
  Gateway,
  Namespace,
  Verdict,
  VirtualPodCIDR,
  memberClusterSetStatus,
} from '@isthmus/api';
import type { CacheOptions, Client, Indexes, Resource, ResourceOptions, World } from '@isthmus/kube';
import type { Address, KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { ControllerConfig } from '../process/config.ts';
import type { Held } from '../loss/held.ts';
import type { ClusterSetConditions } from './cluster-set-conditions.ts';
import type { Reports } from '../reporting/reports.ts';
import type { Noted } from '../reporting/noted-value.ts';

/** The part of the configuration that exchanges read. */
export type ExchangeConfig = Pick<
  ControllerConfig,
  | 'enableStretchedNetworkPolicy'
  | 'endpointIPType'
  | 'gatewayIPPrecedence'
  | 'podCIDRs'
  | 'serviceCIDR'
  | 'importExcludedNamespaces'
>;

/** What a member works on in its own cluster. */
export interface OwnCluster {
  /** The controller's Namespace: ClusterSet, ClusterClaims, Secrets. */
  readonly namespace: string;
  readonly config: ExchangeConfig;
  readonly clusterSets: Resource<ClusterSet>;
  /** The ClusterSet that this cluster is in or joins. */
  readonly served: () => ClusterSet | undefined;
  /** Without any where the API server does not serve the kind, which Antrea dropped in 1.13. */
  readonly clusterClaims: Resource<ClusterClaim>;
  readonly namespaces: Resource<Namespace>;
  /** Of the controller's Namespace. Optional: the member is ready without them. */
  readonly gateways: Resource<Gateway>;
  readonly gatewayNodes: OfferedGateways;
  /** What the leader found about the ranges of this cluster, for its ClusterSet; undefined: not known. */
  readonly networkConflict: Noted<Verdict<typeof memberClusterSetStatus, 'NetworkConflict'> | 'absent'>;
  /** The ranges that other clusters know Pods of this one by, for its ClusterSet; undefined: not known. */
  readonly virtualPodCIDRs: Noted<readonly VirtualPodCIDR[]>;
  /** The networks of the other clusters. Optional: the member is ready without them. */
  readonly clusterInfoImports: Resource<ClusterInfoImport>;
  readonly events: Reports;
  readonly clusterSetConditions: ClusterSetConditions;
  /** What is imported although the leader does not have it any more. */
  readonly held: Held;
  /** See `silence.ts`. */
  readonly forgottenAfterMs: number;
  /** What is exported although its object is gone, by the name of the CustomResourceDefinition that it went with. */
  readonly heldExports: Held;
  readonly world: World;
  readonly unserved: UnservedKinds;
  readonly denied: DeniedRequests;
  /** For the rare object that no cache holds. */
  readonly client: Client;
  /**
   * A cache of the kind, which lives as long as the member does. To be called before the member runs. Errors: throws when the kind is already
   * open, since two callers may want other indexes.
   */
  open<T extends KubernetesObject>(type: ResourceType<T>, options: OpenOptions<T>): Resource<T>;
}

export interface OpenOptions<T extends KubernetesObject> {
  /** What health reports call it. */
  readonly name: string;
  /** `own`: in the controller's Namespace; `all`: in every Namespace, or cluster-scoped. */
  readonly scope: 'own' | 'all';
  /** The member is ready without it, see {@link Access.optional}. */
  readonly optional?: boolean | undefined;
  /** See {@link CacheOptions.whenUnserved}: `empty` for a kind that a cluster need not have. */
  readonly whenUnserved?: CacheOptions<T>['whenUnserved'];
  /** `Strict`: an object with fields that the kind lacks here is rejected, instead of written without them. */
  readonly fieldValidation?: ResourceOptions['fieldValidation'];
  readonly indexes?: Indexes<T> | undefined;
}

/** A Node that is marked as a gateway. */
export interface OfferedGateway {
  readonly node: string;
  /** Its address for other clusters; undefined: it has none that is valid. */
  readonly gatewayIP: string | undefined;
  /** Its WireGuard public key, if its agent publishes one. */
  readonly publicKey: string | undefined;
  /** Where its agent answers probes that take no tunnel. Default: nowhere. */
  readonly directProbes?: readonly Address[] | undefined;
  /** Whether it can carry traffic now. */
  readonly isUsable: boolean;
  /** Whether an agent on it renews its Lease; `none`: there has been none. */
  readonly agent: 'alive' | 'silent' | 'none';
  /** What the probes of its agent say about other clusters; undefined: it does not report them. */
  readonly probes: readonly ClusterProbes[] | undefined;
}

/** The Nodes that are marked as gateways. */
export interface OfferedGateways {
  /** By the names of the Nodes: the order in which they take over. */
  list(): readonly OfferedGateway[];
  /** Whether they have been read, or may not be. */
  readonly isKnown: boolean;
  /** Calls `listener` when `list` may be another. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** What this cluster does not let the controller do. */
export interface DeniedRequests {
  /** Each as `create serviceimports.multicluster.x-k8s.io`, sorted; without what admission alone rejects. */
  list(): readonly string[];
  /** Calls `listener` when `list` changes. Returns the unsubscriber. */
  onChange(listener: () => void): () => void;
}

/** Kinds that the member has to do without, or in an older version. */
export interface UnservedKinds {
  /**
   * Optional kinds that the API server does not serve, or does not let the member read: as `gateways.multicluster.crd.antrea.io`, in the order in
   * which they were opened.
   */
  list(): readonly string[];
  /** Kinds that the member needs and the API server does not serve, since their definitions were deleted. */
  missing(): readonly string[];
  /** Kinds that the API server serves only in an older version, as Antrea's definitions have them. */
  older(): readonly string[];
  /** Calls `listener` when a list may be another. Returns the unsubscriber. */
  onChange(listener: () => void): () => void;
}
