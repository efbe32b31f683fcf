import { ClusterInfoImport, ClusterSet, Gateway, Node } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/testkit';
import { clusterSetName, createVirtualFleet, eventsOf, leaderNamespace, memberNamespace } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const mark = { 'multicluster.antrea.io/gateway': 'true' };

function putNode(cluster: VirtualCluster, name: string, annotations: Record<string, string> = mark): void {
  const number = name.slice(-1);
  cluster.server.admin.put(Node, {
    metadata: { name, annotations },
    status: {
      addresses: [
        { type: 'InternalIP', address: `192.0.2.${number}` },
        { type: 'ExternalIP', address: `203.0.113.${number}` },
      ],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
}

function setReady(cluster: VirtualCluster, name: string, status: 'True' | 'Unknown'): void {
  cluster.server.admin.patch(Node, { name }, { status: { conditions: [{ type: 'Ready', status }] } });
}

const gatewaysOf = (cluster: VirtualCluster) => cluster.server.admin.list(Gateway).map(({ metadata }) => metadata.name);
const networkOfWest = (fleet: VirtualFleet) =>
  fleet.cluster('east').server.admin.get(ClusterInfoImport, { namespace: memberNamespace, name: 'west-clusterinfo' });
const seenByEast = (fleet: VirtualFleet) =>
  networkOfWest(fleet)
    ?.spec?.gatewayInfos?.map(({ gatewayIP }) => gatewayIP)
    .join(' ');

async function fleetWithTwoNodes(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  for (const name of ['node-1', 'node-2']) putNode(fleet.cluster('west'), name);
  await fleet.until('east knows both', () => seenByEast(fleet) === '192.0.2.1 192.0.2.2');
  return fleet;
}

describe('a Node that is marked as a gateway', () => {
  it('becomes the Gateway of its cluster, with the Service CIDR of its API server, and the other clusters know it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    putNode(west, 'node-1');
    await fleet.until('there is a Gateway', () => gatewaysOf(west).length > 0, 5_000);
    expect(west.server.admin.get(Gateway, { namespace: memberNamespace, name: 'node-1' })).toMatchObject({
      gatewayIP: '192.0.2.1',
      internalIP: '192.0.2.1',
      serviceCIDR: expect.stringMatching(/^10\.\d+\.0\.0\/\d+$/) as string,
    });
    await fleet.until('east knows it', () => seenByEast(fleet) === '192.0.2.1', 5_000);
    const found = west.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    expect(conditionOf(found?.status?.conditions, 'NoDataPlane')).toBeUndefined();
    west.server.admin.patch(Node, { name: 'node-1' }, { metadata: { annotations: null } });
    await fleet.until('it is gone', () => gatewaysOf(west).length === 0 && networkOfWest(fleet) === undefined, 5_000);
  });

  it('has the Service CIDR that the API server names when it rejects an address, where it serves no ServiceCIDRs', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    fleet.link('west-member', 'west').add({
      match: ({ path }) => path.includes('/servicecidrs'),
      fault: { kind: 'status', code: 404 },
    });
    putNode(west, 'node-1');
    await fleet.until('there is a Gateway', () => gatewaysOf(west).length > 0, 5_000);
    const [gateway] = west.server.admin.list(Gateway);
    expect(gateway?.serviceCIDR).toMatch(/^10\.\d+\.0\.0\/\d+$/);
  });

  it('hands over when it is not ready any more, and the other clusters never lose the network', async () => {
    await using fleet = await fleetWithTwoNodes();
    const west = fleet.cluster('west');
    const { uid } = networkOfWest(fleet)?.metadata ?? {};
    const seen = new Set<string>();
    setReady(west, 'node-1', 'Unknown');
    for (let step = 0; step < 500; step++) {
      await fleet.clock.advance(20);
      seen.add(`${gatewaysOf(west).join('+')}: ${seenByEast(fleet) ?? 'gone'}`);
    }
    expect([...seen].at(-1)).toBe('node-2: 192.0.2.2');
    expect([...seen].filter((one) => one.startsWith(':') || one.endsWith('gone'))).toEqual([]);
    expect(networkOfWest(fleet)?.metadata.uid).toBe(uid);
    setReady(west, 'node-1', 'True');
    await fleet.until('node-1 can take over again', () => seenByEast(fleet) === '192.0.2.2 192.0.2.1', 10_000);
    expect(gatewaysOf(west)).toEqual(['node-2']);
  });

  it('keeps its Gateway while no other Node can take over, and while the leader is away', async () => {
    await using fleet = await fleetWithTwoNodes();
    const west = fleet.cluster('west');
    fleet.leader.kill();
    setReady(west, 'node-1', 'Unknown');
    await fleet.until('node-2 is the Gateway', () => gatewaysOf(west).join() === 'node-2', 10_000);
    setReady(west, 'node-2', 'Unknown');
    await fleet.clock.advance(60_000);
    expect(gatewaysOf(west)).toEqual(['node-2']);
  });

  it('has its Gateway again where somebody deletes it by hand', async () => {
    await using fleet = await fleetWithTwoNodes();
    const west = fleet.cluster('west');
    west.server.admin.delete(Gateway, { namespace: memberNamespace, name: 'node-1' });
    await fleet.until('there is one', () => gatewaysOf(west).join() === 'node-1', 10_000);
  });

  it('is adopted after a restart, and gives its Gateway up when the cluster leaves', async () => {
    await using fleet = await fleetWithTwoNodes();
    const west = fleet.cluster('west');
    setReady(west, 'node-1', 'Unknown');
    await fleet.until('node-2 is the Gateway', () => gatewaysOf(west).join() === 'node-2', 10_000);
    setReady(west, 'node-1', 'True');
    west.kill();
    west.start('member');
    await fleet.clock.advance(30_000);
    expect(gatewaysOf(west)).toEqual(['node-2']);
    const clusterSet = { namespace: memberNamespace, name: clusterSetName };
    west.server.admin.delete(ClusterSet, clusterSet);
    await fleet.until('west has left', () => west.server.admin.get(ClusterSet, clusterSet) === undefined, 120_000);
    expect(gatewaysOf(west)).toEqual([]);
  });

  it('without an address, or with a mark that does not count, is reported on the Node', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    west.server.admin.put(Node, { metadata: { name: 'node-1', annotations: mark } });
    putNode(west, 'node-2', { 'multicluster.antrea.io/gateway': 'yes' });
    putNode(west, 'node-3', { 'multicluster.antrea.io/gateway': 'false' });
    const reported = () => eventsOf(west).filter((event) => event.includes(' Node/'));
    await fleet.until('both are reported', () => reported().length >= 2, 5_000);
    expect(reported().toSorted()).toEqual([
      'GatewayMarkIgnored Node/node-2: The value of annotation multicluster.antrea.io/gateway must be "true" to make the Node a gateway.',
      'GatewayNotPossible Node/node-1: The Node is marked as a gateway, but it has no address of type InternalIP.',
    ]);
    expect(gatewaysOf(west)).toEqual([]);
  });

  it('is used by nobody where a person made a Gateway for another Node', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    west.server.admin.put(Gateway, { metadata: { namespace: memberNamespace, name: 'mine' }, gatewayIP: '192.0.2.9' });
    putNode(west, 'node-1');
    await fleet.until('east knows both', () => seenByEast(fleet) === '192.0.2.9 192.0.2.1', 10_000);
    expect(gatewaysOf(west)).toEqual(['mine']);
  });
});

it('a Gateway of a Node makes a cluster with gatewayIPPrecedence: public reachable by its ExternalIP', async () => {
  await using fleet = await createVirtualFleet({ clusters: three });
  const west = fleet.cluster('west');
  west.kill();
  west.start('member', { gatewayIPPrecedence: 'public' });
  putNode(west, 'node-1');
  await fleet.until('east knows it', () => seenByEast(fleet) === '203.0.113.1', 60_000);
  expect(fleet.leader.server.admin.list(Gateway, leaderNamespace)).toEqual([]);
});
