import { ClusterClaim, ClusterSet, CustomResourceDefinition, Namespace } from '@isthmus/api';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  exportCart,
  exportCondition,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const definition = { name: 'clusterclaims.multicluster.crd.antrea.io' };
const leaderRef = { namespace: leaderNamespace, name: clusterSetName };
const memberRef = { namespace: memberNamespace, name: clusterSetName };

/** Stops serving the kind, and removes its objects. Returns a function that serves it again. */
function unserve({ server: { admin } }: VirtualCluster): () => void {
  const crd = admin.get(CustomResourceDefinition, definition);
  if (crd === undefined) throw new Error('ClusterClaim is not served');
  admin.delete(CustomResourceDefinition, definition);
  return () => {
    const { name, labels, annotations } = crd.metadata;
    admin.put(CustomResourceDefinition, {
      ...crd,
      metadata: { name, labels, annotations },
    });
  };
}

describe('clusters that do not serve ClusterClaim', () => {
  it('are joined and served by the cluster ID of the spec alone', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', east: 'member', west: 'member' },
      join: false,
    });
    for (const cluster of fleet.clusters) unserve(cluster);
    await fleet.clock.settle();
    fleet.join();
    for (const cluster of fleet.clusters) cluster.start();
    const west = fleet.cluster('west');
    await fleet.until('west is joined', () => clusterSetCondition(west) === 'True Connected', 10_000);
    await fleet.until(
      'and seen',
      () => clusterSetCondition(fleet.leader, leaderRef) === 'True AllClustersReady',
      10_000,
    );
    fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportCart(west, '10.20.1.5', westPorts);
    await fleet.until('east imports', () => importedSlices(fleet.cluster('east')).length === 1, 10_000);
    await fleet.until('the exporter knows', () => exportCondition(west, 'Ready') === 'True Exported', 10_000);
    expect(fleet.clusters.flatMap(({ log }) => log.entries.filter(({ level }) => level === 'warn'))).toEqual([]);
  });

  it('read claims once they serve the kind, without a restart', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    const west = fleet.cluster('west');
    const serve = fleet.clusters.map(unserve);
    await fleet.clock.settle();
    fleet.join();
    fleet.leader.server.admin.patch(ClusterSet, leaderRef, { spec: { clusterID: null } });
    west.server.admin.patch(ClusterSet, memberRef, { spec: { clusterID: null } });
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.until('the member waits', () => clusterSetCondition(west) === 'False ClusterIDNotSet');
    await fleet.until(
      'so does the leader',
      () => clusterSetCondition(fleet.leader, leaderRef) === 'False ClusterIDNotSet',
    );
    for (const again of serve) again();
    await fleet.clock.settle();
    const claim = (namespace: string, value: string) => ({ metadata: { name: 'id.k8s.io', namespace }, value });
    fleet.leader.server.admin.put(ClusterClaim, claim(leaderNamespace, 'north'));
    west.server.admin.put(ClusterClaim, claim(memberNamespace, 'west'));
    await fleet.until('the member joins', () => clusterSetCondition(west) === 'True Connected', 40_000);
    expect(west.server.admin.get(ClusterSet, memberRef)?.spec?.clusterID).toBe('west');
    await fleet.until(
      'the leader serves',
      () => clusterSetCondition(fleet.leader, leaderRef) === 'True AllClustersReady',
      40_000,
    );
    expect(fleet.leader.server.admin.get(ClusterSet, leaderRef)?.spec?.clusterID).toBe('north');
  });

  it('forget claims with the kind when it goes while the controllers run', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    const west = fleet.cluster('west');
    fleet.join();
    west.server.admin.patch(ClusterSet, memberRef, { spec: { clusterID: null } });
    west.server.admin.put(ClusterClaim, {
      metadata: { name: 'id.k8s.io', namespace: memberNamespace },
      value: 'Not an ID',
    });
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.until('the claim counts', () => clusterSetCondition(west) === 'False InvalidClusterID');
    unserve(west);
    await fleet.until('it is forgotten', () => clusterSetCondition(west) === 'False ClusterIDNotSet', 40_000);
    west.server.admin.patch(ClusterSet, memberRef, { spec: { clusterID: 'west' } });
    await fleet.until('the member joins', () => clusterSetCondition(west) === 'True Connected', 40_000);
  });
});
