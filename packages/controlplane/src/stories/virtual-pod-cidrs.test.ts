import {
  ClusterInfoImport,
  ClusterSet,
  EndpointSlice,
  Gateway,
  Label,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
} from '@isthmus/api';
import { parseYaml } from '@isthmus/machinery';
import type { VirtualFleet, VirtualFleetOptions } from '@isthmus/fleet-sim';
import {
  cart,
  exportCart,
  clusterSetName,
  createVirtualFleet,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { four } from '../testing/announced-network.ts';
import { startStory } from '../../../../scripts/pages/testing/story.ts';
import {
  announce,
  clusterSetOf,
  conditionOn,
  ledgerAnnotation,
  ledgerOf,
  same,
  virtualAnnotation,
} from '../testing/virtual-ranges-story.ts';

const pool = ['100.64.0.0/10'];

const networkOf = (fleet: VirtualFleet, cluster: string, seenBy: string) =>
  fleet.cluster(seenBy).server.admin.get(ClusterInfoImport, {
    namespace: memberNamespace,
    name: `${cluster}-clusterinfo`,
  });
const podCIDRs = (fleet: VirtualFleet, cluster: string, seenBy: string) =>
  (networkOf(fleet, cluster, seenBy)?.spec?.podCIDRs ?? []).join(' ');
/** The ranges that the agents of a cluster read. */
const ownOf = (fleet: VirtualFleet, cluster: string) =>
  clusterSetOf(fleet.cluster(cluster))?.metadata.annotations?.[virtualAnnotation] ?? '';

const eastRange = '100.64.0.0/16';
const westRange = '100.65.0.0/16';
const both = `east 10.10.0.0/16=${eastRange}, west 10.10.0.0/16=${westRange}`;
const areBridged = (fleet: VirtualFleet) =>
  podCIDRs(fleet, 'east', 'south') === `10.10.0.0/16 ${eastRange}` && podCIDRs(fleet, 'west', 'south') === westRange;

/** East and west, in this order, with the same Pod CIDR. */
async function overlappingFleet(options: Partial<VirtualFleetOptions> = {}): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: four, leaderConfig: { virtualPodCIDRs: pool }, ...options });
  announce(fleet.cluster('east'), same);
  await fleet.until('south knows east', () => networkOf(fleet, 'east', 'south') !== undefined);
  announce(fleet.cluster('west'), same);
  announce(fleet.cluster('south'), ['10.20.0.0/16']);
  return fleet;
}

describe('the guide of the agents', () => {
  const guide = startStory(import.meta.url, 'docs/guides/agent.md');

  it('has a setting of the leader that gives members with the same Pod CIDR virtual ones', async () => {
    await guide.run('Pods with the same addresses', async (yaml) => {
      const [setting] = parseYaml(yaml, { source: 'agent.md' });
      await using fleet = await overlappingFleet({
        leaderConfig: setting?.value as VirtualFleetOptions['leaderConfig'],
      });
      await fleet.until('both are bridged', () => areBridged(fleet), 10_000);
    });
  });
});

