import {
  ClusterInfoImport,
  ClusterSet,
  CustomResourceDefinition,
  EndpointSlice,
  KnownCluster,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportCart,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  putPod,
  putService,
  recordWrites,
} from '@isthmus/fleet-sim';
import { runAntreaBeside } from '../adversary/testing/antrea-beside.ts';
import { describe, expect, it } from 'vitest';
import { announce, four } from '../testing/announced-network.ts';
import { claim } from '../testing/antrea-networks.ts';

const networkOf = (fleet: VirtualFleet, cluster: string, seenBy: string) =>
  fleet
    .cluster(seenBy)
    .server.admin.get(ClusterInfoImport, { namespace: memberNamespace, name: `${cluster}-clusterinfo` })?.spec;
const podsOf = (fleet: VirtualFleet, cluster: string, seenBy = 'south') =>
  networkOf(fleet, cluster, seenBy)?.podCIDRs?.join(' ');
const knownRef = (name: string) => ({ namespace: leaderNamespace, name });
const known = (fleet: VirtualFleet, name: string) => fleet.leader.server.admin.get(KnownCluster, knownRef(name));
const reasonOf = (fleet: VirtualFleet, name: string) =>
  conditionOf(known(fleet, name)?.status?.conditions, 'WithinGrant')?.reason;
const conflictOn = ({ server }: VirtualCluster) => {
  const { status } = server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName }) ?? {};
  return conditionOf(status?.conditions, 'NetworkConflict')?.reason;
};

/** Runs the command that the condition has. */
function accept(fleet: VirtualFleet, name: string): void {
  const { message = '' } = conditionOf(known(fleet, name)?.status?.conditions, 'WithinGrant') ?? {};
  const [, patch = ''] =
    /kubectl -n antrea-multicluster patch knowncluster \S+ --type merge -p '(.*)'$/.exec(message) ?? [];
  fleet.leader.server.admin.patch(KnownCluster, knownRef(name), JSON.parse(patch) as object);
}

const west = { serviceCIDR: '10.197.0.0/16', podCIDRs: ['10.20.0.0/16'] };

async function fleetWithWest(options: object = {}): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: four, ...options });
  announce(fleet.cluster('west'), west);
  await fleet.until('west is observed', () => known(fleet, 'west')?.status?.conditions !== undefined);
  return fleet;
}

