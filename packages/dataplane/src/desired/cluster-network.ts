import type { Cidr, Address } from '@isthmus/machinery';

/**
 * What the agent on one Node knows of the ClusterSet, from the objects of its cluster, checked and in one form. Whatever is wrong in an object is left
 * out before, and reported there.
 */
export interface ClusterNetwork {
  /** The Node that the agent runs on; it is among `nodes`. */
  readonly node: string;
  readonly nodes: readonly OwnNode[];
  /** The Pod CIDRs that this cluster announces to the others: sources outside of them get an address of their Node. */
  readonly podCIDRs: readonly Cidr[];
  /**
   * By which ranges other clusters know Pods of this one whose own addresses another cluster has, too: each Node translates. The same object as long as they are the same. Default:
   * by their own.
   */
  readonly virtualCIDRs?: readonly VirtualCIDR[] | undefined;
  readonly remotes: readonly RemoteCluster[];
  readonly services: readonly ImportedService[];
  /**
   * The ClusterIPs of the Services that this cluster exports: other clusters reach them through its gateways, and nothing else but its Pods. Each once. The same
   * object as long as they are the same. Default: none.
   */
  readonly exported?: readonly Address[] | undefined;
  /** The numbers of the labels of the Pods on this Node. The same object as long as they are the same. Default: none is known, and none is sent. */
  readonly identities?: readonly PodIdentity[] | undefined;
  /** What policies deny to clients on this Node. The same object as long as it is the same. Default: nothing. */
  readonly egress?: readonly EgressClass[] | undefined;
  readonly settings: TunnelSettings;
  /**
   * The gateways that do not answer probes, as `<device> <address>`. They stay peers, and no packets are sent through them while others answer. The same object
   * as long as they are the same. Default: none.
   */
  readonly silent?: ReadonlySet<string> | undefined;
  /** The clusters and families whose Pods are reached without a tunnel, as `directKey` has them. The same object as long as they are the same. Default: none. */
  readonly direct?: ReadonlySet<string> | undefined;
}

/** An address of a Pod, and the number that its labels and those of its Namespace have in the ClusterSet. */
export interface PodIdentity {
  readonly address: Address;
  /** Labels without a number, and numbers that are too large to be carried, are carried as unknown. */
  readonly id: number;
}

/** Clients on this Node to whom the same imported Services are denied. */
export interface EgressClass {
  /** The same for the same denials. */
  readonly name: string;
  /** Of its Pods; `node`: it is the network of the Node. A Pod is in one class at most. */
  readonly addresses: readonly Address[] | 'node';
  /** From each derived Service, `<Namespace>/<name>`, to what becomes of new connections to it. */
  readonly denied: Readonly<Record<string, 'drop' | 'reject'>>;
}

/** Two ranges of one family and length. An address of one stands for that of the other with the same bits behind the prefix. */
export interface VirtualCIDR {
  readonly own: Cidr;
  readonly virtual: Cidr;
  /** Other clusters may use the own range as well, where no Pods of theirs have it. Default: false. */
  readonly isOwnUsed?: boolean | undefined;
}

/** A Node of this cluster. */
export interface OwnNode {
  readonly name: string;
  /** Its InternalIP: where the other Nodes send tunnel packets for it. */
  readonly address: Address;
  /** Of the Pods that run on it. */
  readonly podCIDRs: readonly Cidr[];
  /** Whether it is to carry packets to other clusters. */
  readonly isGateway: boolean;
  /** Where it is, as its label `topology.kubernetes.io/zone` has it. */
  readonly zone?: string | undefined;
  /** What its Node object says, for gateways that cannot be probed. Default: true. */
  readonly isReady?: boolean | undefined;
}

/** Another cluster of the ClusterSet. */
export interface RemoteCluster {
  readonly clusterID: string;
  readonly podCIDRs: readonly Cidr[];
  /** Where the ClusterIPs are that it exports. Default: none of them is used here. */
  readonly serviceCIDR?: Cidr | undefined;
  /** All of its gateways that can carry packets. Those to ClusterIPs take the first one that answers, in this order. */
  readonly gatewayIPs: readonly Address[];
  /** The WireGuard public keys of its gateways, by the texts of their addresses. A gateway without a key is used where nothing is encrypted. Default: none. */
  readonly publicKeys?: Readonly<Record<string, string>> | undefined;
  /** Addresses in its Pod CIDRs at which its agents answer what comes without a tunnel. Default: none. */
  readonly directProbes?: readonly Address[] | undefined;
  /** None of its gateways answers any gateway of this cluster. Default: false. */
  readonly isUnreached?: boolean | undefined;
}

/** One port of an imported Service, in one family. */
export interface ImportedService {
  readonly namespace: string;
  readonly name: string;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  /** Of the derived Service in this cluster. */
  readonly address: Address;
  readonly port: number;
  readonly endpoints: readonly ServiceEndpoint[];
  /** For how long a client keeps its endpoint after its last connection, in seconds. Default: each connection may get another endpoint. */
  readonly affinitySeconds?: number | undefined;
  /** `internalTrafficPolicy: Local`: only endpoints on the Node of the client count. Default: false. */
  readonly isNodeLocal?: boolean | undefined;
  /** `trafficDistribution`: endpoints this near to the client are preferred. Default: all count the same. */
  readonly nearest?: 'Zone' | 'Node' | undefined;
  /** Clusters in the order in which they are to be used, '' for the own one; all others come last, together. Default: all together. */
  readonly clusterOrder?: readonly string[] | undefined;
  /** Which share of the connections a cluster gets, '' for the own one; default: 1 for each. */
  readonly clusterWeights?: ReadonlyMap<string, number> | undefined;
}

export interface ServiceEndpoint {
  /** Of the cluster that it is in; '' is the own one. */
  readonly clusterID: string;
  /** Of a Pod, or of a Service of another cluster. Of the same family as the Service. */
  readonly address: Address;
  readonly port: number;
  /** It ends, but still serves: it counts where no other endpoint is ready. Default: false. */
  readonly isTerminating?: boolean | undefined;
  /** Nobody knows whether the gateways of its cluster take packets for it: it counts where there is no other endpoint. Default: false. */
  readonly isUncertain?: boolean | undefined;
  /** The Node that it is on, if that is one of this cluster. */
  readonly node?: string | undefined;
  /** The zones whose clients it is meant for. */
  readonly zones?: readonly string[] | undefined;
}

/** What all clusters of a ClusterSet agree about, and what this Node has. */
export interface TunnelSettings {
  /** The UDP port of all tunnels. */
  readonly port: number;
  /** Of the device that carries tunnel packets, in bytes. */
  readonly underlayMTU: number;
  /**
   * By which devices packets leave for other Nodes, where the Pod CIDRs of this Node are not known: what leaves by another one is for its own Pods. Default: its Pod CIDRs tell.
   */
  readonly nodeDevices?: readonly string[] | undefined;
  /** The device that has the address of this Node: no Pod sends by it. Default: it is not known. */
  readonly underlayDevice?: string | undefined;
  /** Whether packets carry the numbers of labels; otherwise none leaves with one, whatever it came with. Default: false. */
  readonly carriesLabels?: boolean | undefined;
  /** The UDP port of WireGuard, which encrypts all packets between gateways of different clusters. Default: they are not encrypted. */
  readonly wireGuardPort?: number | undefined;
  /** Whether the agent asks which Pods of other clusters are reached without a tunnel, and answers such questions. Default: false. */
  readonly findsDirectPaths?: boolean | undefined;
}
