import {
  ClusterInfoImport,
  ClusterSet,
  CustomResourceDefinition,
  Gateway,
  Lease,
  Node,
  ResourceExport,
  ServiceCIDR,
  gatewayLeaseName,
} from '@isthmus/api';
import { conditionOf, rfc3339Micro } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportCart,
  exportCondition,
  exportMessage,
  grantAnything,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
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

  it('is reported where the API server does not name its Service CIDR, and the configuration has none', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    const link = fleet.link('west-member', 'west');
    link.add({ match: ({ path }) => path.includes('/servicecidrs'), fault: { kind: 'status', code: 404 } });
    link.add({
      match: ({ path, method }) => method === 'POST' && path.endsWith('/services'),
      fault: { kind: 'status', code: 403 },
    });
    putNode(west, 'node-1');
    const reported = () => eventsOf(west).filter((event) => event.startsWith('ServiceCIDRUnknown'));
    await fleet.until('it is reported', () => reported().length > 0, 5_000);
    await fleet.clock.advance(60_000);
    expect(reported()).toEqual([
      'ServiceCIDRUnknown Gateway/node-1: The Service CIDR of this cluster is not known, and agents of Antrea in other clusters do not use a network without one. Set serviceCIDR in the configuration of this controller.',
    ]);
    west.kill();
    west.start('member', { serviceCIDR: '10.96.0.0/12' });
    await fleet.until('it is known', () => networkOfWest(fleet)?.spec?.serviceCIDR === '10.96.0.0/12', 60_000);
    expect(west.server.admin.list(Gateway)[0]?.serviceCIDR).toBe('10.96.0.0/12');
  });

  it('follows the Service CIDR of its API server within ten minutes, and keeps the last one while it is not known', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    grantAnything(fleet, 'west');
    const west = fleet.cluster('west');
    putNode(west, 'node-1');
    await fleet.until('there is a Gateway', () => gatewaysOf(west).length > 0, 5_000);
    const announced = () => networkOfWest(fleet)?.spec?.serviceCIDR;
    const before = announced();
    const link = fleet.link('west-member', 'west');
    const mend = link.add({
      match: ({ path }) => path.includes('/servicecidrs'),
      fault: { kind: 'status', code: 500 },
    });
    await fleet.clock.advance(1_200_000);
    expect(announced()).toBe(before);
    mend();
    west.server.admin.delete(ServiceCIDR, { name: 'kubernetes' });
    west.server.admin.put(ServiceCIDR, { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.150.0.0/16'] } });
    await fleet.until('it is the new one', () => announced() === '10.150.0.0/16', 660_000);
  });

  it('announces one Service CIDR, and exports whose ClusterIP is in another one report it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    const message = () => exportMessage(west, 'Ready');
    await fleet.until('it is exported', () => message() !== '', 5_000);
    expect(message()).not.toContain('Service CIDR');
    west.server.admin.put(Gateway, {
      metadata: { namespace: memberNamespace, name: 'by-hand' },
      gatewayIP: '192.0.2.9',
      serviceCIDR: '10.200.0.0/16',
    });
    await fleet.until('it is reported', () => message().includes('is not in 10.200.0.0/16, the Service CIDR'), 5_000);
    expect(exportCondition(west, 'Ready')).toBe('True Exported');
    west.server.admin.delete(Gateway, { namespace: memberNamespace, name: 'by-hand' });
    putNode(west, 'node-1');
    await fleet.until('it is not reported any more', () => !message().includes('Service CIDR'), 5_000);
  });

  it('becomes the Gateway once its API server can be asked for the Service CIDR', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    const mend = fleet.link('west-member', 'west').add({
      match: ({ path }) => path.includes('/servicecidrs'),
      fault: { kind: 'status', code: 500 },
    });
    putNode(west, 'node-1');
    await fleet.clock.advance(30_000);
    expect(gatewaysOf(west)).toEqual([]);
    mend();
    await fleet.until('there is a Gateway', () => gatewaysOf(west).length > 0, 120_000);
    expect(west.server.admin.list(Gateway)[0]?.serviceCIDR).toMatch(/^10\.\d+\.0\.0\/\d+$/);
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

  it('that fails while the leader is away is replaced in the other clusters when it is back', async () => {
    await using fleet = await fleetWithTwoNodes();
    fleet.leader.kill();
    const answer = fleet.link('west-member', 'north').add({ match: () => true, fault: { kind: 'status', code: 503 } });
    setReady(fleet.cluster('west'), 'node-1', 'Unknown');
    await fleet.clock.advance(60_000);
    expect(seenByEast(fleet)).toBe('192.0.2.1 192.0.2.2');
    answer();
    fleet.leader.start();
    await fleet.until('east knows node-2', () => seenByEast(fleet) === '192.0.2.2', 60_000);
  });

  it('that is gone when its controller starts again takes its Gateway and the network with it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    putNode(west, 'node-1');
    await fleet.until('east knows it', () => networkOfWest(fleet) !== undefined);
    west.kill();
    west.server.admin.delete(Node, { name: 'node-1' });
    west.start('member');
    await fleet.until('nothing is left', () => networkOfWest(fleet) === undefined && gatewaysOf(west).length === 0);
    expect(fleet.leader.server.admin.list(ResourceExport)).toEqual([]);
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
      'GatewayMarkIgnored Node/node-2: Annotation multicluster.antrea.io/gateway is "yes"; only "true" makes the Node a gateway. Run: kubectl annotate node node-2 --overwrite multicluster.antrea.io/gateway=true',
      'GatewayNotPossible Node/node-1: The Node is marked as a gateway, but it has no address of type InternalIP.',
    ]);
    expect(gatewaysOf(west)).toEqual([]);
  });

  it('with a mistyped annotation of a gateway is reported, whether it is one or not', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    putNode(west, 'node-1', { 'multicluster.antrea.io/gateways': 'true', 'multicluster.antrea.io/other': 'x' });
    putNode(west, 'node-2', { ...mark, 'multicluster.antrea.io/gatewayIP': '198.51.100.7' });
    const reported = () => eventsOf(west).filter((event) => event.includes('GatewayMarkIgnored'));
    await fleet.until('both are reported', () => reported().length >= 2, 5_000);
    const cure = (annotation: string, node: string) =>
      `GatewayMarkIgnored Node/${node}: Annotation "multicluster.antrea.io/${annotation}" has no effect; the annotations of gateways are multicluster.antrea.io/gateway and multicluster.antrea.io/gateway-ip. Remove it: kubectl annotate node ${node} multicluster.antrea.io/${annotation}-`;
    expect(reported().toSorted()).toEqual([cure('gateways', 'node-1'), cure('gatewayIP', 'node-2')]);
    expect(gatewaysOf(west)).toEqual(['node-2']);
  });

  it('with a label in place of the annotation is reported, and not with both', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    for (const name of ['node-1', 'node-2']) {
      putNode(west, name, name === 'node-1' ? {} : mark);
      west.server.admin.patch(Node, { name }, { metadata: { labels: mark } });
    }
    const reported = () => eventsOf(west).filter((event) => event.includes('GatewayMarkIgnored'));
    await fleet.until('the label is reported', () => reported().length > 0, 5_000);
    expect(reported()).toEqual([
      'GatewayMarkIgnored Node/node-1: Label multicluster.antrea.io/gateway has no effect, because gateways are marked by annotations. Run: kubectl label node node-1 multicluster.antrea.io/gateway- && kubectl annotate node node-1 multicluster.antrea.io/gateway=true',
    ]);
  });

  it('reports, with an address that is not valid, what its Gateway keeps', async () => {
    await using fleet = await fleetWithTwoNodes();
    const west = fleet.cluster('west');
    for (const name of ['node-1', 'node-2'])
      west.server.admin.patch(
        Node,
        { name },
        { metadata: { annotations: { 'multicluster.antrea.io/gateway-ip': '203.0.113.9/32' } } },
      );
    const reported = () => eventsOf(west).filter((event) => event.includes('GatewayNotPossible'));
    await fleet.until('both are reported', () => reported().length >= 2, 5_000);
    const [kept] = gatewaysOf(west);
    expect(reported().find((event) => event.includes(`Node/${kept}:`))).toContain(
      ` not "203.0.113.9/32". Gateway ${kept} keeps the address "192.0.2.${kept?.slice(-1)}".`,
    );
  });

  it('has its new addresses in the Gateway and in the other clusters, in place, and keeps the last valid ones', async () => {
    await using fleet = await fleetWithTwoNodes();
    const west = fleet.cluster('west');
    const ref = { namespace: memberNamespace, name: 'node-1' };
    const uids = () => [west.server.admin.get(Gateway, ref)?.metadata.uid, networkOfWest(fleet)?.metadata.uid];
    const before = uids();
    const setAddresses = (...addresses: readonly string[]) =>
      west.server.admin.patch(
        Node,
        { name: 'node-1' },
        { status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) } },
      );
    setAddresses('192.0.2.7');
    await fleet.until('east knows the new address', () => seenByEast(fleet) === '192.0.2.7 192.0.2.2', 5_000);
    expect(west.server.admin.get(Gateway, ref)).toMatchObject({ gatewayIP: '192.0.2.7', internalIP: '192.0.2.7' });
    west.server.admin.patch(
      Node,
      { name: 'node-1' },
      { metadata: { annotations: { 'multicluster.antrea.io/gateway-ip': '198.51.100.7' } } },
    );
    await fleet.until('east knows the given address', () => seenByEast(fleet) === '198.51.100.7 192.0.2.2', 5_000);
    expect(uids()).toEqual(before);
    // It can no longer be a gateway, and the other one can.
    setAddresses('none');
    await fleet.until('node-2 takes over', () => seenByEast(fleet) === '192.0.2.2', 5_000);
    west.server.admin.patch(Node, { name: 'node-2' }, { status: { addresses: [] } });
    await fleet.clock.advance(20_000);
    expect([gatewaysOf(west), seenByEast(fleet)]).toEqual([['node-2'], '192.0.2.2']);
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