describe('a cluster whose network the leader publishes', () => {
  it('is recorded with what is in use, once, and the record is not written again', async () => {
    await using fleet = await fleetWithWest();
    expect(known(fleet, 'west')?.spec).toEqual({
      clusterID: 'west',
      origin: 'Observed',
      state: 'Accepted',
      pods: ['10.20.0.0/16'],
      services: ['10.197.0.0/16'],
    });
    await fleet.until('it is within its grant', () => reasonOf(fleet, 'west') === 'AllGranted', 5_000);
    await fleet.clock.advance(15_000);
    const writes = recordWrites(fleet);
    await fleet.clock.advance(120_000);
    fleet.leader.kill();
    fleet.leader.start();
    await fleet.clock.advance(60_000);
    expect(writes().filter((line) => line.includes('knownclusters'))).toEqual([]);
  });

  it('may announce less, and what it announces beyond that is held and reported to both clusters, until the command accepts it', async () => {
    await using fleet = await fleetWithWest();
    announce(fleet.cluster('west'), { ...west, podCIDRs: ['10.20.8.0/21'] });
    await fleet.until('less is used', () => podsOf(fleet, 'west') === '10.20.8.0/21');
    announce(fleet.cluster('west'), { ...west, podCIDRs: ['10.20.8.0/21', '8.8.8.8/32', '10.30.0.0/16'] });
    await fleet.until('it is held', () => reasonOf(fleet, 'west') === 'OutsideGrant', 10_000);
    await fleet.until('west reports it', () => conflictOn(fleet.cluster('west')) === 'OutsideGrant', 10_000);
    expect(podsOf(fleet, 'west')).toBe('10.20.8.0/21');
    expect(known(fleet, 'west')?.status).toMatchObject({
      asked: { pods: ['8.8.8.8/32', '10.30.0.0/16'] },
      used: { pods: ['10.20.8.0/21'], services: ['10.197.0.0/16'] },
    });
    accept(fleet, 'west');
    await fleet.until('it is used', () => podsOf(fleet, 'west') === '10.20.8.0/21 8.8.8.8/32 10.30.0.0/16', 10_000);
    await fleet.until('nobody reports it', () => conflictOn(fleet.cluster('west')) === undefined, 10_000);
    await fleet.until('it is within its grant', () => reasonOf(fleet, 'west') === 'AllGranted', 5_000);
    expect(known(fleet, 'west')?.spec).toMatchObject({ origin: 'Granted' });
  });

  it('that announces more is named on the ClusterSet of the leader (NetworkNotGranted), until that is accepted', async () => {
    await using fleet = await fleetWithWest();
    const reported = () => {
      const ref = { namespace: leaderNamespace, name: clusterSetName };
      return conditionOf(fleet.leader.server.admin.get(ClusterSet, ref)?.status?.conditions, 'NetworksNotGranted');
    };
    await fleet.clock.advance(10_000);
    expect(reported()).toBeUndefined();
    announce(fleet.cluster('west'), { ...west, podCIDRs: ['10.20.0.0/16', '10.30.0.0/16'] });
    await fleet.until('it is reported', () => reported()?.reason === 'NetworkNotGranted', 10_000);
    expect(reported()?.message).toBe(
      'Clusters that announce ranges or gateways that are not granted to them: west. To see which, and how to accept them: kubectl -n antrea-multicluster describe knownclusters',
    );
    accept(fleet, 'west');
    await fleet.until('it is not any more', () => reported() === undefined, 10_000);
  });

  it('keeps what is published if nothing else of its announcement is granted', async () => {
    await using fleet = await fleetWithWest();
    const before = networkOf(fleet, 'west', 'south');
    announce(fleet.cluster('west'), { serviceCIDR: '10.198.0.0/16', podCIDRs: ['10.30.0.0/16'] });
    await fleet.until('it is held', () => reasonOf(fleet, 'west') === 'OutsideGrant', 10_000);
    await fleet.clock.advance(30_000);
    expect(networkOf(fleet, 'west', 'south')).toEqual(before);
  });

  it('does not use the moment in which a leader starts', async () => {
    await using fleet = await fleetWithWest();
    fleet.cluster('west').kill();
    fleet.leader.kill();
    claim(fleet, 'west', { podCIDRs: ['10.20.0.0/16', '172.30.0.1/32'] });
    const published = new Set<string>();
    const isHeld = () => {
      const ref = { namespace: leaderNamespace, name: 'west-clusterinfo' };
      published.add(JSON.stringify(fleet.leader.server.admin.get(ResourceImport, ref)?.spec?.clusterinfo?.podCIDRs));
      return reasonOf(fleet, 'west') === 'OutsideGrant';
    };
    fleet.leader.start();
    await fleet.until('it is held', isHeld, 30_000);
    expect([...published]).toEqual(['["10.20.0.0/16"]']);
  });

  it('shrinks to a grant that is narrowed while it is in use, and an Event names it (GrantNarrowed)', async () => {
    await using fleet = await fleetWithWest();
    fleet.leader.server.admin.patch(KnownCluster, knownRef('west'), { spec: { pods: ['10.20.0.0/24'] } });
    await fleet.until('less is used', () => podsOf(fleet, 'west') === '10.20.0.0/24', 10_000);
    await fleet.until('it is reported', () => reasonOf(fleet, 'west') === 'OutsideGrant', 5_000);
    expect(eventsOf(fleet.leader)).toContainEqual(
      expect.stringMatching(
        /^GrantNarrowed KnownCluster\/west: The grant of cluster west no longer has Pod CIDR 10\.20\.0\.0\/16, in use until now/,
      ),
    );
  });

  it('is withdrawn when an administrator refuses it, and comes back', async () => {
    await using fleet = await fleetWithWest();
    const set = (state: 'Refused' | 'Accepted') =>
      fleet.leader.server.admin.patch(KnownCluster, knownRef('west'), { spec: { state } });
    set('Refused');
    await fleet.until('it is withdrawn', () => networkOf(fleet, 'west', 'south') === undefined, 10_000);
    await fleet.until('it is reported', () => reasonOf(fleet, 'west') === 'ClusterRefused', 10_000);
    set('Accepted');
    await fleet.until('it is back', () => podsOf(fleet, 'west') === '10.20.0.0/16', 10_000);
  });

  it('keeps what is in use when the kind is deleted, and gets nothing new, not even what it asked for before', async () => {
    await using fleet = await fleetWithWest();
    fleet.cluster('west').kill();
    claim(fleet, 'west', { podCIDRs: ['10.20.0.0/16', '10.30.0.0/16'] });
    await fleet.until('it is held', () => reasonOf(fleet, 'west') === 'OutsideGrant', 10_000);
    fleet.leader.server.admin.delete(CustomResourceDefinition, { name: 'knownclusters.isthmus.dev' });
    await fleet.clock.advance(15_000);
    expect(podsOf(fleet, 'west')).toBe('10.20.0.0/16');
    announce(fleet.cluster('east'), { podCIDRs: ['10.10.0.0/16'] });
    await fleet.clock.advance(30_000);
    expect(podsOf(fleet, 'west')).toBe('10.20.0.0/16');
    expect(podsOf(fleet, 'east') ?? '').toBe('');
  });

  it('is recorded with what is published when the leader is restored from before there were grants', async () => {
    await using fleet = await fleetWithWest();
    const { admin } = fleet.leader.server;
    admin.patch(KnownCluster, knownRef('west'), { spec: { origin: 'Granted' } });
    await fleet.clock.advance(5_000);
    const before = networkOf(fleet, 'west', 'south');
    fleet.cluster('west').kill();
    fleet.leader.kill();
    admin.delete(KnownCluster, knownRef('west'));
    claim(fleet, 'west', { podCIDRs: ['10.20.0.0/16', '10.30.0.0/16'] });
    fleet.leader.start();
    await fleet.until('it is recorded', () => reasonOf(fleet, 'west') === 'OutsideGrant', 30_000);
    expect(known(fleet, 'west')?.spec).toMatchObject({ origin: 'Observed', pods: ['10.20.0.0/16'] });
    expect(networkOf(fleet, 'west', 'south')).toEqual(before);
  });

  it('is recorded with what it announces first when the leader is restored from before it joined', async () => {
    await using fleet = await fleetWithWest();
    const { admin } = fleet.leader.server;
    const before = networkOf(fleet, 'west', 'south');
    fleet.leader.kill();
    const ref = { namespace: leaderNamespace, name: 'west-clusterinfo' };
    admin.delete(KnownCluster, knownRef('west'));
    admin.patch(ResourceExport, ref, { metadata: { finalizers: [] } });
    admin.delete(ResourceExport, ref);
    admin.delete(ResourceImport, ref);
    fleet.leader.start();
    await fleet.until('it is recorded', () => known(fleet, 'west')?.spec.pods !== undefined, 120_000);
    expect(known(fleet, 'west')?.spec).toMatchObject({ origin: 'Observed', pods: ['10.20.0.0/16'] });
    await fleet.clock.advance(30_000);
    expect(networkOf(fleet, 'west', 'south')).toEqual(before);
  });

  it('is held when its KnownCluster is deleted while it is refused', async () => {
    await using fleet = await fleetWithWest();
    const { admin } = fleet.leader.server;
    admin.patch(KnownCluster, knownRef('west'), { spec: { state: 'Refused' } });
    await fleet.until('it is withdrawn', () => networkOf(fleet, 'west', 'south') === undefined, 10_000);
    admin.delete(KnownCluster, knownRef('west'));
    await fleet.until('it is held', () => reasonOf(fleet, 'west') === 'ClusterHeld', 10_000);
    expect(networkOf(fleet, 'west', 'south')).toBeUndefined();
  });
});

