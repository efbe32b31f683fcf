import {
  ClusterInfoImport,
  CustomResourceDefinition,
  EndpointSlice,
  KnownCluster,
  Namespace,
  Service,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  eventsOf,
  exportCart,
  importedSlices,
  memberNamespace,
  recordWrites,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { announce, four } from '../testing/announced-network.ts';
import { claim, connected, fleetUnderAntrea, networkIn } from '../testing/antrea-networks.ts';

const definitionRef = { name: 'knownclusters.isthmus.dev' };
const knownRef = (name: string) => ({ namespace: memberNamespace, name });
const known = ({ server }: VirtualCluster, name: string) => server.admin.get(KnownCluster, knownRef(name));
const within = (cluster: VirtualCluster, name: string) =>
  conditionOf(known(cluster, name)?.status?.conditions, 'WithinGrant');
const reasonOf = (cluster: VirtualCluster, name: string) => within(cluster, name)?.reason;
const podsOf = (cluster: VirtualCluster, name: string) => networkIn(cluster, name)?.podCIDRs?.join(' ');
const conflictOf = ({ server: { admin } }: VirtualCluster, name: string) => {
  const found = admin.get(ClusterInfoImport, { namespace: memberNamespace, name: `${name}-clusterinfo` });
  return conditionOf(found?.status?.conditions, 'NetworkConflict')?.reason;
};
const grant = ({ server }: VirtualCluster, name: string, spec: Partial<KnownCluster['spec']>) =>
  server.admin.put(KnownCluster, { metadata: knownRef(name), spec: { clusterID: name, ...spec } });

/** Runs the command that the condition has. */
function accept(cluster: VirtualCluster, name: string): void {
  const { message = '' } = within(cluster, name) ?? {};
  const [, patch = ''] = /kubectl -n kube-system patch knowncluster \S+ --type merge -p '(.*)'$/.exec(message) ?? [];
  cluster.server.admin.patch(KnownCluster, knownRef(name), JSON.parse(patch) as object);
}

const west = { serviceCIDR: '10.98.0.0/16', podCIDRs: ['10.20.0.0/16'] };
const three = ['east', 'west', 'south'];

async function underAntrea(): Promise<{ readonly fleet: VirtualFleet; readonly south: VirtualCluster }> {
  const fleet = await fleetUnderAntrea(three);
  for (const name of three) fleet.cluster(name).start();
  await connected(fleet, three);
  announce(fleet.cluster('west'), west);
  const south = fleet.cluster('south');
  await fleet.until('west is observed', () => reasonOf(south, 'west') === 'AllGranted');
  return { fleet, south };
}

/** A fleet of our leader, which judges. */
async function underOurs(): Promise<{ readonly fleet: VirtualFleet; readonly south: VirtualCluster }> {
  const fleet = await createVirtualFleet({ clusters: four });
  announce(fleet.cluster('west'), west);
  const south = fleet.cluster('south');
  await fleet.until('west is imported', () => podsOf(south, 'west') === '10.20.0.0/16');
  return { fleet, south };
}

describe('a cluster under a leader that does not judge', () => {
  it('is recorded in each member with what is imported, once, and the record is not written again', async () => {
    const { fleet, south } = await underAntrea();
    await using _ = fleet;
    expect(known(south, 'west')?.spec).toEqual({
      clusterID: 'west',
      origin: 'Observed',
      state: 'Accepted',
      pods: ['10.20.0.0/16'],
      services: ['10.98.0.0/16'],
    });
    expect(known(south, 'south')).toBeUndefined();
    await fleet.clock.advance(15_000);
    const writes = recordWrites(fleet);
    south.kill();
    south.start();
    await fleet.clock.advance(120_000);
    expect(writes().filter((line) => line.includes('knownclusters') || line.includes('clusterinfoimports'))).toEqual(
      [],
    );
  });

  it('gets nothing beyond its record, whatever it announces, until the command of the condition is run', async () => {
    const { fleet, south } = await underAntrea();
    await using _ = fleet;
    fleet.cluster('west').kill();
    const { gatewayInfos } = networkIn(south, 'west') ?? {};
    claim(fleet, 'west', { ...west, gatewayInfos, podCIDRs: ['10.20.8.0/21', '8.8.8.8/32', '10.30.0.0/16'] });
    await fleet.until('it is reported', () => reasonOf(south, 'west') === 'OutsideGrant', 10_000);
    await fleet.until('what is granted is used', () => podsOf(south, 'west') === '10.20.8.0/21', 10_000);
    expect(known(south, 'west')?.status?.asked).toEqual({ pods: ['8.8.8.8/32', '10.30.0.0/16'] });
    expect(conflictOf(south, 'west')).toBe('OutsideGrant');
    accept(south, 'west');
    await fleet.until('it is used', () => podsOf(south, 'west') === '10.20.8.0/21 8.8.8.8/32 10.30.0.0/16', 10_000);
    await fleet.until('it is reported no more', () => conflictOf(south, 'west') === undefined, 10_000);
    expect(podsOf(fleet.cluster('east'), 'west')).toBe('10.20.8.0/21');
  });

  it('gets no address of the Internet without a grant', async () => {
    const { fleet, south } = await underAntrea();
    await using _ = fleet;
    announce(fleet.cluster('east'), { serviceCIDR: '10.198.0.0/16', podCIDRs: ['10.10.0.0/16', '93.184.216.0/24'] });
    await fleet.until('it is reported', () => reasonOf(south, 'east') === 'OutsideGrant', 10_000);
    expect(podsOf(south, 'east')).toBe('10.10.0.0/16');
  });

  it('with a Service CIDR of the Internet is not imported, and waits for an administrator', async () => {
    const { fleet, south } = await underAntrea();
    await using _ = fleet;
    announce(fleet.cluster('east'), { serviceCIDR: '8.8.8.0/24' });
    await fleet.until('it waits', () => reasonOf(south, 'east') === 'ClusterHeld', 10_000);
    expect(networkIn(south, 'east')).toBeUndefined();
    await fleet.until('it is reported', () =>
      eventsOf(south).some((one) => one.startsWith('OutsideGrant ClusterSet/')),
    );
    accept(south, 'east');
    await fleet.until('it is imported', () => networkIn(south, 'east')?.serviceCIDR === '8.8.8.0/24', 10_000);
  });

  it('does not use the moment in which a member starts', async () => {
    const { fleet, south } = await underAntrea();
    await using _ = fleet;
    fleet.cluster('west').kill();
    south.kill();
    south.server.admin.delete(KnownCluster, knownRef('west'));
    const { gatewayInfos } = networkIn(south, 'west') ?? {};
    claim(fleet, 'west', { ...west, gatewayInfos, podCIDRs: ['10.20.0.0/16', '172.30.0.1/32'] });
    const seen = new Set<string | undefined>();
    south.start();
    await fleet.until('it is reported', () => {
      seen.add(podsOf(south, 'west'));
      return reasonOf(south, 'west') === 'OutsideGrant';
    });
    expect([...seen]).toEqual(['10.20.0.0/16']);
  });

  it('keeps what is in use when the kind is deleted, and gets nothing new', async () => {
    const { fleet, south } = await underAntrea();
    await using _ = fleet;
    fleet.cluster('west').kill();
    south.server.admin.delete(CustomResourceDefinition, definitionRef);
    await fleet.clock.advance(15_000);
    const { gatewayInfos } = networkIn(south, 'west') ?? {};
    claim(fleet, 'west', { ...west, gatewayInfos, podCIDRs: ['10.20.0.0/16', '10.30.0.0/16'] });
    announce(fleet.cluster('east'), { serviceCIDR: '10.198.0.0/16' });
    await fleet.clock.advance(30_000);
    expect(podsOf(south, 'west')).toBe('10.20.0.0/16');
    expect(networkIn(south, 'east')).toBeUndefined();
  });
});

describe('a grant of an administrator of a member', () => {
  it.each([
    ['ours', underOurs],
    ["Antrea's", underAntrea],
  ])('shrinks what is imported under a leader that is %s, with an Event first', async (_leader, create) => {
    const { fleet, south } = await create();
    await using _ = fleet;
    const writes = recordWrites(fleet);
    grant(south, 'west', { pods: ['10.20.0.0/24'], services: ['10.98.0.0/16'] });
    await fleet.until('less is used', () => podsOf(south, 'west') === '10.20.0.0/24', 10_000);
    await fleet.until('it is reported', () => reasonOf(south, 'west') === 'OutsideGrant', 5_000);
    expect(eventsOf(south)).toContainEqual(
      expect.stringMatching(
        /^OutsideGrant ClusterInfoImport\/west-clusterinfo: Cluster west announces 10\.20\.0\.0\/16, which this cluster has not granted to it\. The rest of its network is used\. The command .* kubectl -n kube-system describe knowncluster west$/,
      ),
    );
    const inOrder = writes().filter((line) => line.includes('south') && /events|clusterinfoimports/.test(line));
    expect(inOrder.findIndex((line) => line.includes('events'))).toBeLessThan(
      inOrder.findIndex((line) => line.includes('clusterinfoimports')),
    );
    expect(podsOf(fleet.cluster('east'), 'west')).toBe('10.20.0.0/16');
  });

  it.each([
    ['ours', underOurs],
    ["Antrea's", underAntrea],
  ])(
    'withdraws a refused cluster under a leader that is %s, in this member alone, and takes it back',
    async (_leader, create) => {
      const { fleet, south } = await create();
      await using _ = fleet;
      grant(south, 'west', { state: 'Refused' });
      await fleet.until('it is withdrawn', () => networkIn(south, 'west') === undefined, 10_000);
      await fleet.until('it is reported', () => reasonOf(south, 'west') === 'ClusterRefused', 10_000);
      await fleet.clock.advance(20_000);
      expect(networkIn(south, 'west')).toBeUndefined();
      expect(podsOf(fleet.cluster('east'), 'west')).toBe('10.20.0.0/16');
      grant(south, 'west', {});
      await fleet.until('it is back', () => podsOf(south, 'west') === '10.20.0.0/16', 10_000);
    },
  );

  it('withdraws a refused cluster with its endpoints while the leader is away', async () => {
    const { fleet, south } = await underOurs();
    await using _ = fleet;
    south.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    exportCart(fleet.cluster('west'), '10.20.1.1');
    await fleet.until('south imports', () => importedSlices(south).length === 1);
    fleet.link('south-member', 'north').add({ match: () => true, fault: { kind: 'refuse' } });
    south.kill();
    south.start();
    grant(south, 'west', { state: 'Refused' });
    await fleet.until('the network is withdrawn', () => networkIn(south, 'west') === undefined, 20_000);
    await fleet.until('the endpoints are', () => importedSlices(south).length === 0, 20_000);
    expect(eventsOf(south)).toContainEqual(
      expect.stringMatching(/^OutsideGrant ClusterInfoImport\/west-clusterinfo: An/),
    );
  });

  it('holds a cluster at what is in use', async () => {
    const { fleet, south } = await underOurs();
    await using _ = fleet;
    grant(south, 'west', { state: 'Held' });
    grant(fleet.leader, 'west', {});
    fleet.leader.server.admin.put(KnownCluster, {
      metadata: { name: 'west', namespace: 'antrea-multicluster' },
      spec: { clusterID: 'west' },
    });
    announce(fleet.cluster('west'), { ...west, podCIDRs: ['10.20.0.0/16', '10.30.0.0/16'] });
    const east = fleet.cluster('east');
    await fleet.until('east has both', () => podsOf(east, 'west') === '10.20.0.0/16 10.30.0.0/16', 20_000);
    await fleet.until('south reports it', () => reasonOf(south, 'west') === 'ClusterHeld', 10_000);
    expect(podsOf(south, 'west')).toBe('10.20.0.0/16');
  });

  it('for the own cluster has no effect, and that is reported', async () => {
    const { fleet, south } = await underOurs();
    await using _ = fleet;
    grant(south, 'south', { state: 'Refused' });
    await fleet.until('it is reported', () => reasonOf(south, 'south') === 'NotUsed', 10_000);
    expect(within(south, 'south')?.message).toContain('Cluster south is this cluster.');
  });
});

describe('under a leader that judges', () => {
  it('nothing is recorded, and what the leader accepts is taken', async () => {
    const { fleet, south } = await underOurs();
    await using _ = fleet;
    await fleet.clock.advance(10_000);
    expect(south.server.admin.list(KnownCluster)).toEqual([]);
  });

  it('what was recorded before restricts nothing', async () => {
    const { fleet, south } = await underOurs();
    await using _ = fleet;
    grant(south, 'west', { origin: 'Observed', pods: ['10.20.0.0/24'] });
    await fleet.until('it is reported', () => reasonOf(south, 'west') === 'JudgedByLeader', 10_000);
    await fleet.clock.advance(10_000);
    expect(podsOf(south, 'west')).toBe('10.20.0.0/16');
  });
});

describe('a fleet of twenty clusters under an Antrea leader', () => {
  it('changes nothing at the upgrade, and has an Observed object for each other cluster in each member', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `member-${at + 10}`);
    await using fleet = await fleetUnderAntrea(names);
    const members = names.map((name) => fleet.cluster(name));
    const [first] = members;
    const definition = first?.server.admin.get(CustomResourceDefinition, definitionRef)?.spec;
    if (definition === undefined) throw new Error('no cluster has the definition');
    for (const { server } of members) server.admin.delete(CustomResourceDefinition, definitionRef);
    await fleet.clock.advance(1_000);
    members.forEach((member, at) => {
      announce(member, { serviceCIDR: `10.${97 + at}.0.0/16`, podCIDRs: [`10.${200 + at}.0.0/16`] });
      member.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
      if (at < 2) exportCart(member, `10.${200 + at}.1.1`);
    });
    const isImported = (member: VirtualCluster) =>
      member.server.admin.list(ClusterInfoImport).length === names.length - 1;
    await fleet.until('all know all', () => members.every(isImported), 120_000);
    await fleet.until('the Service is imported', () => members.every((member) => importedSlices(member).length > 0));
    await fleet.clock.advance(30_000);
    const objects = () =>
      members.map(({ server: { admin } }) => [
        admin.list(Service),
        admin.list(EndpointSlice),
        admin.list(ClusterInfoImport),
      ]);
    const before = objects();
    for (const member of members) {
      member.kill();
      member.server.admin.put(CustomResourceDefinition, { metadata: definitionRef, spec: definition });
    }
    await fleet.clock.advance(1_000);
    for (const member of members) member.start();
    const isRecorded = ({ server: { admin } }: VirtualCluster) => admin.list(KnownCluster).length === names.length - 1;
    await fleet.until('all are recorded', () => members.every(isRecorded), 60_000);
    await fleet.clock.advance(30_000);
    expect(objects()).toEqual(before);
    const records = members.flatMap(({ server: { admin } }) => admin.list(KnownCluster));
    expect(new Set(records.map(({ spec }) => `${spec.origin} ${spec.state}`))).toEqual(new Set(['Observed Accepted']));
    expect(new Set(records.map(({ status }) => conditionOf(status?.conditions, 'WithinGrant')?.reason))).toEqual(
      new Set(['AllGranted']),
    );
  });
});

