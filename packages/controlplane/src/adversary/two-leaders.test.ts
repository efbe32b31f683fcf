import { ClusterSet, Gateway, ResourceImport, Service } from '@isthmus/api';
import { createClient, createEventRecorder, memoryLog, noMetrics } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import type { FaultyTransport, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cartStory,
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  exportCart,
  exportService,
  grantAccess,
  importedSlices,
  isClean,
  leaderNamespace,
  memberNamespace,
  play,
  recordWrites,
  serviceAccount,
  unexportService,
  westPorts,
  withFaults,
} from '@isthmus/fleet-sim';
import { checksAllPoints, sweepOf } from '@isthmus/testkit';
import { allottedTo, defaultLeaderConfig, parseAllotmentLedger } from '@isthmus/wire';
import type { LeaderConfig } from '@isthmus/wire';
import { leaderAdmission } from '@isthmus/install';
import { describe, expect, it } from 'vitest';
import { leaderAccess } from '../role-access.ts';
import { createLeader } from '../leader/leader.ts';

const three = { north: 'leader', east: 'member', west: 'member' } as const;

/**
 * Starts a second leader process, as exists while a Lease changes its holder and the first was
 * paused. Returns its connection to the API server.
 */
function startSecond(
  fleet: VirtualFleet,
  version = '0.1.0',
  config: LeaderConfig = defaultLeaderConfig,
): FaultyTransport & { readonly stop: () => void } {
  const access = leaderAccess.filter(({ at }) => at === 'local');
  const to = { kind: 'ServiceAccount', namespace: leaderNamespace, name: 'second' };
  grantAccess(fleet.leader.server.admin, { name: 'second', namespace: leaderNamespace, access, to });
  const { clock } = fleet;
  const transport = withFaults(fleet.leader.server.transport(serviceAccount(leaderNamespace, 'second')), clock);
  const world = { clock, random: seededRandom(99), log: memoryLog(), metrics: noMetrics };
  const client = createClient({ transport, clock });
  const end = new AbortController();
  const recorder = { ...world, client, component: 'isthmus-leader', instance: 'second', signal: end.signal };
  const events = createEventRecorder(recorder);
  void createLeader({
    client,
    namespace: leaderNamespace,
    version,
    events,
    config,
    world,
    admission: leaderAdmission({ client, namespace: leaderNamespace, world }),
  }).run(end.signal);
  return { ...transport, stop: () => end.abort(new Error('stopped')) };
}

describe('two leaders at once', () => {
  it('give each virtual range to one cluster, move none, and then rest', async () => {
    const leaderConfig = { virtualPodCIDRs: ['100.64.0.0/10'] };
    await using fleet = await createVirtualFleet({ clusters: { ...three, south: 'member' }, leaderConfig });
    const second = startSecond(fleet, '0.1.0', { ...defaultLeaderConfig, ...leaderConfig });
    const { admin } = fleet.leader.server;
    const ledger = () => {
      const ref = { namespace: leaderNamespace, name: clusterSetName };
      return admin.get(ClusterSet, ref)?.metadata.annotations?.['isthmus.dev/allotted-pod-cidrs'] ?? '';
    };
    // All numbers that were ever written, in their written form.
    const given = new Set<string>();
    admin.onChange(() => {
      for (const [, clusterID, range] of ledger().matchAll(/(\w+) \S+=(\S+\d)/g)) given.add(`${clusterID} ${range}`);
    });
    const names = ['east', 'west', 'south'];
    for (const [number, name] of names.entries()) {
      const cluster = fleet.cluster(name);
      cluster.kill();
      cluster.start('member', { podCIDRs: ['10.10.0.0/16'] });
      const annotations = { 'isthmus.dev/dataplane': 'isthmus' };
      cluster.server.admin.put(Gateway, {
        metadata: { name: 'node-1', namespace: memberNamespace, annotations },
        gatewayIP: `192.0.2.${number + 1}`,
        serviceCIDR: `10.${96 + number}.0.0/16`,
      });
    }
    const hasRange = (name: string) => allottedTo(parseAllotmentLedger(ledger()), name).length === 1;
    await fleet.until('each has a range', () => names.every(hasRange), 20_000);
    await fleet.clock.advance(60_000);
    expect(given.size).toBe(names.length);
    expect(new Set([...given].map((one) => one.split(' ')[1])).size).toBe(3);
    const writes = recordWrites(fleet);
    await fleet.clock.advance(120_000);
    expect(writes()).toEqual([]);
    second.stop();
  });

  it('come to the same story, and then rest', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const second = startSecond(fleet);
    await play(fleet, cartStory.slice(0, -2));
    await fleet.clock.advance(60_000);
    const writes = recordWrites(fleet);
    await fleet.clock.advance(180_000);
    expect(writes()).toEqual([]);
    await play(fleet, cartStory.slice(-2));
    expect(isClean(fleet)).toBe(true);
    second.stop();
  });

  it.runIf(checksAllPoints())('of two versions write a bounded number of times', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const second = startSecond(fleet, '0.2.0');
    await play(fleet, cartStory.slice(0, 3));
    await fleet.clock.advance(60_000);
    const writes = recordWrites(fleet);
    await fleet.clock.advance(60_000);
    // Each writes its own version on the ClusterSet, and nothing else.
    expect(writes().filter((line) => !line.includes('/clustersets/'))).toEqual([]);
    expect(writes().length).toBeLessThanOrEqual(240);
    second.stop();
  });
});

describe('a leader that was paused and wakes while another leads', () => {
  it.each(sweepOf([50, 500, 5_000], { oneIn: 2 }))(
    'after %i ms takes nothing away that was exported meanwhile',
    async (pausedMs) => {
      await using fleet = await createVirtualFleet({ clusters: three });
      const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
      exportCart(west, '10.20.1.5');
      exportCart(east, '10.10.3.4');
      await fleet.until('both have imported both', () =>
        [east, west].every((member) => importedSlices(member).length === 2),
      );
      await fleet.clock.advance(15_000);
      const uid = () => east.server.admin.get(Service, derivedCart)?.metadata.uid;
      const before = uid();
      // The next requests of the first leader hang; the other leader does the work.
      const first = fleet.link('north-leader', 'north');
      unexportService(west);
      await fleet.clock.advance(1);
      first.cut('silence');
      const second = startSecond(fleet);
      await fleet.until('west is withdrawn', () => importedSlices(east).length === 1);
      exportService(west);
      await fleet.until('and back', () => importedSlices(east).length === 2);
      await fleet.clock.advance(pausedMs);
      first.heal();
      await fleet.clock.advance(60_000);
      expect(importedSlices(east)).toHaveLength(2);
      expect(uid()).toBe(before);
      expect(fleet.leader.server.admin.list(ResourceImport)).toHaveLength(4);
      second.stop();
    },
  );

  it('leaves no import of what was withdrawn meanwhile', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    const first = fleet.link('north-leader', 'north');
    exportCart(west, '10.20.1.5', westPorts);
    await fleet.clock.advance(1);
    first.cut('silence');
    const second = startSecond(fleet);
    await fleet.until('west has imported', () => importedSlices(west).length === 1);
    unexportService(west);
    await fleet.until('all is withdrawn', () => isClean(fleet));
    first.heal();
    // Imports that the first leader published again have no exports. They are held until their
    // member has sent heartbeats for a minute.
    await fleet.clock.advance(120_000);
    expect(isClean(fleet)).toBe(true);
    second.stop();
  });
});
