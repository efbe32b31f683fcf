import { ClusterInfoImport, ClusterSet, Gateway, Node, ResourceExport, ServiceExport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  grantAnything,
  leaderNamespace,
  memberNamespace,
  recordWrites,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { announce, four } from '../testing/announced-network.ts';

const networkOf = (fleet: VirtualFleet, cluster: string, seenBy: string) =>
  fleet.cluster(seenBy).server.admin.get(ClusterInfoImport, {
    namespace: memberNamespace,
    name: `${cluster}-clusterinfo`,
  });
const onClusterSet = ({ server, name }: VirtualCluster) => {
  const namespace = name === 'north' ? leaderNamespace : memberNamespace;
  const { status } = server.admin.get(ClusterSet, { namespace, name: clusterSetName }) ?? {};
  return conditionOf(status?.conditions, 'NetworkConflict');
};
/** Every place that reports a conflict, such as `east ClusterSet`, with its report. */
const reports = (fleet: VirtualFleet) =>
  fleet.clusters.flatMap((cluster) => [
    ...[onClusterSet(cluster)].map((condition) => [`${cluster.name} ClusterSet`, condition] as const),
    ...cluster.server.admin.list(ClusterInfoImport).map(({ metadata, status }) => {
      const [condition] = status?.conditions ?? [];
      return [`${cluster.name} ${metadata.name}`, condition] as const;
    }),
  ]);
const reporting = (fleet: VirtualFleet) =>
  reports(fleet)
    .filter(([, condition]) => condition !== undefined)
    .map(([place, condition]) => `${place}: ${condition?.reason}`)
    .toSorted();

describe('Pod CIDRs that two members announce', () => {
  it('are used of the first one, are reported on the ClusterSets and ClusterInfoImports of both, and on nothing else, until they differ', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    announce(fleet.cluster('east'), { podCIDRs: ['10.10.0.0/16'] });
    await fleet.until('south knows east', () => networkOf(fleet, 'east', 'south') !== undefined);
    announce(fleet.cluster('west'), { podCIDRs: ['10.10.128.0/17', '10.11.0.0/16'] });
    announce(fleet.cluster('south'), { podCIDRs: ['10.12.0.0/16'] });
    const places = ['east ClusterSet', 'east west-clusterinfo', 'south east-clusterinfo', 'south west-clusterinfo'];
    const all = [...places, 'west ClusterSet', 'west east-clusterinfo'].map((place) => `${place}: RangeOverlaps`);
    await fleet.until('all report it', () => reporting(fleet).length === all.length, 5_000);
    expect(reporting(fleet)).toEqual(all);
    expect(networkOf(fleet, 'east', 'south')?.spec?.podCIDRs).toEqual(['10.10.0.0/16']);
    expect(networkOf(fleet, 'west', 'south')?.spec?.podCIDRs).toEqual(['10.11.0.0/16']);
    const messages = reports(fleet).flatMap(([, condition]) => condition?.message ?? []);
    expect([...new Set(messages)]).toEqual([
      'Cluster west announces Pod CIDR 10.10.128.0/17, which overlaps with Pod CIDR 10.10.0.0/16 of cluster east, announced earlier. The range of west is not used. Correct podCIDRs in the configuration of west.',
    ]);
    const events = fleet.clusters.flatMap(eventsOf).filter((event) => /Gateway\/|Node\//.test(event));
    expect(events.filter((event) => !event.startsWith('GatewayActive '))).toEqual([]);

    announce(fleet.cluster('west'), { podCIDRs: ['10.11.0.0/16'] });
    await fleet.until('nobody reports it', () => reporting(fleet).length === 0, 5_000);
  });
});

describe('a Service CIDR that two members announce', () => {
  const same = { serviceCIDR: '10.96.0.0/16' };

  it('keeps the network of the later one from being published, and the earlier one stays, whichever leader decides', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    announce(fleet.cluster('east'), same);
    await fleet.until('south knows east', () => networkOf(fleet, 'east', 'south') !== undefined);
    const uid = networkOf(fleet, 'east', 'south')?.metadata.uid;
    announce(fleet.cluster('west'), same);
    await fleet.until('west reports it', () => onClusterSet(fleet.cluster('west')) !== undefined, 5_000);
    expect(onClusterSet(fleet.cluster('west'))).toMatchObject({
      status: 'True',
      reason: 'RangeOverlaps',
      message:
        'Cluster west announces Service CIDR 10.96.0.0/16, which overlaps with Service CIDR 10.96.0.0/16 of cluster east, announced earlier. So the network of west is not published. Correct serviceCIDR in the configuration of west. If it is the real range of both clusters, set endpointIPType: PodIP in west and east.',
    });
    expect(networkOf(fleet, 'west', 'south')).toBeUndefined();
    fleet.leader.kill();
    fleet.leader.start();
    await fleet.clock.advance(60_000);
    expect(networkOf(fleet, 'west', 'south')).toBeUndefined();
    expect(networkOf(fleet, 'east', 'south')?.metadata.uid).toBe(uid);
    expect(fleet.cluster('west').server.admin.list(ServiceExport)).toEqual([]);
    expect(eventsOf(fleet.cluster('west')).filter((event) => event.includes('NotExported'))).toEqual([]);

    fleet.cluster('east').server.admin.delete(Node, { name: 'node-1' });
    await fleet.until('the range is free', () => networkOf(fleet, 'west', 'south') !== undefined);
    await fleet.until('nobody reports it', () => reporting(fleet).length === 0, 5_000);
  });

  it('is of no consequence where the endpoints are Pod IPs', async () => {
    await using fleet = await createVirtualFleet({ clusters: four, endpointIPType: 'PodIP' });
    for (const name of ['east', 'west']) announce(fleet.cluster(name), same);
    const bothKnown = () => ['east', 'west'].every((name) => networkOf(fleet, name, 'south') !== undefined);
    await fleet.until('south knows both', bothKnown);
    expect(reporting(fleet)).toEqual([]);
  });
});

