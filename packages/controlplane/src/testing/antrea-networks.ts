import { ClusterInfoImport, ResourceExport, ResourceImport } from '@isthmus/api';
import type { ClusterInfo } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { clusterSetCondition, createVirtualFleet, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { equal } from '@isthmus/machinery';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';

/** A fleet under an Antrea leader, which publishes networks as they are announced. */
export async function fleetUnderAntrea(members: readonly string[]): Promise<VirtualFleet> {
  const clusters = {
    north: 'leader',
    ...Object.fromEntries(members.map((name) => [name, 'member'] as const)),
  } as const;
  const fleet = await createVirtualFleet({ clusters, antreaCrds: true, join: false });
  runAntreaLeader(fleet);
  publishNetworks(fleet);
  fleet.join();
  return fleet;
}

export async function connected(fleet: VirtualFleet, members: readonly string[]): Promise<void> {
  await fleet.until('all are connected', () =>
    members.every((name) => clusterSetCondition(fleet.cluster(name)) === 'True Connected'),
  );
}

/** An Antrea leader does not judge networks, and writes no annotation (docs/spec/wire.md §8.4). */
function publishNetworks({ leader: { server } }: VirtualFleet): void {
  const { admin } = server;
  admin.onChange(({ resource, before, after }) => {
    const found: ResourceExport | undefined = after ?? before;
    if (!resource.endsWith('/resourceexports') || found?.spec?.kind !== 'ClusterInfo') return;
    const ref = { namespace: leaderNamespace, name: found.metadata.name };
    const published = admin.get(ResourceImport, ref);
    if (after === undefined || after.metadata.deletionTimestamp !== undefined) {
      if (published !== undefined) admin.delete(ResourceImport, ref);
      return;
    }
    const spec = { kind: 'ClusterInfo', ...ref, clusterinfo: found.spec.clusterInfo } as const;
    if (!equal(published?.spec, spec)) admin.put(ResourceImport, { metadata: published?.metadata ?? ref, spec });
  });
}

/** The network of another cluster, as it is imported. */
export function networkIn({ server: { admin } }: VirtualCluster, of: string): ClusterInfo | undefined {
  return admin.get(ClusterInfoImport, { namespace: memberNamespace, name: `${of}-clusterinfo` })?.spec;
}

/** A write with the token of a member: any network in its own export. */
export function claim(fleet: VirtualFleet, cluster: string, clusterInfo: ClusterInfo): void {
  const ref = { namespace: leaderNamespace, name: `${cluster}-clusterinfo` };
  fleet.leader.server.admin.patch(ResourceExport, ref, { spec: { clusterInfo } });
}