describe('members with the same Pod CIDR', () => {
  it('get virtual ones, which other clusters know once the agents of the cluster can, and the first one keeps its own as well', async () => {
    await using fleet = await overlappingFleet();
    await fleet.until('both are bridged', () => areBridged(fleet), 10_000);
    expect(ledgerOf(fleet)).toBe(both);
    expect([ownOf(fleet, 'east'), ownOf(fleet, 'west'), ownOf(fleet, 'south')]).toEqual([
      `10.10.0.0/16=${eastRange}`,
      `10.10.0.0/16=${westRange}`,
      '',
    ]);
    expect(networkOf(fleet, 'west', 'east')?.metadata.annotations?.[virtualAnnotation]).toBe(
      `10.10.0.0/16=${westRange}`,
    );
    await fleet.until('nobody reports a conflict', () =>
      ['east', 'west', 'south'].every((name) => conditionOn(fleet, name, 'NetworkConflict') === undefined),
    );
    expect(conditionOn(fleet, 'west', 'PodCIDRsTranslated')).toMatchObject({
      status: 'True',
      reason: 'VirtualPodCIDRsAllotted',
      message: `A Pod CIDR of this cluster overlaps with a range of another cluster. Other clusters use these virtual ranges for Pods of this cluster: ${westRange} instead of 10.10.0.0/16. Inside this cluster, Pods keep their own addresses.`,
    });
    expect(conditionOn(fleet, 'south', 'PodCIDRsTranslated')).toBeUndefined();
    // No write follows without a cause.
    const written = () =>
      fleet.leader.server
        .requestLog()
        .filter((line) => / (POST|PATCH) \S*(clustersets|resourceexports|resourceimports)/.test(line))
        .filter((line) => !line.includes('lastHeartbeatTime'));
    await fleet.clock.advance(10_000);
    const before = written().length;
    await fleet.clock.advance(120_000);
    expect(written().slice(before)).toEqual([]);
  });

  it('keep them while leaders, members and exports are lost and come back, and when the overlap is over', async () => {
    await using fleet = await overlappingFleet();
    await fleet.until('both are bridged', () => areBridged(fleet), 10_000);
    fleet.leader.kill();
    fleet.leader.start();
    for (const { metadata } of fleet.leader.server.admin.list(ResourceExport))
      fleet.leader.server.admin.delete(ResourceExport, metadata);
    await fleet.clock.advance(60_000);
    expect(ledgerOf(fleet)).toBe(both);
    expect(areBridged(fleet)).toBe(true);
    fleet.cluster('east').server.admin.delete(Gateway, { namespace: memberNamespace, name: 'node-1' });
    await fleet.until('east is gone', () => networkOf(fleet, 'east', 'south') === undefined, 30_000);
    await fleet.until(
      'west has its own as well',
      () => podCIDRs(fleet, 'west', 'south') === `10.10.0.0/16 ${westRange}`,
    );
    expect(ownOf(fleet, 'east')).toBe('');
    expect(ledgerOf(fleet)).toContain(`east 10.10.0.0/16=${eastRange} free from `);
    announce(fleet.cluster('east'), same);
    await fleet.until('east is back with its range', () => ledgerOf(fleet) === both, 10_000);
  });

  it('have them again after a leader was restored that knew of nothing', async () => {
    await using fleet = await overlappingFleet();
    await fleet.until('both are bridged', () => areBridged(fleet), 10_000);
    // The reverse of a new allotment by a leader.
    const swapped = `east 10.10.0.0/16=${westRange}, west 10.10.0.0/16=${eastRange}`;
    expect(ledgerOf(fleet)).not.toBe(swapped);
    fleet.leader.kill();
    const { admin } = fleet.leader.server;
    const ref = { namespace: leaderNamespace, name: clusterSetName };
    admin.patch(ClusterSet, ref, { metadata: { annotations: { [ledgerAnnotation]: null } } });
    for (const { metadata } of admin.list(ResourceImport))
      admin.patch(ResourceImport, metadata, { metadata: { annotations: { [virtualAnnotation]: null } } });
    const [first, second] = ['east', 'west'].map((name) => ({
      namespace: leaderNamespace,
      name: `${name}-clusterinfo`,
    }));
    admin.patch(ResourceExport, first ?? ref, {
      metadata: { annotations: { [virtualAnnotation]: `10.10.0.0/16=${westRange}` } },
    });
    admin.patch(ResourceExport, second ?? ref, {
      metadata: { annotations: { [virtualAnnotation]: `10.10.0.0/16=${eastRange}` } },
    });
    for (const [name, range] of [
      ['east', westRange],
      ['west', eastRange],
    ] as const)
      fleet
        .cluster(name)
        .server.admin.patch(
          ClusterSet,
          { namespace: memberNamespace, name: clusterSetName },
          { metadata: { annotations: { [virtualAnnotation]: `10.10.0.0/16=${range}` } } },
        );
    fleet.leader.start();
    await fleet.until('it has learned them', () => ledgerOf(fleet) === swapped, 10_000);
    await fleet.until('they are published', () => podCIDRs(fleet, 'west', 'south') === eastRange, 10_000);
  });

  it('are reported on the ClusterSets of both where one has no agents that translate', async () => {
    await using fleet = await createVirtualFleet({ clusters: four, leaderConfig: { virtualPodCIDRs: pool } });
    announce(fleet.cluster('east'), same, 'antrea');
    await fleet.until('south knows east', () => networkOf(fleet, 'east', 'south') !== undefined);
    announce(fleet.cluster('west'), same);
    announce(fleet.cluster('south'), ['10.20.0.0/16']);
    await fleet.until('west is known by a virtual one', () => podCIDRs(fleet, 'west', 'south') === eastRange, 10_000);
    await fleet.until('both report it', () =>
      ['east', 'west'].every(
        (name) =>
          conditionOn(fleet, name, 'NetworkConflict')?.message?.includes('The leader gives east no virtual range') ===
          true,
      ),
    );
    expect(podCIDRs(fleet, 'east', 'south')).toBe('10.10.0.0/16');
  });

  it('are reported on the leader where no range is left, until there are more', async () => {
    const leaderConfig = { virtualPodCIDRs: ['100.64.0.0/15'] };
    await using fleet = await overlappingFleet({ leaderConfig });
    await fleet.until(
      'the leader reports it',
      () => conditionOn(fleet, 'north', 'VirtualPodCIDRsMissing') !== undefined,
      10_000,
    );
    expect(conditionOn(fleet, 'north', 'VirtualPodCIDRsMissing')).toMatchObject({
      status: 'True',
      reason: 'PoolExhausted',
      message:
        'Pod CIDRs overlap with ranges of other clusters and have no virtual range, because the pool is too small for them: 10.10.0.0/16 of east (more than a quarter of the pool for this cluster), 10.10.0.0/16 of west (more than a quarter of the pool for this cluster). Add ranges to virtualPodCIDRs in the configuration of this controller.',
    });
    expect(conditionOn(fleet, 'west', 'NetworkConflict')?.message).toContain(
      'Or add ranges to virtualPodCIDRs in the configuration of the leader: one cluster gets at most a quarter.',
    );
    fleet.leader.kill();
    leaderConfig.virtualPodCIDRs = pool;
    fleet.leader.start();
    await fleet.until(
      'nobody reports it',
      () => conditionOn(fleet, 'north', 'VirtualPodCIDRsMissing') === undefined,
      10_000,
    );
    await fleet.until('both are bridged', () => areBridged(fleet), 10_000);
  });
});

