import type { Address, Family } from '@isthmus/machinery';

/** The device of tunnels between the Nodes of one cluster. */
export const nodeDevice = 'isthmus-node';
/** The device of tunnels between gateways of different clusters. Only gateways have it. */
export const gatewayDevice = 'isthmus-gw';

export const tunnelDevices = [nodeDevice, gatewayDevice] as const;

/** The device that encrypts what gateways of different clusters send to each other. Only gateways have it, where the ClusterSet encrypts. */
export const wireGuardDevice = 'isthmus-wg';

/** Network identifiers of both; they are the same in all clusters. */
export const nodeVNI = 7001;
export const gatewayVNI = 7002;

/** Ranges of other clusters, for all packets. */
export const remoteTable = 7100;
/** Ranges of this cluster's Nodes, for packets from other clusters. */
export const arrivingTable = 7101;
/** Gateways of other clusters, for tunnel packets that are to be encrypted. */
export const encryptedTable = 7102;

/** The routes that the Node has without an agent: `main`. */
export const mainTable = 254;

/** The UDP port on which agents of different clusters ask each other whether their Pods are reached without a tunnel; the same in all clusters. */
export const directPort = 8484;

/** Before rules of CNIs that route by the source of Pods, and after that of local addresses, which is 0. */
export const arrivingPriority = 499;
export const remotePriority = 500;
/** Questions that take no tunnel, and answers to them. */
export const directPriority = { dport: 495, sport: 496 } as const;
/** Tunnel packets to be encrypted. The second one is the way back that a strict reverse path filter asks for. */
export const encryptedPriority = { sent: 497, received: 498 } as const;

/** What VXLAN adds: the outer header of IP, UDP, VXLAN, and the inner one of Ethernet. */
export function tunnelOverhead({ family }: Address): number {
  return outerHeader(family) + 8 + 8 + 14;
}

/** What WireGuard adds: the outer header of IP, UDP, and its own 32 bytes. */
export function encryptionOverhead({ family }: Address): number {
  return outerHeader(family) + 8 + 32;
}

const outerHeader = (family: Family) => (family === 'IPv4' ? 20 : 40);
