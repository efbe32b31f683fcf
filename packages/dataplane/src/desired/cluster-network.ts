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
  readonly remotes: readonly RemoteCluster[];
  readonly services: readonly ImportedService[];
  readonly settings: TunnelSettings;
}

/** A Node of this cluster. */
export interface OwnNode {
  readonly name: string;
  /** Its InternalIP: where the other Nodes send tunnel packets for it. */
  readonly address: Address;
  /** Of the Pods that run on it. */
  readonly podCIDRs: readonly Cidr[];
  /** Whether it is a gateway that carries packets. */
  readonly isGateway: boolean;
}

/** Another cluster of the ClusterSet. */
export interface RemoteCluster {
  readonly clusterID: string;
  readonly podCIDRs: readonly Cidr[];
  /** All of its gateways that can carry packets. */
  readonly gatewayIPs: readonly Address[];
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
}

export interface ServiceEndpoint {
  readonly clusterID: string;
  /** Of the same family as the Service. */
  readonly address: Address;
  readonly port: number;
}

/** What all clusters of a ClusterSet agree about, and what this Node has. */
export interface TunnelSettings {
  /** The UDP port of all tunnels. */
  readonly port: number;
  /** Of the device that carries tunnel packets, in bytes. */
  readonly underlayMTU: number;
}
