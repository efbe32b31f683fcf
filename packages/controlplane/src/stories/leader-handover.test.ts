import { ClusterSet, MemberClusterAnnounce, Pod, ResourceImport, Service, ServiceImport } from '@isthmus/api';
import { createClient } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterAdmin,
  clusterSetCondition,
  clusterSetName,
  derivedCart,
  eventsOf,
  installAntreaDefinitions,
  leaderNamespace,
  memberNamespace,
  putPod,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';
import { handOver } from '../handover/hand-over.ts';
import { planLeaderHandover } from '../handover/leader-plan.ts';
import { readLeader } from '../handover/read-state.ts';
import { addresses, fleetOfThree, members, recordGaps } from '../testing/cart-of-three.ts';

async function handOverLeader({ leader, clock }: VirtualFleet): Promise<readonly string[]> {
  const client = createClient({ transport: leader.server.transport(clusterAdmin), clock });
  const { signal } = new AbortController();
  const kinds: string[] = [];
  const plan = planLeaderHandover(await readLeader({ client, namespace: leaderNamespace, signal }));
  await handOver(plan.steps, {
    client,
    clock,
    signal,
    runGroup([first], work) {
      kinds.push(first?.kind ?? '');
      return work();
    },
  });
  return kinds;
}

const existing = ({ server: { admin } }: VirtualCluster) => [
  admin.get(Service, derivedCart)?.metadata.uid,
  admin.get(ServiceImport, { namespace: 'shop', name: 'cart' })?.metadata.uid,
];

const heldAt = ({ server }: VirtualCluster) =>
  conditionOf(
    server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })?.status?.conditions,
    'WithdrawalHeld',
  );

describe('a leader that is handed over to Antrea', () => {
  it.each([
    { exporters: ['east', 'west'] as const, kinds: ['release', 'merge', 'release'] },
    { exporters: ['east'] as const, kinds: ['release'] },
  ])(
    'has nothing of Isthmus left, and members that go on running have all endpoints at every moment, hold nothing, and stay Ready',
    async ({ exporters, kinds }) => {
      await using fleet = await fleetOfThree(15_000, exporters);
      const { admin } = fleet.leader.server;
      const before = members(fleet).map(existing);
      const gaps = recordGaps(fleet, exporters.length > 1 ? ['10.10.1.1', '10.20.1.1'] : ['10.10.1.1']);
      fleet.leader.kill('leader');
      expect(await handOverLeader(fleet)).toEqual(kinds);
      await installAntreaDefinitions(fleet.leader.server, fleet.clock);
      runAntreaLeader(fleet);
      await fleet.clock.advance(60_000);

      expect(gaps()).toEqual([]);
      expect(members(fleet).map(existing)).toEqual(before);
      const names = admin.list(ResourceImport, leaderNamespace).map(({ metadata }) => metadata.name);
      expect(names).toEqual(['shop-cart-endpoints', 'shop-cart-service']);
      const ofOurs = admin
        .list(ResourceImport, leaderNamespace)
        .flatMap(({ metadata }) => Object.keys({ ...metadata.labels, ...metadata.annotations }));
      expect(ofOurs).toEqual([]);
      expect(
        admin.list(ResourceImport, leaderNamespace).filter(({ spec }) => spec?.endpointSlices !== undefined),
      ).toEqual([]);
      const answers = admin
        .list(MemberClusterAnnounce, leaderNamespace)
        .flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {}).filter((key) => key.includes('answered')));
      expect(answers).toEqual([]);
      for (const member of members(fleet)) {
        expect(clusterSetCondition(member)).toBe('True Connected');
        expect(heldAt(member)?.status ?? 'absent').toBe('absent');
        expect(eventsOf(member).filter((event) => event.startsWith('WithdrawalHeld'))).toEqual([]);
      }
      // A second run finds nothing to do.
      expect(await handOverLeader(fleet)).toEqual([]);
    },
  );

  it('is followed by its members: what comes, what goes, and what is withdrawn without a mark within a minute', async () => {
    await using fleet = await fleetOfThree(15_000);
    fleet.leader.kill('leader');
    await handOverLeader(fleet);
    runAntreaLeader(fleet);
    putPod(fleet.cluster('east'), 'cart-2', '10.10.1.2');
    fleet.cluster('east').server.admin.delete(Pod, { namespace: 'shop', name: 'cart-1' });
    await fleet.until('the new Pod serves alone', () =>
      members(fleet).every((member) => addresses(member).join() === '10.10.1.2,10.20.1.1'),
    );
    unexportService(fleet.cluster('east'));
    unexportService(fleet.cluster('west'));
    await fleet.until(
      'the import is gone',
      () => members(fleet).every(({ server }) => server.admin.get(Service, derivedCart) === undefined),
      60_000,
    );
    for (const member of members(fleet))
      expect(eventsOf(member).filter((event) => event.startsWith('WithdrawalHeld'))).toEqual([]);
  });

  it('is taken over again by Isthmus with the same Services, and endpoints at every moment', async () => {
    await using fleet = await fleetOfThree(15_000);
    const before = members(fleet).map(existing);
    const gaps = recordGaps(fleet, ['10.10.1.1', '10.20.1.1']);
    fleet.leader.kill('leader');
    await handOverLeader(fleet);
    const end = runAntreaLeader(fleet);
    await fleet.clock.advance(30_000);
    end();
    fleet.leader.start('leader');
    await fleet.clock.advance(30_000);
    expect(gaps()).toEqual([]);
    expect(members(fleet).map(existing)).toEqual(before);
    const names = fleet.leader.server.admin.list(ResourceImport, leaderNamespace).map(({ metadata }) => metadata.name);
    expect(names).toContain('shop-cart-endpoints.east');
  });
});