describe('a gateway that is in use for one cluster', () => {
  const publicKey = `${'A'.repeat(42)}E=`;

  it.each([
    ['its key', { gatewayInfos: [{ gatewayIP: '192.0.2.99' }], wireGuard: { publicKey } }, ['192.0.2.99']],
    ['its address', { gatewayInfos: [{ gatewayIP: '192.0.2.2' }, { gatewayIP: '192.0.2.98' }] }, ['192.0.2.98']],
  ])('keeps %s under a leader that does not compare them, and that is reported', async (_, stolen, gateways) => {
    const { fleet, south } = await underAntrea();
    await using _fleet = fleet;
    const known = networkIn(south, 'west') ?? {};
    claim(fleet, 'west', { ...known, wireGuard: { publicKey } });
    fleet.cluster('west').kill();
    await fleet.until('the key is imported', () => networkIn(south, 'west')?.wireGuard?.publicKey === publicKey);
    const before = networkIn(south, 'west');
    announce(fleet.cluster('east'), { serviceCIDR: '10.97.0.0/16' });
    await fleet.until('east is imported', () => networkIn(south, 'east') !== undefined);
    fleet.cluster('east').kill();
    claim(fleet, 'east', { clusterID: 'east', serviceCIDR: '10.97.0.0/16', ...stolen });
    await fleet.until('it is reported', () => conflictOf(south, 'east') === 'GatewayTaken', 10_000);
    expect(networkIn(south, 'west')).toEqual(before);
    expect(networkIn(south, 'east')).toEqual({
      clusterID: 'east',
      serviceCIDR: '10.97.0.0/16',
      gatewayInfos: gateways.map((gatewayIP) => ({ gatewayIP })),
    });
  });
});