describe('a range that is granted to two clusters', () => {
  const message = (fleet: VirtualFleet, name: string) =>
    conditionOf(known(fleet, name)?.status?.conditions, 'GrantsOverlap')?.message ?? '';
  const grantTo = (fleet: VirtualFleet, name: string, pods: readonly string[]) =>
    fleet.leader.server.admin.put(KnownCluster, {
      metadata: { name, namespace: leaderNamespace },
      spec: { clusterID: name, pods, services: [] },
    });

  it('is reported on both KnownClusters (GrantedTwice), until one is corrected', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    grantTo(fleet, 'east', ['10.10.0.0/16', '10.11.0.0/16']);
    grantTo(fleet, 'west', ['10.20.0.0/16', '10.11.7.0/24']);
    await fleet.until('both have it', () => message(fleet, 'east') !== '' && message(fleet, 'west') !== '', 10_000);
    expect(message(fleet, 'east')).toBe(
      'Granted to two clusters: 10.11.0.0/16 with 10.11.7.0/24 of cluster west. The cluster that is published first has the range. To correct the other grant, run: kubectl -n antrea-multicluster edit knowncluster west',
    );
    expect(message(fleet, 'west')).toContain('10.11.7.0/24 with 10.11.0.0/16 of cluster east');
    grantTo(fleet, 'west', ['10.20.0.0/16']);
    await fleet.until('none has it', () => message(fleet, 'east') + message(fleet, 'west') === '', 10_000);
  });

  it('is not reported of Service CIDRs with Pod IPs as endpoints', async () => {
    for (const endpointIPType of ['PodIP', 'ClusterIP'] as const) {
      await using fleet = await createVirtualFleet({ clusters: four, endpointIPType });
      for (const [name, pods] of [
        ['east', '10.10.0.0/16'],
        ['west', '10.20.0.0/16'],
      ] as const)
        fleet.leader.server.admin.put(KnownCluster, {
          metadata: { name, namespace: leaderNamespace },
          spec: { clusterID: name, pods: [pods], services: ['10.96.0.0/12'] },
        });
      await fleet.clock.advance(10_000);
      expect(message(fleet, 'east') === '').toBe(endpointIPType === 'PodIP');
    }
  });

  it('is not reported of Pod CIDRs to which the leader gives virtual ranges', async () => {
    await using fleet = await createVirtualFleet({
      clusters: four,
      leaderConfig: { virtualPodCIDRs: ['100.64.0.0/10'] },
    });
    for (const name of ['east', 'west']) grantTo(fleet, name, ['10.10.0.0/16']);
    await fleet.clock.advance(10_000);
    expect(known(fleet, 'east')?.status?.conditions).toBeDefined();
    expect(message(fleet, 'east') + message(fleet, 'west')).toBe('');
  });
});