/** `source: address…` of the slices of cart: those only for agents, or those that all read. */
const addressesIn = (fleet: VirtualFleet, cluster: string, areForAgents = false) =>
  fleet
    .cluster(cluster)
    .server.admin.list(EndpointSlice, cart.namespace)
    .filter(({ metadata: { labels = {} } }) => labels[Label.mcsServiceName] === cart.name)
    .filter(({ metadata: { labels = {} } }) => (labels[Label.serviceName] === undefined) === areForAgents)
    .map(({ metadata: { labels = {} }, endpoints }) =>
      [`${labels[Label.mcsSourceCluster]}:`, ...(endpoints ?? []).flatMap(({ addresses }) => addresses)].join(' '),
    )
    .join(' | ');

describe('endpoints of a cluster with virtual Pod CIDRs', () => {
  it('are translated where there are agents, whether PodIP or headless, and are those of the Pods at home, on the wire and elsewhere', async () => {
    await using fleet = await overlappingFleet({ endpointIPType: 'PodIP' });
    await fleet.until('both are bridged', () => areBridged(fleet), 10_000);
    announce(fleet.cluster('south'), ['10.20.0.0/16'], 'antrea');
    for (const name of ['east', 'south'])
      fleet.cluster(name).server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    exportCart(fleet.cluster('west'), '10.10.1.5');
    await fleet.until('east imports', () => addressesIn(fleet, 'east') === 'west: 100.65.1.5');
    await fleet.until('south imports', () => addressesIn(fleet, 'south') === 'west: 10.10.1.5');
    expect(addressesIn(fleet, 'west')).toBe('west: 10.10.1.5');
    const ref = { namespace: leaderNamespace, name: 'west-shop-cart-endpoints' };
    const exported = fleet.leader.server.admin.get(ResourceExport, ref)?.spec;
    expect(exported?.endpoints?.subsets?.[0]?.addresses).toEqual([{ ip: '10.10.1.5' }]);
    // A restart writes nothing else in between, and new agents get virtual addresses.
    const seen = new Set<string>();
    fleet.cluster('east').server.admin.onChange(() => seen.add(addressesIn(fleet, 'east')));
    fleet.cluster('east').kill();
    fleet.cluster('east').start('member', { podCIDRs: same });
    fleet.leader.kill();
    await fleet.clock.advance(90_000);
    fleet.leader.start();
    await fleet.clock.advance(90_000);
    expect([...seen]).toEqual(['west: 100.65.1.5']);
    announce(fleet.cluster('south'), ['10.20.0.0/16'], 'isthmus');
    await fleet.until('south has agents', () => addressesIn(fleet, 'south') === 'west: 100.65.1.5');
  });

  it('are translated behind a ClusterIP', async () => {
    await using fleet = await overlappingFleet();
    await fleet.until('both are bridged', () => areBridged(fleet), 10_000);
    fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    exportCart(fleet.cluster('west'), '10.10.1.5');
    await fleet.until('east imports', () => addressesIn(fleet, 'east', true) === 'west: 100.65.1.5');
    expect(addressesIn(fleet, 'east')).toBe(
      `west: ${fleet.cluster('west').server.admin.get(Service, cart)?.spec?.clusterIP}`,
    );
  });
});
