import type { Address, Family } from '@isthmus/machinery';
import type { TunnelSettings } from './cluster-network.ts';

/** The device of tunnels between the Nodes of one cluster. */
export const nodeDevice = 'isthmus-node';
/** The device of tunnels between gateways of different clusters. Only gateways have it. */
export const gatewayDevice = 'isthmus-gw';

export const tunnelDevices = [nodeDevice, gatewayDevice] as const;
export type TunnelDevice = (typeof tunnelDevices)[number];

/**
 * The device that encrypts packets between gateways of different clusters. Only gateways have it,
 * and only if the ClusterSet encrypts.
 */
export const wireGuardDevice = 'isthmus-wg';

/** Network identifiers of both devices; they are the same in all clusters. */
export const nodeVNI = 7001;
export const gatewayVNI = 7002;

/** The table of the ranges of other clusters, for all packets. */
export const remoteTable = 7100;
/** The table of the ranges of this cluster's Nodes, for packets from other clusters. */
export const arrivingTable = 7101;
/** The table of the gateways of other clusters, for tunnel packets that are to be encrypted. */
export const encryptedTable = 7102;

/** The table that the Node has without an agent: `main`. */
export const mainTable = 254;

/**
 * The UDP port on which agents of different clusters ask each other whether their Pods are reached
 * without a tunnel. It is the same in all clusters.
 */
export const directPort = 8484;

/**
 * The UDP port of probes that measure the size of packets. Nothing listens on it: it is the port of
 * Discard (RFC 863), whose servers ignore what they get.
 */
export const sizeProbePort = 9;

/**
 * Before the rules of CNIs that route by the source of Pods, and after the rule of local addresses,
 * which is 0.
 */
export const arrivingPriority = 499;
export const remotePriority = 500;
/** Priorities of the rules for questions that take no tunnel, and for answers to them. */
export const directPriority = { dport: 495, sport: 496 } as const;
/**
 * Priorities of the rules for tunnel packets to be encrypted. `received` is for the reverse path
 * that a strict reverse path filter looks up.
 */
export const encryptedPriority = { sent: 497, received: 498 } as const;

/**
 * The overhead of VXLAN in bytes: the outer headers of IP, UDP and VXLAN, and the inner header of
 * Ethernet.
 */
function tunnelOverhead({ family }: Address): number {
  return outerHeader(family) + 8 + 8 + 14;
}

/** The overhead of WireGuard in bytes: the outer headers of IP and UDP, and its own 32 bytes. */
export function encryptionOverhead({ family }: Address): number {
  return outerHeader(family) + 8 + 32;
}

/** The size of the largest packet that a tunnel of a Node with this address carries, in bytes. */
export function tunnelMTU(
  device: TunnelDevice,
  { underlayMTU, wireGuardPort }: Pick<TunnelSettings, 'underlayMTU' | 'wireGuardPort'>,
  node: Address,
): number {
  const isEncrypted = device === gatewayDevice && wireGuardPort !== undefined;
  return underlayMTU - tunnelOverhead(node) - (isEncrypted ? encryptionOverhead(node) : 0);
}

const outerHeader = (family: Family) => (family === 'IPv4' ? 20 : 40);