describe('a member that announces ranges of others', () => {
  it('changes nothing for them: they are reported, and used nowhere', async () => {
    await using fleet = await createVirtualFleet({ clusters: four, leaderConfig: { allowedCIDRs: ['10.0.0.0/8'] } });
    grantAnything(fleet, 'west');
    const { admin } = fleet.leader.server;
    announce(fleet.cluster('west'), { serviceCIDR: '10.97.0.0/16' });
    await fleet.until('south knows west', () => networkOf(fleet, 'west', 'south') !== undefined);
    announce(fleet.cluster('east'), { serviceCIDR: '10.96.0.0/16', podCIDRs: ['10.10.0.0/16'] });
    await fleet.until('south knows east', () => networkOf(fleet, 'east', 'south') !== undefined);
    const before = networkOf(fleet, 'east', 'south');

    const ref = { namespace: leaderNamespace, name: 'west-clusterinfo' };
    fleet.cluster('west').kill();
    const podCIDRs = [
      '10.10.0.0/24',
      '10.96.7.0/24',
      '127.0.0.0/8',
      '0.0.0.0/0',
      '192.168.0.0/16',
      'x',
      '10.20.0.0/16',
    ];
    admin.patch(ResourceExport, ref, { spec: { clusterInfo: { podCIDRs } } });
    await fleet.until('the rest is used', () => networkOf(fleet, 'west', 'south')?.spec?.podCIDRs !== undefined);
    expect(networkOf(fleet, 'west', 'south')?.spec?.podCIDRs).toEqual(['10.20.0.0/16']);
    expect(networkOf(fleet, 'east', 'south')?.spec).toEqual(before?.spec);
    expect(networkOf(fleet, 'east', 'south')?.metadata.uid).toBe(before?.metadata.uid);
    const condition = conditionOf(networkOf(fleet, 'west', 'south')?.status?.conditions, 'NetworkConflict');
    expect(condition).toMatchObject({ status: 'True', reason: 'RangeNotAllowed' });
  });

  it('cannot take what the others send to each other by a range around their gateways', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    announce(fleet.cluster('west'), { podCIDRs: ['192.0.2.0/24', '10.20.0.0/16'] });
    await fleet.until('south knows west', () => networkOf(fleet, 'west', 'south') !== undefined);
    expect(networkOf(fleet, 'west', 'south')?.spec?.podCIDRs).toEqual(['192.0.2.0/24', '10.20.0.0/16']);
    const admin = fleet.cluster('west').server.admin;
    admin.delete(Node, { name: 'node-1' });
    await fleet.until('it is withdrawn', () => networkOf(fleet, 'west', 'south') === undefined);
    announce(fleet.cluster('east'), { podCIDRs: ['10.10.0.0/16'] });
    await fleet.until('south knows east', () => networkOf(fleet, 'east', 'south') !== undefined);
    announce(fleet.cluster('west'), { podCIDRs: ['192.0.2.0/24', '10.20.0.0/16'] });
    await fleet.until('east reports it', () => onClusterSet(fleet.cluster('east')) !== undefined, 5_000);
    expect(networkOf(fleet, 'west', 'south')?.spec?.podCIDRs).toEqual(['10.20.0.0/16']);
    expect(onClusterSet(fleet.cluster('west'))).toMatchObject({
      reason: 'RangeOverlaps',
      message:
        'Cluster west announces Pod CIDR 192.0.2.0/24, which contains gateway 192.0.2.1 of cluster east. The range of west is not used. Correct podCIDRs in the configuration of west.',
    });
  });

  it('with a Gateway object of its own hand is judged alike', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    fleet.cluster('west').server.admin.put(Gateway, {
      metadata: { name: 'mine', namespace: memberNamespace },
      gatewayIP: '192.0.2.2',
      serviceCIDR: '169.254.0.0/16',
    });
    await fleet.until(
      'west reports it',
      () => onClusterSet(fleet.cluster('west'))?.reason === 'RangeNotAllowed',
      5_000,
    );
    expect(networkOf(fleet, 'west', 'south')).toBeUndefined();
  });

  it.each([
    ['key', '192.0.2.2', { gatewayInfos: [{ gatewayIP: '192.0.2.2' }] }],
    ['address', '192.0.2.1', undefined],
  ])('cannot take the %s of the gateway of another one, and both report it', async (_, gatewayIP, published) => {
    await using fleet = await createVirtualFleet({ clusters: four });
    const publicKey = `${'A'.repeat(42)}E=`;
    const gateway = (spec: Pick<Gateway, 'gatewayIP' | 'serviceCIDR'>) => ({
      metadata: { name: 'mine', namespace: memberNamespace },
      wireGuard: { publicKey },
      ...spec,
    });
    const { east, south, west } = {
      east: fleet.cluster('east'),
      south: fleet.cluster('south'),
      west: fleet.cluster('west'),
    };
    south.server.admin.put(Gateway, gateway({ gatewayIP: '192.0.2.1', serviceCIDR: '10.96.0.0/16' }));
    await fleet.until('east knows south', () => networkOf(fleet, 'south', 'east') !== undefined, 5_000);
    const before = networkOf(fleet, 'south', 'east');
    expect(before?.spec?.wireGuard).toEqual({ publicKey });

    west.server.admin.put(Gateway, gateway({ gatewayIP, serviceCIDR: '10.97.0.0/16' }));
    await fleet.until(
      'both report it',
      () => [south, west].every((cluster) => onClusterSet(cluster)?.reason === 'GatewayTaken'),
      10_000,
    );
    expect(onClusterSet(east)).toBeUndefined();
    expect(networkOf(fleet, 'south', 'east')).toMatchObject({
      metadata: { uid: before?.metadata.uid },
      spec: before?.spec,
    });
    const spec = published && { clusterID: 'west', serviceCIDR: '10.97.0.0/16', ...published };
    expect(networkOf(fleet, 'west', 'east')?.spec).toEqual(spec);
  });

  it('that announces the next addresses of another one first does not put it out', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    const serviceCIDRs = { south: '10.96.0.0/16', west: '10.97.0.0/16' };
    const put = (name: 'south' | 'west', gatewayIP: string) =>
      fleet.cluster(name).server.admin.put(Gateway, {
        metadata: { name: 'mine', namespace: memberNamespace },
        gatewayIP,
        serviceCIDR: serviceCIDRs[name],
      });
    put('south', '192.0.2.1');
    put('west', '192.0.2.2');
    for (const name of ['south', 'west'])
      await fleet.until(`east knows ${name}`, () => networkOf(fleet, name, 'east') !== undefined, 5_000);
    put('south', '192.0.2.2');
    await fleet.until('it is reported', () => onClusterSet(fleet.cluster('south'))?.reason === 'GatewayTaken', 10_000);
    await fleet.clock.advance(10_000);
    expect(networkOf(fleet, 'south', 'east')?.spec?.gatewayInfos).toEqual([{ gatewayIP: '192.0.2.1' }]);
    put('south', '192.0.2.3');
    const isNew = () => networkOf(fleet, 'south', 'east')?.spec?.gatewayInfos?.[0]?.gatewayIP === '192.0.2.3';
    await fleet.until('another address is used', isNew, 10_000);
  });

  it('without rest does not cause a write about every other network each time, and what it announces last is reported', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    grantAnything(fleet, 'west');
    announce(fleet.cluster('east'), { podCIDRs: ['10.10.0.0/16'] });
    announce(fleet.cluster('west'), { podCIDRs: ['10.20.0.0/16'] });
    announce(fleet.cluster('south'), { podCIDRs: ['10.30.0.0/16'] });
    await fleet.until('all know all', () =>
      ['east', 'west', 'south'].every(
        (name) => networkOf(fleet, name, name === 'east' ? 'west' : 'east') !== undefined,
      ),
    );
    await fleet.clock.advance(15_000);
    const ref = { namespace: leaderNamespace, name: 'west-clusterinfo' };
    const { admin } = fleet.leader.server;
    fleet.cluster('west').kill();
    const writes = recordWrites(fleet);
    for (let change = 0; change < 120; change++) {
      const podCIDRs = change % 2 === 0 ? ['10.10.0.0/16', '10.30.0.0/16'] : ['10.20.0.0/16'];
      admin.patch(ResourceExport, ref, { spec: { clusterInfo: { podCIDRs } } });
      await fleet.clock.advance(1_000);
    }
    const onOthers = writes().filter((line) => /(east|south)-clusterinfo|clustersets/.test(line));
    // Each time there are eight.
    expect(onOthers.length).toBeGreaterThan(80);
    expect(onOthers.length).toBeLessThan(200);
    admin.patch(ResourceExport, ref, { spec: { clusterInfo: { podCIDRs: ['10.10.0.0/16'] } } });
    await fleet.until('east reports it', () => onClusterSet(fleet.cluster('east')) !== undefined, 90_000);
    admin.patch(ResourceExport, ref, { spec: { clusterInfo: { podCIDRs: ['10.20.0.0/16'] } } });
    await fleet.until('nobody reports it', () => reporting(fleet).length === 0, 90_000);
  });
});