describe('the Services of a cluster', () => {
  const message = ({ server: { admin } }: VirtualCluster) =>
    conditionOf(admin.get(ServiceExport, cart)?.status?.conditions, 'Ready')?.message ?? '';
  const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

  async function fleetWithCart(address: string): Promise<VirtualFleet> {
    const fleet = await fleetWithWest({ endpointIPType: 'PodIP' });
    fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    exportCart(fleet.cluster('west'), address, http);
    return fleet;
  }

  const grant = (fleet: VirtualFleet, spec: Partial<KnownCluster['spec']>) =>
    fleet.leader.server.admin.patch(KnownCluster, knownRef('west'), { spec: { origin: 'Granted', ...spec } });

  it('have no endpoint beyond what an administrator grants, and the exporter reads the command', async () => {
    await using fleet = await fleetWithCart('10.20.1.1');
    const [east, exporter] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is imported', () => importedSlices(east).join() === 'west: 10.20.1.1 http:8080');
    grant(fleet, { pods: west.podCIDRs, services: [west.serviceCIDR] });
    putPod(exporter, 'cart-2', '10.30.1.1');
    await fleet.until('west reads it', () => message(exporter).includes('left out: 10.30.1.1'), 30_000);
    expect(message(exporter)).toContain('kubectl -n antrea-multicluster edit knowncluster west');
    expect(importedSlices(east)).toEqual(['west: 10.20.1.1 http:8080']);
    grant(fleet, { pods: [...west.podCIDRs, '10.30.0.0/16'] });
    await fleet.until('west reads nothing', () => !message(exporter).includes('left out'), 30_000);
  });

  it('keep endpoints beyond a grant that are published, and report them', async () => {
    await using fleet = await fleetWithCart('10.20.1.1');
    const [east, exporter] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is imported', () => importedSlices(east).join() === 'west: 10.20.1.1 http:8080');
    grant(fleet, { pods: ['10.21.0.0/16'], services: [west.serviceCIDR] });
    await fleet.until(
      'west reads it',
      () => message(exporter).includes('kept because they are in use: 10.20.1.1'),
      30_000,
    );
    putPod(exporter, 'cart-2', '10.20.1.2');
    await fleet.until('a new one is left out', () => message(exporter).includes('left out: 10.20.1.2'), 30_000);
    expect(importedSlices(east).join()).toContain('10.20.1.1');
  });

  it('are withdrawn when an administrator refuses it, and come back', async () => {
    await using fleet = await fleetWithCart('10.20.1.1');
    const [east, exporter] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is imported', () => importedSlices(east).length > 0);
    grant(fleet, { state: 'Refused' });
    await fleet.until('it is withdrawn', () => importedSlices(east).length === 0, 10_000);
    await fleet.until('west reads it', () => message(exporter).includes('rejects cluster west'), 10_000);
    grant(fleet, { state: 'Accepted' });
    await fleet.until('it is back', () => importedSlices(east).length > 0, 10_000);
  });

  it('are withdrawn when an administrator refuses it, although its exports are lost and held', async () => {
    await using fleet = await fleetWithCart('10.20.1.1');
    const [east, { admin }] = [fleet.cluster('east'), fleet.leader.server];
    await fleet.until('it is imported', () => importedSlices(east).length > 0);
    fleet.cluster('west').kill();
    for (const { metadata } of admin.list(ResourceExport, leaderNamespace)) {
      if (!metadata.name.startsWith('west-shop-')) continue;
      admin.patch(ResourceExport, metadata, { metadata: { finalizers: [] } });
      admin.delete(ResourceExport, metadata);
    }
    await fleet.clock.advance(120_000);
    expect(importedSlices(east)).toHaveLength(1);
    grant(fleet, { state: 'Refused' });
    await fleet.until('it is withdrawn', () => importedSlices(east).length === 0, 10_000);
  });

  it('stay withdrawn, and stay limited, while their KnownCluster is deleted', async () => {
    await using fleet = await fleetWithCart('10.20.1.1');
    const [east, exporter, { admin }] = [fleet.cluster('east'), fleet.cluster('west'), fleet.leader.server];
    await fleet.until('it is imported', () => importedSlices(east).length > 0);
    grant(fleet, { pods: west.podCIDRs, services: [west.serviceCIDR] });
    putPod(exporter, 'cart-2', '10.30.1.1');
    await fleet.until('it is left out', () => message(exporter).includes('left out: 10.30.1.1'), 30_000);
    const before = known(fleet, 'west');
    admin.delete(KnownCluster, knownRef('west'));
    admin.put(KnownCluster, { metadata: knownRef('west'), spec: before?.spec ?? expect.fail() });
    await fleet.clock.advance(10_000);
    expect(importedSlices(east)).toEqual(['west: 10.20.1.1 http:8080']);
    grant(fleet, { state: 'Refused' });
    await fleet.until('it is withdrawn', () => importedSlices(east).length === 0, 10_000);
    admin.delete(KnownCluster, knownRef('west'));
    await fleet.clock.advance(60_000);
    expect(importedSlices(east)).toEqual([]);
    expect(message(exporter)).toMatch(/rejects cluster west|waits for an administrator/);
  });

  it('of a cluster that is held stay, and new ones wait', async () => {
    await using fleet = await fleetWithCart('10.20.1.1');
    const [east, exporter] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is imported', () => importedSlices(east).length > 0);
    grant(fleet, { state: 'Held' });
    const later = { namespace: cart.namespace, name: 'later' };
    putService(exporter, http, later);
    exporter.server.admin.put(ServiceExport, { metadata: { ...later } });
    const told = () => JSON.stringify(exporter.server.admin.get(ServiceExport, later)?.status ?? {});
    await fleet.until('west reads it', () => told().includes('waits for an administrator'), 30_000);
    expect(importedSlices(east)).toHaveLength(1);
  });
});

