import { ClusterSet, MemberClusterAnnounce, ResourceExport, ResourceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportCart,
  importedSlices,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { createPipelines } from '../testing/pipelines.ts';

const hour = 3_600_000;
const clusterSetRef = { namespace: memberNamespace, name: clusterSetName };
const announceRef = { namespace: leaderNamespace, name: 'member-announce-from-west' };

async function fleetWithCart(forgottenAfterMs?: number): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, forgottenAfterMs });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  await fleet.until('west has imported', () => importedSlices(fleet.cluster('west')).length === 1);
  await fleet.clock.advance(15_000);
  return fleet;
}

const hasLeft = (fleet: VirtualFleet) => () =>
  fleet.cluster('west').server.admin.get(ClusterSet, clusterSetRef) === undefined;

describe('a wall clock that jumps while a member leaves', () => {
  it.each([-48, 48])('by %i h changes nothing of the minute that a dead leader is given', async (hours) => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').cut('silence');
    west.server.admin.delete(ClusterSet, clusterSetRef);
    await fleet.clock.advance(5_000);
    fleet.clock.jump(hours * hour);
    await fleet.clock.advance(50_000);
    expect(hasLeft(fleet)()).toBe(false);
    await fleet.until('west has left', hasLeft(fleet), 20_000);
    await fleet.clock.advance(1_000);
    expect(eventsOf(west).join()).toMatch(/LeaderUnreachable/);
  });

  it('does not make it leave without a leader that only takes its time', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    fleet.leader.kill();
    west.server.admin.delete(ClusterSet, clusterSetRef);
    fleet.clock.jump(2 * hour);
    await fleet.clock.advance(20_000);
    expect(hasLeft(fleet)()).toBe(false);
    fleet.leader.start();
    await fleet.until('west has left', hasLeft(fleet), 20_000);
    expect(fleet.leader.server.admin.list(ResourceExport)).toEqual([]);
    expect(eventsOf(west).join()).not.toMatch(/LeaderUnreachable/);
  });
});

describe('a member whose wall clock is wrong', () => {
  /** Heartbeats as a member writes them whose clock is off by this much. */
  async function beatFor(fleet: VirtualFleet, seconds: number, offMs: number): Promise<void> {
    for (let second = 0; second < seconds; second += 10) {
      const annotations = { 'touch-ts': new Date(fleet.clock.now() + offMs).toISOString() };
      fleet.leader.server.admin.patch(MemberClusterAnnounce, announceRef, { metadata: { annotations } });
      await fleet.clock.advance(10_000);
    }
  }

  it.each([-30, -48, 48])('by %i h is not forgotten for a short silence', async (hours) => {
    await using fleet = await fleetWithCart(hour);
    const west = fleet.cluster('west');
    west.kill();
    await beatFor(fleet, 60, hours * hour);
    await fleet.clock.advance(hour / 12);
    expect(fleet.leader.server.admin.list(ResourceExport)).toHaveLength(2);
    await beatFor(fleet, 60, hours * hour);
    expect(fleet.leader.server.admin.list(ResourceExport)).toHaveLength(2);
    await fleet.clock.advance(hour + hour / 12);
    expect(fleet.leader.server.admin.list(ResourceExport)).toEqual([]);
  });
});

it("a leader's wall clock that jumps ahead by two days forgets nobody who is away for a minute", async () => {
  await using fleet = await fleetWithCart(hour);
  const uids = () => fleet.leader.server.admin.list(ResourceExport).map(({ metadata }) => metadata.uid);
  const before = uids();
  fleet.cluster('west').kill();
  await fleet.clock.advance(40_000);
  fleet.clock.jump(48 * hour);
  await fleet.clock.advance(hour / 12);
  fleet.cluster('west').start();
  await fleet.clock.advance(60_000);
  expect(uids()).toEqual(before);
});

describe('a cluster whose clock is a day off', () => {
  const clocks = ['north', 'east', 'west'].flatMap((cluster) => [-25, 25].map((hours) => ({ cluster, hours })));
  const clusterSetOf = ({ name, server }: VirtualCluster) =>
    server.admin.get(ClusterSet, { ...clusterSetRef, namespace: name === 'north' ? leaderNamespace : memberNamespace });
  const conditionsOf = (cluster: VirtualCluster) =>
    (clusterSetOf(cluster)?.status?.conditions ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ type }) => type)
      .toSorted();

  it.each(sweepOf(clocks, { oneIn: 3, kindOf: ({ cluster }) => (cluster === 'north' ? 'leader' : 'member') }))(
    '$cluster by $hours h, exchanges and withdraws everything as one whose clock is right',
    async ({ cluster, hours }) => {
      await using pipelines = await createPipelines({ clockErrorsMs: { [cluster]: hours * hour } });
      const { fleet, breaches } = pipelines;
      const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
      exportCart(west, '10.20.1.5');
      // The labels of the Pod of that Service.
      pipelines.otherLabels = 1;
      await fleet.until('east has imported', () => importedSlices(east).length === 1);
      await pipelines.untilCurrent(pipelines.change(), 20_000);
      // The numbers of the former labels are kept for five minutes, not for a day.
      const labels = () =>
        fleet.leader.server.admin.list(ResourceImport).filter(({ spec }) => spec?.kind === 'LabelIdentity').length;
      expect(labels()).toBe(6);
      await fleet.clock.advance(280_000);
      expect(labels()).toBe(6);
      await fleet.clock.advance(60_000);
      expect(labels()).toBe(4);
      expect([fleet.leader, east, west].map(conditionsOf)).toEqual([['Ready'], ['Ready'], ['Ready']]);
      west.kill();
      await fleet.clock.advance(45_000);
      const ofWest = clusterSetOf(fleet.leader)?.status?.clusterStatuses?.find(({ clusterID }) => clusterID === 'west');
      expect(conditionOf(ofWest?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'Disconnected' });
      const round = pipelines.change();
      await fleet.clock.advance(60_000);
      expect(importedSlices(east)).toHaveLength(1);
      west.start();
      await pipelines.untilCurrent(round, 60_000);
      west.server.admin.delete(ClusterSet, clusterSetRef);
      await fleet.until('west has left', () => importedSlices(east).length === 0, 20_000);
      expect(breaches.filter((line) => !/west/.test(line))).toEqual([]);
    },
  );
});
