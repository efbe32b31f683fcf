import { Lease, Node, gatewayLeaseName } from '@isthmus/api';
import type { MemberSettings, VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { memberNamespace } from '@isthmus/fleet-sim';
import { rfc3339Micro } from '@isthmus/machinery';

/** The clusters of stories about networks. */
export const four = { north: 'leader', east: 'member', west: 'member', south: 'member' } as const;

/** Restarts the member with this configuration, and a Node that is its gateway. */
export function announce(cluster: VirtualCluster, settings: Partial<MemberSettings>): void {
  cluster.kill();
  cluster.start('member', settings);
  const number = { east: 1, west: 2, south: 3 }[cluster.name] ?? 100 + Number(cluster.name.replaceAll(/\D/g, ''));
  cluster.server.admin.put(Node, {
    metadata: { name: 'node-1', annotations: { 'multicluster.antrea.io/gateway': 'true' } },
    status: {
      addresses: [{ type: 'InternalIP', address: `192.0.2.${number}` }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
}

/** The agent on the gateway of {@link announce} renews its Lease, and reports in annotations. */
export function renewGatewayLease(
  { clock }: Pick<VirtualFleet, 'clock'>,
  { server }: VirtualCluster,
  annotations: Readonly<Record<string, string>>,
): void {
  const labels = { 'isthmus.dev/gateway-lease': 'true' };
  server.admin.put(Lease, {
    metadata: { namespace: memberNamespace, name: gatewayLeaseName('node-1'), labels, annotations },
    spec: { holderIdentity: 'node-1', leaseDurationSeconds: 30, renewTime: rfc3339Micro(clock.now()) },
  });
}