describe('the network of a cluster from before there were grants', () => {
  it('stays as it is, and a range of the Internet in it is reported until an administrator confirms it', async () => {
    await using fleet = await fleetWithWest();
    const { admin } = fleet.leader.server;
    const ref = { namespace: leaderNamespace, name: 'west-clusterinfo' };
    const podCIDRs = ['10.20.0.0/16', '93.184.216.0/24'];
    fleet.cluster('west').kill();
    fleet.leader.kill();
    claim(fleet, 'west', { podCIDRs });
    admin.patch(ResourceImport, ref, { spec: { clusterinfo: { podCIDRs } } });
    admin.delete(KnownCluster, knownRef('west'));
    const before = admin.get(ResourceImport, ref)?.spec;
    fleet.leader.start();
    const unusual = () => conditionOf(known(fleet, 'west')?.status?.conditions, 'ObservedUnusual');
    await fleet.until('it is reported', () => unusual()?.reason === 'NeverGranted', 30_000);
    expect(known(fleet, 'west')?.spec).toMatchObject({ origin: 'Observed', pods: podCIDRs });
    expect(admin.get(ResourceImport, ref)?.spec).toEqual(before);
    expect(reasonOf(fleet, 'west')).toBe('AllGranted');
    admin.patch(KnownCluster, knownRef('west'), { spec: { origin: 'Granted' } });
    await fleet.until('it is confirmed', () => unusual() === undefined, 5_000);
  });
});

