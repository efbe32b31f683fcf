import { ClusterNetworkPolicy, ResourceExport, Tier } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { leaderNamespace, putDefinition } from '@isthmus/fleet-sim';

/** Strict isolation of Namespaces, as in Antrea's guide. */
export const strictIsolation = {
  priority: 1,
  tier: 'securityops',
  appliedTo: [{ namespaceSelector: {} }],
  ingress: [
    {
      action: 'Pass',
      from: [{ namespaces: { match: 'Self' } }, { podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
    },
    { action: 'Drop', from: [{ namespaceSelector: {} }] },
  ],
};

/** Serves the kinds of Antrea's policies, in one version. */
export function servePolicies({ server }: VirtualCluster, version = 'v1beta1'): void {
  putDefinition(server, { ...ClusterNetworkPolicy, version });
  putDefinition(server, { ...Tier, version });
}

export function putTier({ server }: VirtualCluster, name: string, version = 'v1beta1'): void {
  server.admin.put({ ...Tier, version }, { metadata: { name }, spec: { priority: 100 } });
}

/** Writes what an administrator writes on the leader. */
export function exportPolicy({ leader }: VirtualFleet, name: string, spec: object = strictIsolation): void {
  leader.server.admin.put(ResourceExport, {
    metadata: { name, namespace: leaderNamespace },
    spec: { kind: 'AntreaClusterNetworkPolicy', name, clusterNetworkPolicy: spec as typeof strictIsolation },
  });
}

export function policyOf(
  { server }: VirtualCluster,
  name: string,
  version = 'v1beta1',
): ClusterNetworkPolicy | undefined {
  return server.admin.get({ ...ClusterNetworkPolicy, version }, { name: `antrea-mc-${name}` });
}
