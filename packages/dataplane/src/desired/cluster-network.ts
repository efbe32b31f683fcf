import type { Cidr, Address } from '@isthmus/machinery';

/**
 * The knowledge of the agent on one Node about the ClusterSet, from the objects of its cluster. All
 * of it is checked and in one form. Parts of objects that are not valid are left out before, and
 * reported there.
 */
export interface ClusterNetwork {
  /** The Node that the agent runs on; it is among `nodes`. */
  readonly node: string;
  readonly nodes: readonly OwnNode[];
  /**
   * The Pod CIDRs that this cluster announces to the others. Sources outside of them get an address
   * of their Node.
   */
  readonly podCIDRs: readonly Cidr[];
  /**
   * The ranges by which other clusters know Pods of this one whose own addresses another cluster
   * also has. Each Node translates. The same object until they change. Default: other clusters use
   * the own addresses.
   */
  readonly virtualCIDRs?: readonly VirtualCIDR[] | undefined;
  readonly remotes: readonly RemoteCluster[];
  readonly services: readonly ImportedService[];
  /**
   * The ClusterIPs of the Services that this cluster exports, each once. Other clusters reach only
   * these and the Pods of the cluster, through its gateways. The same object until they change.
   * Default: none.
   */
  readonly exported?: readonly Address[] | undefined;
  /**
   * The numbers of the labels of the Pods on this Node. The same object until they change. Default:
   * no number is known, and none is sent.
   */
  readonly identities?: readonly PodIdentity[] | undefined;
  /**
   * The connections that policies deny to clients on this Node. The same object until they change.
   * Default: none.
   */
  readonly egress?: readonly EgressClass[] | undefined;
  readonly settings: TunnelSettings;
  /**
   * The gateways that do not answer probes, as `<device> <address>`. They remain peers, but get no
   * packets while other gateways answer. The same object until they change. Default: none.
   */
  readonly silent?: ReadonlySet<string> | undefined;
  /**
   * The clusters and families whose Pods are reached without a tunnel, by `directKey`. The same
   * object until they change. Default: none.
   */
  readonly direct?: ReadonlySet<string> | undefined;
}

/**
 * An address of a Pod, and the number that its labels and those of its Namespace have in the
 * ClusterSet.
 */
export interface PodIdentity {
  readonly address: Address;
  /** Labels without a number, and numbers that are too large, are carried as unknown. */
  readonly id: number;
}

/** Clients on this Node to which the same imported Services are denied. */
export interface EgressClass {
  /** The same name for the same denials. */
  readonly name: string;
  /** The addresses of its Pods; `node`: the network of the Node. A Pod is in one class at most. */
  readonly addresses: readonly Address[] | 'node';
  /**
   * What happens to new connections to each denied Service, by `<Namespace>/<name>` of the derived
   * Service.
   */
  readonly denied: Readonly<Record<string, 'drop' | 'reject'>>;
}

/**
 * Two ranges of one family and length. An address of one range represents the address of the other
 * range with the same bits after the prefix.
 */
export interface VirtualCIDR {
  readonly own: Cidr;
  readonly virtual: Cidr;
  /** Other clusters may also use the own range, if they do not have Pods in it. Default: false. */
  readonly isOwnUsed?: boolean | undefined;
}

/** A Node of this cluster. */
export interface OwnNode {
  readonly name: string;
  /** Its InternalIP: the address that other Nodes send tunnel packets to. */
  readonly address: Address;
  /**
   * The address that gateways of other clusters send tunnel packets to, of the same family. It is
   * then the source of tunnel packets to them, too: they accept no other. Default: `address`.
   */
  readonly gatewayAddress?: Address | undefined;
  /** The Pod CIDRs of the Pods that run on it. */
  readonly podCIDRs: readonly Cidr[];
  /** Whether it is to carry packets to other clusters. */
  readonly isGateway: boolean;
  /** Its zone, from its label `topology.kubernetes.io/zone`. */
  readonly zone?: string | undefined;
  /**
   * Whether its Node object is ready. This is used for gateways that cannot be probed. Default:
   * true.
   */
  readonly isReady?: boolean | undefined;
}