describe('a grant', () => {
  it('that an administrator wrote before the cluster joins is reported as not announced, and with ranges that are not valid as such', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    const { admin } = fleet.leader.server;
    const spec = { clusterID: 'west', origin: 'Granted', state: 'Accepted', pods: ['10.20.0.0'] } as const;
    admin.put(KnownCluster, { metadata: { name: 'west', namespace: leaderNamespace }, spec });
    await fleet.until('the range is reported', () => reasonOf(fleet, 'west') === 'InvalidRanges', 5_000);
    admin.patch(KnownCluster, knownRef('west'), { spec: { pods: west.podCIDRs } });
    await fleet.until('it waits for the cluster', () => reasonOf(fleet, 'west') === 'NotAnnounced', 5_000);
    announce(fleet.cluster('west'), west);
    await fleet.until('the cluster is used', () => podsOf(fleet, 'west') === '10.20.0.0/16', 10_000);
    await fleet.until('it is within its grant', () => reasonOf(fleet, 'west') === 'AllGranted', 5_000);
    expect(known(fleet, 'west')?.spec).toEqual({ ...spec, pods: west.podCIDRs });
  });
});

describe('a cluster that the leader does not know', () => {
  it('gets no address of the Internet without a grant, and its other ranges at once', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    announce(fleet.cluster('west'), { ...west, podCIDRs: ['10.20.0.0/16', '93.184.216.0/24'] });
    await fleet.until('it is reported', () => reasonOf(fleet, 'west') === 'OutsideGrant', 10_000);
    expect(podsOf(fleet, 'west')).toBe('10.20.0.0/16');
  });

  it('waits for an administrator where unknown clusters are held', async () => {
    await using fleet = await createVirtualFleet({ clusters: four, leaderConfig: { unknownClusters: 'Hold' } });
    announce(fleet.cluster('west'), west);
    await fleet.until('it is held', () => reasonOf(fleet, 'west') === 'ClusterHeld', 10_000);
    await fleet.clock.advance(30_000);
    expect(networkOf(fleet, 'west', 'south')).toBeUndefined();
    expect(conflictOn(fleet.cluster('west'))).toBe('OutsideGrant');
    accept(fleet, 'west');
    await fleet.until('it is used', () => podsOf(fleet, 'west') === '10.20.0.0/16', 10_000);
    await fleet.until('it is within its grant', () => reasonOf(fleet, 'west') === 'AllGranted', 5_000);
  });

  it('is published as before where the kind cannot be read', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    fleet.leader.kill();
    fleet.leader.server.admin.delete(CustomResourceDefinition, { name: 'knownclusters.isthmus.dev' });
    await fleet.clock.advance(5_000);
    fleet.leader.start();
    announce(fleet.cluster('west'), west);
    await fleet.until('it is used', () => podsOf(fleet, 'west') === '10.20.0.0/16', 30_000);
  });

  it('does not get the range of another cluster behind 64 ranges that it may not have', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    announce(fleet.cluster('west'), { serviceCIDR: west.serviceCIDR });
    await fleet.until('west is observed', () => known(fleet, 'west') !== undefined);
    announce(fleet.cluster('east'), { podCIDRs: ['10.10.0.0/16'] });
    await fleet.until('east is used', () => podsOf(fleet, 'east') === '10.10.0.0/16', 10_000);
    fleet.cluster('west').kill();
    const internet = Array.from({ length: 64 }, (_, at) => `8.8.${at}.0/24`);
    const spellings = Array.from({ length: 70 }, (_, at) => `10.200.0.${at}/16`);
    for (const junk of [internet, spellings]) {
      claim(fleet, 'west', { podCIDRs: [...junk, '10.10.0.0/16'] });
      await fleet.clock.advance(20_000);
      expect(podsOf(fleet, 'west') ?? '').not.toContain('10.10.0.0/16');
      expect(podsOf(fleet, 'east')).toBe('10.10.0.0/16');
    }
  });

  it('whose range an administrator grants to another one loses it, whatever it announces', async () => {
    await using fleet = await fleetWithWest();
    fleet.cluster('west').kill();
    claim(fleet, 'west', { podCIDRs: ['10.99.0.0/16'] });
    await fleet.until('it is held', () => reasonOf(fleet, 'west') === 'OutsideGrant', 10_000);
    expect(podsOf(fleet, 'west')).toBe('10.20.0.0/16');
    fleet.leader.server.admin.put(KnownCluster, {
      metadata: { name: 'east', namespace: leaderNamespace },
      spec: { clusterID: 'east', origin: 'Granted', state: 'Accepted', pods: ['10.20.0.0/16'] },
    });
    announce(fleet.cluster('east'), { podCIDRs: ['10.20.0.0/16'] });
    await fleet.until('east has it', () => podsOf(fleet, 'east') === '10.20.0.0/16', 10_000);
    await fleet.until('west has not', () => (podsOf(fleet, 'west') ?? '') === '', 10_000);
  });

  it('cannot keep a range from a cluster to which an administrator grants it', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    announce(fleet.cluster('west'), { ...west, podCIDRs: ['10.0.0.0/12', '10.20.0.0/16'] });
    await fleet.until('west is observed', () => known(fleet, 'west') !== undefined);
    announce(fleet.cluster('east'), { podCIDRs: ['10.10.0.0/16'] });
    await fleet.until('east is not used', () => conflictOn(fleet.cluster('east')) === 'RangeOverlaps', 10_000);
    fleet.leader.server.admin.put(KnownCluster, {
      metadata: { name: 'east', namespace: leaderNamespace },
      spec: { clusterID: 'east', origin: 'Granted', state: 'Accepted', pods: ['10.10.0.0/16'] },
    });
    await fleet.until('east is used', () => podsOf(fleet, 'east') === '10.10.0.0/16', 10_000);
    await fleet.until('west has the rest', () => podsOf(fleet, 'west') === '10.20.0.0/16', 10_000);
  });
});