describe('a Gateway with an address that is not valid', () => {
  const put = (west: VirtualCluster, gatewayIP: string) =>
    west.server.admin.put(Gateway, { metadata: { namespace: memberNamespace, name: 'mine' }, gatewayIP });

  it('is reported on it once, and not exported until it is corrected', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    put(west, 'gateway.example');
    const reported = () => eventsOf(west).filter((event) => event.startsWith('InvalidGatewayIP'));
    await fleet.until('it is reported', () => reported().length > 0, 5_000);
    await fleet.clock.advance(30_000);
    expect(reported()).toEqual([
      'InvalidGatewayIP Gateway/mine: gatewayIP "gateway.example" is not an IP address, so other clusters do not use this Gateway.',
    ]);
    expect(networkOfWest(fleet)).toBeUndefined();
    put(west, '192.0.2.9');
    await fleet.until('east knows it', () => seenByEast(fleet) === '192.0.2.9', 5_000);
  });

  it('is not published where a member announces it all the same', async () => {
    await using fleet = await fleetWithTwoNodes();
    const west = fleet.cluster('west');
    west.kill();
    const { admin } = fleet.leader.server;
    const ref = { namespace: leaderNamespace, name: 'west-clusterinfo' };
    const announce = (...ips: readonly string[]) =>
      admin.patch(ResourceExport, ref, {
        spec: { clusterInfo: { gatewayInfos: ips.map((gatewayIP) => ({ gatewayIP })) } },
      });
    const answer = () => admin.get(ResourceExport, ref)?.status?.conditions?.[0];
    announce('x', '192.0.2.2', '127.0.0.1');
    await fleet.until('the valid one is used', () => seenByEast(fleet) === '192.0.2.2', 5_000);
    expect(answer()).toMatchObject({
      type: 'Succeeded',
      message: expect.stringContaining('Left out: gatewayInfos[0]') as string,
    });
    announce('x');
    await fleet.until('nothing is published', () => networkOfWest(fleet) === undefined, 5_000);
    expect(answer()).toMatchObject({
      type: 'Failure',
      message: expect.stringContaining('no gateway with a usable') as string,
    });
  });
});