/** Another cluster of the ClusterSet. */
export interface RemoteCluster {
  readonly clusterID: string;
  readonly podCIDRs: readonly Cidr[];
  /** The range of the ClusterIPs that it exports. Default: none of its ClusterIPs is used here. */
  readonly serviceCIDR?: Cidr | undefined;
  /**
   * All of its gateways that can carry packets. Packets to ClusterIPs take the first gateway that
   * answers, in this order.
   */
  readonly gatewayIPs: readonly Address[];
  /**
   * The WireGuard public keys of its gateways, by the texts of their addresses. A gateway without a
   * key is used only if packets are not encrypted. Default: none.
   */
  readonly publicKeys?: Readonly<Record<string, string>> | undefined;
  /**
   * Addresses in its Pod CIDRs at which its agents answer packets that come without a tunnel.
   * Default: none.
   */
  readonly directProbes?: readonly Address[] | undefined;
  /** Whether no gateway of this cluster gets answers from any of its gateways. Default: false. */
  readonly isUnreached?: boolean | undefined;
}

/** One port of an imported Service, in one family. */
export interface ImportedService {
  readonly namespace: string;
  readonly name: string;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  /** The address of the derived Service in this cluster. */
  readonly address: Address;
  readonly port: number;
  readonly endpoints: readonly ServiceEndpoint[];
  /**
   * How long a client keeps its endpoint after its last connection, in seconds. Default: each
   * connection may get another endpoint.
   */
  readonly affinitySeconds?: number | undefined;
  /**
   * `internalTrafficPolicy: Local`: only endpoints on the Node of the client count. Default: false.
   */
  readonly isNodeLocal?: boolean | undefined;
  /**
   * `trafficDistribution`: endpoints in the zone or on the Node of the client are preferred.
   * Default: all count the same.
   */
  readonly nearest?: 'Zone' | 'Node' | undefined;
  /**
   * The clusters in the order in which they are to be used, '' for the own cluster. All other
   * clusters come last, together. Default: all together.
   */
  readonly clusterOrder?: readonly string[] | undefined;
  /**
   * The share of connections that each cluster gets, '' for the own cluster; default: 1 for each.
   */
  readonly clusterWeights?: ReadonlyMap<string, number> | undefined;
}

export interface ServiceEndpoint {
  /** The ID of its cluster; '' for the own cluster. */
  readonly clusterID: string;
  /** The address of a Pod, or of a Service of another cluster. It has the family of the Service. */
  readonly address: Address;
  readonly port: number;
  /** It ends, but still serves: it counts only if no other endpoint is ready. Default: false. */
  readonly isTerminating?: boolean | undefined;
  /**
   * It is not known whether the gateways of its cluster accept packets for it. It counts only if
   * there is no other endpoint. Default: false.
   */
  readonly isUncertain?: boolean | undefined;
  /** The Node that it is on, if that is a Node of this cluster. */
  readonly node?: string | undefined;
  /** The zones of the clients that it is meant for. */
  readonly zones?: readonly string[] | undefined;
}

/** The settings that all clusters of a ClusterSet share, and the properties of this Node. */
export interface TunnelSettings {
  /** The UDP port of all tunnels. */
  readonly port: number;
  /** The MTU of the device that carries tunnel packets, in bytes. */
  readonly underlayMTU: number;
  /**
   * The devices by which packets leave for other Nodes. Used if the Pod CIDRs of this Node are not
   * known: a packet that leaves by another device is for its own Pods. Default: the Pod CIDRs
   * decide.
   */
  readonly nodeDevices?: readonly string[] | undefined;
  /** The device that has the address of this Node. No Pod sends by it. Default: it is not known. */
  readonly underlayDevice?: string | undefined;
  /**
   * Whether packets carry the numbers of labels. Otherwise no packet leaves with a number, even if
   * it came with one. Default: false.
   */
  readonly carriesLabels?: boolean | undefined;
  /**
   * The UDP port of WireGuard, which encrypts all packets between gateways of different clusters.
   * Default: they are not encrypted.
   */
  readonly wireGuardPort?: number | undefined;
  /**
   * Whether the agent asks which Pods of other clusters are reached without a tunnel, and answers
   * these questions. Default: false.
   */
  readonly findsDirectPaths?: boolean | undefined;
}