describe('a fleet of twenty clusters of which half run Antrea', () => {
  const names = Array.from({ length: 20 }, (_, at) => `member-${at + 10}`);
  const members = Object.fromEntries(names.map((name) => [name, 'member'] as const));

  /** Members of Antrea announce a network without the configuration of ours. */
  const announceAsAntrea = (fleet: VirtualFleet, name: string, at: number) =>
    fleet.leader.server.admin.put(ResourceExport, {
      metadata: {
        name: `${name}-clusterinfo`,
        namespace: leaderNamespace,
        labels: { sourceKind: 'ClusterInfo', sourceClusterID: name },
      },
      spec: {
        clusterID: name,
        kind: 'ClusterInfo',
        name,
        namespace: memberNamespace,
        clusterInfo: {
          clusterID: name,
          serviceCIDR: `10.${97 + at}.0.0/16`,
          podCIDRs: [`10.${200 + at}.0.0/16`],
          gatewayInfos: [{ gatewayIP: `192.0.2.${100 + at}` }],
        },
      },
    });

  it('changes nothing at the upgrade of its leader, and has an Observed object for each cluster', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', ...members } });
    const { admin } = fleet.leader.server;
    const definition = admin.get(CustomResourceDefinition, { name: 'knownclusters.isthmus.dev' });
    if (definition === undefined) throw new Error('the leader has no definition');
    admin.delete(CustomResourceDefinition, definition.metadata);
    names.forEach((name, at) => {
      const cluster = fleet.cluster(name);
      cluster.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
      if (at % 2 === 0)
        return announce(cluster, { serviceCIDR: `10.${97 + at}.0.0/16`, podCIDRs: [`10.${200 + at}.0.0/16`] });
      cluster.kill();
      runAntreaBeside(fleet, cluster);
      return announceAsAntrea(fleet, name, at);
    });
    for (const name of names.slice(0, 2)) exportCart(fleet.cluster(name), '10.244.1.1');
    const isthmus = names.filter((_, at) => at % 2 === 0).map((name) => fleet.cluster(name));
    const knowsAll = ({ server }: VirtualCluster) => server.admin.list(ClusterInfoImport).length === names.length - 1;
    await fleet.until('all of ours know all', () => isthmus.every(knowsAll), 120_000);
    await fleet.clock.advance(60_000);
    const objects = () => [
      admin.list(ResourceImport).map(({ metadata, spec }) => [metadata.uid, spec]),
      ...names.map((name) => {
        const { admin: own } = fleet.cluster(name).server;
        return [own.list(Service), own.list(EndpointSlice), own.list(ClusterInfoImport).map(({ spec }) => spec)];
      }),
    ];
    const before = objects();
    expect(before.flat(2).length).toBeGreaterThan(300);
    fleet.leader.kill();
    admin.put(CustomResourceDefinition, { metadata: { name: definition.metadata.name }, spec: definition.spec });
    await fleet.clock.advance(1_000);
    fleet.leader.start();
    await fleet.until('all are recorded', () => admin.list(KnownCluster).length === names.length, 60_000);
    await fleet.clock.advance(30_000);
    expect(objects()).toEqual(before);
    expect(new Set(names.map((name) => `${known(fleet, name)?.spec.origin} ${reasonOf(fleet, name)}`))).toEqual(
      new Set(['Observed AllGranted']),
    );
  });
});
