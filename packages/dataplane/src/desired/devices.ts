import type { Address } from '@isthmus/machinery';

/** The device of tunnels between the Nodes of one cluster. */
export const nodeDevice = 'isthmus-node';
/** The device of tunnels between gateways of different clusters. Only gateways have it. */
export const gatewayDevice = 'isthmus-gw';

/** Network identifiers of both; they are the same in all clusters. */
export const nodeVNI = 7001;
export const gatewayVNI = 7002;

/** Ranges of other clusters, for all packets. */
export const remoteTable = 7100;
/** Ranges of this cluster's Nodes, for packets from other clusters. */
export const arrivingTable = 7101;

/** Before rules of CNIs that route by the source of Pods, and after that of local addresses, which is 0. */
export const arrivingPriority = 499;
export const remotePriority = 500;

/** What VXLAN adds: the outer header of IP, UDP, VXLAN, and the inner one of Ethernet. */
export function tunnelOverhead({ family }: Address): number {
  return (family === 'IPv4' ? 20 : 40) + 8 + 8 + 14;
}