describe('the Lease of a Node that is marked as a gateway', () => {
  const keyOf = (name: string) => Buffer.alloc(32, name).toString('base64');
  const ref = (name: string) => ({ namespace: memberNamespace, name: gatewayLeaseName(name) });
  /** As the agent does, whose clock is a day slow. */
  function beat(fleet: VirtualFleet, ...names: readonly string[]): void {
    for (const name of names)
      fleet.cluster('west').server.admin.put(Lease, {
        metadata: {
          ...ref(name),
          labels: { 'isthmus.dev/gateway-lease': 'true' },
          annotations: { 'isthmus.dev/public-key': keyOf(name) },
        },
        spec: {
          holderIdentity: name,
          leaseDurationSeconds: 5,
          renewTime: rfc3339Micro(fleet.clock.now() - 86_400_000),
        },
      });
  }
  async function beatFor(fleet: VirtualFleet, seconds: number, ...names: readonly string[]): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      beat(fleet, ...names);
      await fleet.clock.advance(1_000);
    }
  }
  const reportedOn = (fleet: VirtualFleet, reason: string) =>
    eventsOf(fleet.cluster('west')).filter((event) => event.startsWith(reason));
  async function fleetWithLeases(): Promise<VirtualFleet> {
    const fleet = await createVirtualFleet({ clusters: three });
    for (const name of ['node-1', 'node-2']) putNode(fleet.cluster('west'), name);
    await beatFor(fleet, 5, 'node-1', 'node-2');
    return fleet;
  }

  it('gives the other clusters its key; it hands over when it expires, although the Node is ready, and is back with the next renewal', async () => {
    await using fleet = await fleetWithLeases();
    expect(networkOfWest(fleet)?.spec).toMatchObject({
      gatewayInfos: [{ gatewayIP: '192.0.2.1' }, { gatewayIP: '192.0.2.2', publicKey: keyOf('node-2') }],
      wireGuard: { publicKey: keyOf('node-1') },
    });
    const { uid } = networkOfWest(fleet)?.metadata ?? {};
    await beatFor(fleet, 7, 'node-2');
    expect(networkOfWest(fleet)?.spec).toMatchObject({
      gatewayInfos: [{ gatewayIP: '192.0.2.2' }],
      wireGuard: { publicKey: keyOf('node-2') },
    });
    expect([networkOfWest(fleet)?.metadata.uid, gatewaysOf(fleet.cluster('west'))]).toEqual([uid, ['node-2']]);
    expect(reportedOn(fleet, 'GatewayNotAlive')).toEqual([
      'GatewayNotAlive Node/node-1: The agent on the Node does not renew Lease isthmus-gateway-node-1, so the Node is not used as a gateway while another one can be.',
    ]);
    await beatFor(fleet, 3, 'node-1', 'node-2');
    expect(seenByEast(fleet)).toBe('192.0.2.2 192.0.2.1');
    expect(reportedOn(fleet, 'GatewayActive')).toEqual([
      'GatewayActive Node/node-1: The Node is now the gateway of this cluster.',
      'GatewayActive Node/node-2: The Node is now the gateway of this cluster.',
    ]);
  });

  it('that is given back hands over at once, and one that is deleted leaves the Node its condition', async () => {
    await using fleet = await fleetWithLeases();
    const { admin } = fleet.cluster('west').server;
    admin.patch(Lease, ref('node-1'), { spec: { holderIdentity: '' } });
    await fleet.until('node-2 takes over', () => seenByEast(fleet) === '192.0.2.2', 2_000);
    admin.delete(Lease, ref('node-1'));
    await fleet.until('node-1 can take over', () => seenByEast(fleet) === '192.0.2.2 192.0.2.1', 2_000);
  });

  it.each(['silence', 'refuse'] as const)('does not expire while its API server is away (%s)', async (how) => {
    await using fleet = await fleetWithLeases();
    const link = fleet.link('west-member', 'west');
    link.cut(how);
    await fleet.clock.advance(120_000);
    expect(seenByEast(fleet)).toBe('192.0.2.1 192.0.2.2');
    link.heal();
    await beatFor(fleet, 40, 'node-1', 'node-2');
    expect(seenByEast(fleet)).toBe('192.0.2.1 192.0.2.2');
    await fleet.until('both have expired', () => reportedOn(fleet, 'GatewayNotAlive').length === 2, 10_000);
    // The last one stays, since no other can take over.
    expect(seenByEast(fleet)).toMatch(/^192\.0\.2\.[12]$/);
  });

  it('with a key or an address that is not valid is reported on the Node', async () => {
    await using fleet = await fleetWithLeases();
    fleet.cluster('west').server.admin.patch(Lease, ref('node-2'), {
      metadata: { annotations: { 'multicluster.antrea.io/gateway-ip': 'x', 'isthmus.dev/public-key': 'y' } },
    });
    await beatForOthers(fleet);
    expect(reportedOn(fleet, 'GatewayLeaseIgnored')).toEqual([
      'GatewayLeaseIgnored Node/node-2: A part of Lease isthmus-gateway-node-2 is not used: annotation multicluster.antrea.io/gateway-ip "x" is not an IP address and annotation isthmus.dev/public-key is not a WireGuard public key (32 bytes in base64).',
    ]);
    expect(networkOfWest(fleet)?.spec?.gatewayInfos).toEqual([{ gatewayIP: '192.0.2.1' }, { gatewayIP: '192.0.2.2' }]);
  });

  it('has a key that is not written again and again to a leader whose definitions drop it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const { admin } = fleet.leader.server;
    const name = 'resourceexports.multicluster.crd.antrea.io';
    const crd = admin.get(CustomResourceDefinition, { name });
    const isOurs = (value: unknown) => String((value as { description?: string }).description).startsWith('Extension');
    const older = JSON.stringify(crd?.spec, (key, value: unknown) =>
      key === 'publicKey' && isOurs(value) ? undefined : value,
    );
    admin.patch(CustomResourceDefinition, { name }, { spec: JSON.parse(older) as object });
    for (const node of ['node-1', 'node-2']) putNode(fleet.cluster('west'), node);
    await beatFor(fleet, 5, 'node-1', 'node-2');
    expect(networkOfWest(fleet)?.spec).toMatchObject({ wireGuard: { publicKey: keyOf('node-1') } });
    const exported = () => admin.get(ResourceExport, { namespace: leaderNamespace, name: 'west-clusterinfo' });
    expect(exported()?.spec?.clusterInfo?.gatewayInfos).toEqual([
      { gatewayIP: '192.0.2.1' },
      { gatewayIP: '192.0.2.2' },
    ]);
    const writes = () => fleet.leader.server.requestLog().filter((line) => /PATCH.*west-clusterinfo/.test(line)).length;
    const before = writes();
    for (const note of ['a', 'b', 'c']) {
      fleet.cluster('west').server.admin.patch(Node, { name: 'node-2' }, { metadata: { annotations: { note } } });
      await beatFor(fleet, 1, 'node-1', 'node-2');
    }
    expect(writes()).toBe(before);
    await beatFor(fleet, 7, 'node-2');
    expect(exported()?.spec?.clusterInfo).toMatchObject({
      gatewayInfos: [{ gatewayIP: '192.0.2.2' }],
      wireGuard: { publicKey: keyOf('node-2') },
    });
  });

  const beatForOthers = (fleet: VirtualFleet) => beatFor(fleet, 2, 'node-1');
});

