import { ClusterSet, Gateway, Service } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';

/** The Pod CIDRs that two clusters share. */
export const same = ['10.10.0.0/16'];
export const virtualAnnotation = 'isthmus.dev/virtual-pod-cidrs';
export const ledgerAnnotation = 'isthmus.dev/allotted-pod-cidrs';

/** Restarts the member with these Pod CIDRs, and a Gateway that names the data plane. */
export function announce(cluster: VirtualCluster, podCIDRs: readonly string[], dataPlane = 'isthmus'): void {
  cluster.kill();
  cluster.start('member', { podCIDRs });
  const number = { east: 1, west: 2, south: 3 }[cluster.name] ?? 9;
  cluster.server.admin.put(Gateway, {
    metadata: { name: 'node-1', namespace: memberNamespace, annotations: { 'isthmus.dev/dataplane': dataPlane } },
    gatewayIP: `192.0.2.${number}`,
    serviceCIDR: serviceCIDROf(cluster),
  });
}

/** The range of ClusterIPs of a virtual cluster. */
export function serviceCIDROf({ server }: VirtualCluster): string {
  const { clusterIP = '' } = server.admin.get(Service, { namespace: 'default', name: 'kubernetes' })?.spec ?? {};
  return `${clusterIP.split('.').slice(0, 2).join('.')}.0.0/16`;
}

export const clusterSetOf = ({ server, name }: VirtualCluster): ClusterSet | undefined =>
  server.admin.get(ClusterSet, {
    namespace: name === 'north' ? leaderNamespace : memberNamespace,
    name: clusterSetName,
  });
export const ledgerOf = (fleet: VirtualFleet): string =>
  clusterSetOf(fleet.leader)?.metadata.annotations?.[ledgerAnnotation] ?? '';
export const conditionOn = (fleet: VirtualFleet, cluster: string, type: string): ReturnType<typeof conditionOf> =>
  conditionOf(clusterSetOf(fleet.cluster(cluster))?.status?.conditions, type);
