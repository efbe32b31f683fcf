import { ClusterSet, Gateway, Namespace, ResourceExport, ResourceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const pair = { north: 'leader', west: 'member' } as const;
const policy = { namespace: leaderNamespace, name: 'strict-namespace-isolation' };

function unsupported(cluster: VirtualCluster, namespace: string = memberNamespace): string | undefined {
  return reportedBy('Unsupported', cluster, namespace)?.message;
}

function reportedBy(type: string, cluster: VirtualCluster, namespace: string = memberNamespace) {
  const found = cluster.server.admin.get(ClusterSet, { namespace, name: clusterSetName });
  return conditionOf(found?.status?.conditions, type);
}

describe('a resource of an unknown kind that an administrator exports', () => {
  it('is reported on the ResourceExport and on the ClusterSet of the leader, until it is deleted', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const { admin } = fleet.leader.server;
    const spec = { kind: 'AntreaNetworkPolicy', name: policy.name, clusterNetworkPolicy: { priority: 1 } };
    admin.put(ResourceExport, { metadata: policy, spec });
    const reported = () => admin.get(ResourceExport, policy)?.status?.conditions?.[0];
    await fleet.until('it is reported', () => reported() !== undefined, 5_000);
    expect(reported()).toMatchObject({
      type: 'Failure',
      status: 'False',
      reason: 'KindNotSupported',
      message:
        'This version does not merge ResourceExports of kind "AntreaNetworkPolicy", so it is not published. It merges Service, Endpoints, ClusterInfo, LabelIdentity, AntreaClusterNetworkPolicy. Correct spec.kind, or delete the ResourceExport.',
    });
    await fleet.until('it is listed', () => unsupported(fleet.leader, leaderNamespace) !== undefined, 5_000);
    expect(unsupported(fleet.leader, leaderNamespace)).toBe(
      'This version does not act on: ResourceExports of kind "AntreaNetworkPolicy". Everything else works.',
    );
    expect(clusterSetCondition(fleet.leader, { namespace: leaderNamespace, name: clusterSetName })).toBe(
      'True AllClustersReady',
    );
    admin.delete(ResourceExport, policy);
    await fleet.until('it is gone', () => unsupported(fleet.leader, leaderNamespace) === undefined, 5_000);
  });

  it('and that an Antrea leader publishes is reported on the ClusterSet of the member', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    const spec = { kind: 'AntreaNetworkPolicy', name: policy.name, clusternetworkpolicy: { priority: 1 } };
    admin.put(ResourceImport, { metadata: policy, spec });
    await fleet.until('it is reported', () => unsupported(west) !== undefined, 5_000);
    expect(unsupported(west)).toBe(
      'This version does not act on: ResourceImports of kind "AntreaNetworkPolicy". Everything else works.',
    );
    expect(clusterSetCondition(west)).toBe('True Connected');
    admin.delete(ResourceImport, policy);
    await fleet.until('it is gone', () => unsupported(west) === undefined, 5_000);
  });
});

describe('a member', () => {
  it('whose endpoints are ClusterIPs reports on its ClusterSet that calls do not arrive, until there is a Gateway', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const { admin } = west.server;
    const reported = () => reportedBy('NoDataPlane', west);
    await fleet.until('it is reported', () => reported() !== undefined, 5_000);
    expect(reported()).toMatchObject({
      status: 'True',
      reason: 'NoGateway',
      message: expect.stringMatching(
        /^endpointIPType is ClusterIP: .* and Namespace kube-system has no Gateway\. /,
      ) as string,
    });
    expect(clusterSetCondition(west)).toBe('True Connected');
    const node1 = { namespace: memberNamespace, name: 'node-1' };
    admin.put(Gateway, { metadata: node1, gatewayIP: '192.0.2.1' });
    await fleet.until('it is gone', () => reported() === undefined, 5_000);
    west.kill();
    west.start('member');
    await fleet.clock.advance(30_000);
    expect(reported()).toBeUndefined();
    admin.delete(Gateway, node1);
    await fleet.until('it is reported again', () => reported() !== undefined, 5_000);
  });

  it('whose endpoints are Pod IPs reports no such thing', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    await fleet.clock.advance(30_000);
    expect(reportedBy('NoDataPlane', fleet.cluster('west'))).toBeUndefined();
  });
});

describe('a ClusterSet in a Namespace that no controller watches', () => {
  it('is reported on it within five seconds, with the Namespace to use', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const { admin } = west.server;
    const spec = admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })?.spec;
    admin.put(Namespace, { metadata: { name: 'elsewhere' } });
    admin.put(ClusterSet, { metadata: { namespace: 'elsewhere', name: 'mine' }, spec });
    const reported = () => eventsOf(west).filter((event) => event.startsWith('NotWatched '));
    await fleet.until('it is reported', () => reported().length > 0, 5_000);
    expect(reported()).toEqual([
      "NotWatched ClusterSet/mine: No controller watches ClusterSets in Namespace elsewhere, so this one has no effect. The member's controller of this cluster watches Namespace kube-system: create the ClusterSet there, and delete this one: kubectl -n elsewhere delete clusterset mine",
    ]);
    expect(admin.get(ClusterSet, { namespace: 'elsewhere', name: 'mine' })?.status).toBeUndefined();
    expect(clusterSetCondition(west)).toBe('True Connected');
  });

  it('is reported after half a minute where it is that of a leader, whose controller may be starting', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const { admin } = west.server;
    admin.put(Namespace, { metadata: { name: 'elsewhere' } });
    const spec = { clusterID: 'west', namespace: 'elsewhere', leaders: [{ clusterID: 'west' }] };
    admin.put(ClusterSet, { metadata: { namespace: 'elsewhere', name: 'mine' }, spec });
    const reported = () => eventsOf(west).filter((event) => event.startsWith('NotWatched '));
    await fleet.clock.advance(29_000);
    expect(reported()).toEqual([]);
    await fleet.until('it is reported', () => reported().length > 0, 2_000);
  });

  it('is not assumed where the controller of a leader serves it in the same cluster', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader+member', west: 'member' } });
    await fleet.clock.advance(120_000);
    expect(eventsOf(fleet.leader).filter((event) => event.startsWith('NotWatched '))).toEqual([]);
  });
});