describe('the probes of the agents of a cluster', () => {
  /** West has two gateways, east has one; both have agents. */
  async function reporting(): Promise<VirtualFleet> {
    const fleet = await createVirtualFleet({ clusters: three });
    for (const name of ['node-1', 'node-2']) putNode(fleet.cluster('west'), name);
    putNode(fleet.cluster('east'), 'node-3');
    return fleet;
  }
  interface MoreReports {
    readonly local?: string;
    readonly small?: string;
  }
  function report(
    fleet: VirtualFleet,
    node: string,
    probes: string | undefined,
    { local, small }: MoreReports = {},
  ): void {
    fleet.cluster('west').server.admin.put(Lease, {
      metadata: {
        namespace: memberNamespace,
        name: gatewayLeaseName(node),
        labels: { 'isthmus.dev/gateway-lease': 'true' },
        annotations: {
          ...(probes !== undefined && { 'isthmus.dev/probes': probes }),
          ...(local !== undefined && { 'isthmus.dev/local-ranges': local }),
          ...(small !== undefined && { 'isthmus.dev/small-paths': small }),
        },
      },
      spec: { holderIdentity: node, leaseDurationSeconds: 30, renewTime: rfc3339Micro(fleet.clock.now()) },
    });
  }
  type Reports = Readonly<Record<string, string | undefined>>;
  async function reportFor(fleet: VirtualFleet, seconds: number, probes: Reports, more?: MoreReports) {
    for (let second = 0; second < seconds; second += 10) {
      for (const [node, text] of Object.entries(probes)) report(fleet, node, text, more);
      await fleet.clock.advance(10_000);
    }
  }
  const eastIn = (fleet: VirtualFleet) =>
    fleet.cluster('west').server.admin.get(ClusterInfoImport, { namespace: memberNamespace, name: 'east-clusterinfo' });
  const seen = (fleet: VirtualFleet) => {
    const { status, reason, message } = conditionOf(eastIn(fleet)?.status?.conditions, 'Reachable') ?? {};
    return `${status} ${reason}: ${message}`;
  };

  it('are a condition of the ClusterInfoImport: it follows gateways that stop answering, agents that fall silent and those that report nothing', async () => {
    await using fleet = await reporting();
    await fleet.clock.advance(20_000);
    expect(conditionOf(eastIn(fleet)?.status?.conditions, 'Reachable')).toBeUndefined();
    await reportFor(fleet, 10, { 'node-1': '', 'node-2': '' });
    expect(seen(fleet)).toMatch(/^Unknown NotProbed: /);
    const well = 'east 1/0/1 5ms 5%';
    await reportFor(fleet, 20, { 'node-1': well, 'node-2': well });
    expect(seen(fleet)).toBe(
      'True GatewaysAnswer: 2 of 2 gateways of this cluster reach east, in at most 5 ms, with at most 5 % of the probes lost.',
    );
    await reportFor(fleet, 10, { 'node-1': well, 'node-2': 'east 0/1/1 100% 192.0.2.3' });
    expect(seen(fleet)).toMatch(/^True SomeGatewaysSilent: 1 of 2 .*\(192\.0\.2\.3\)/);
    await reportFor(fleet, 10, { 'node-1': 'east 0/1/1 100% 192.0.2.3', 'node-2': 'east 0/1/1 100% 192.0.2.3' });
    expect(seen(fleet)).toMatch(/^False NoGatewayAnswers: No gateway of east \(192\.0\.2\.3\)/);
    await reportFor(fleet, 10, { 'node-1': undefined, 'node-2': undefined });
    expect(seen(fleet)).toMatch(/^Unknown ProbesNotReported: .*Nodes node-1, node-2/);
    await fleet.clock.advance(60_000);
    expect(seen(fleet)).toMatch(/^Unknown AgentsSilent: .*Nodes node-1, node-2/);
  });

  it('that lose large packets are reported with PacketsTooLarge and the size that arrives, until they do not', async () => {
    await using fleet = await reporting();
    const well = { 'node-1': 'east 1/0/1 5ms 5%', 'node-2': 'east 1/0/1 5ms 5%' };
    await reportFor(fleet, 20, well, { small: 'east 1316/1450 192.0.2.3' });
    expect(seen(fleet)).toMatch(/^True PacketsTooLarge: Packets of more than 1316 bytes to .* \(192\.0\.2\.3\)/);
    await reportFor(fleet, 20, well);
    expect(seen(fleet)).toMatch(/^True GatewaysAnswer/);
  });

  it('cause no write while the network is at rest, and other times one write in five minutes', async () => {
    await using fleet = await reporting();
    const with5 = { 'node-1': 'east 1/0/1 5ms 5%', 'node-2': 'east 1/0/1 5ms 5%' };
    await reportFor(fleet, 60, with5);
    const version = () => eastIn(fleet)?.metadata.resourceVersion;
    const before = version();
    await reportFor(fleet, 900, with5);
    expect(version()).toBe(before);
    const versions = new Set<string | undefined>();
    for (let round = 0; round < 60; round++) {
      const ms = round % 2 === 0 ? 10 : 20;
      await reportFor(fleet, 10, { ...with5, 'node-1': `east 1/0/1 ${ms}ms 5%` });
      versions.add(version());
    }
    expect(versions.size).toBeLessThanOrEqual(4);
    await reportFor(fleet, 310, with5);
    expect(seen(fleet)).toContain('in at most 5 ms');
  });

  it('come with what their Nodes reach by themselves: LocalToNodes reports ranges that they do not route, without a write at rest', async () => {
    await using fleet = await reporting();
    const inAll = { 'node-1': '', 'node-2': '' };
    await reportFor(fleet, 20, inAll);
    const conflict = () => conditionOf(eastIn(fleet)?.status?.conditions, 'NetworkConflict');
    expect(conflict()).toBeUndefined();
    const serviceCIDR = eastIn(fleet)?.spec?.serviceCIDR ?? '';
    const nameserver = serviceCIDR.replace(/\/\d+$/, '/32');
    // No Node has a network of this width.
    await reportFor(fleet, 20, inAll, { local: `nameserver ${nameserver}, network 10.0.0.0/7, route 0.0.0.0/0` });
    expect(conflict()).toMatchObject({ status: 'True', reason: 'LocalToNodes' });
    expect(conflict()?.message).toContain(`Service CIDR ${serviceCIDR} is not routed on Node node-1: it contains `);
    expect(eastIn(fleet)?.spec?.serviceCIDR).toBe(serviceCIDR);
    const version = () => eastIn(fleet)?.metadata.resourceVersion;
    const before = version();
    await reportFor(fleet, 120, inAll, { local: `nameserver ${nameserver}` });
    fleet.cluster('west').kill();
    fleet.cluster('west').start();
    await reportFor(fleet, 30, inAll, { local: `nameserver ${nameserver}` });
    expect(version()).toBe(before);
    // The Leases expire: the kernels of the Nodes go on as they were.
    await fleet.clock.advance(120_000);
    expect(conflict()?.reason).toBe('LocalToNodes');
    await reportFor(fleet, 20, inAll);
    expect(conflict()).toBeUndefined();
  });

  it('stay up to date while the leader is away, and the import is kept', async () => {
    await using fleet = await reporting();
    await reportFor(fleet, 30, { 'node-1': 'east 1/0/1 5ms 5%', 'node-2': 'east 1/0/1 5ms 5%' });
    fleet.link('west-member', 'north').cut('refuse');
    await reportFor(fleet, 120, { 'node-1': 'east 0/1/1 100% 192.0.2.3', 'node-2': 'east 0/1/1 100% 192.0.2.3' });
    expect(seen(fleet)).toMatch(/^False NoGatewayAnswers/);
  });
});
