import { MemberClusterAnnounce, Pod, Service, ServiceImport } from '@isthmus/api';
import { rfc3339 } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  deleteAntreaExports,
  derivedCart,
  eventsOf,
  importedPorts,
  importedSlices,
  installAntreaDefinitions,
  leaderNamespace,
  putPod,
  unexportService,
} from '@isthmus/fleet-sim';
import { sweepRow } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';
import { addresses, fleetOfThree, members, recordGaps } from '../testing/cart-of-three.ts';

const existing = ({ server: { admin } }: VirtualCluster) => ({
  service: admin.get(Service, derivedCart)?.metadata.uid,
  clusterIP: admin.get(Service, derivedCart)?.spec?.clusterIP,
  serviceImport: admin.get(ServiceImport, { namespace: 'shop', name: 'cart' })?.metadata.uid,
});

/** The restarts of members when Antrea's manifests are applied to the leader. */
const restarts: readonly (readonly [string, (fleet: VirtualFleet) => void])[] = [
  ['that go on running', () => undefined],
  [
    'that are started anew',
    (fleet: VirtualFleet) => members(fleet).forEach((member) => (member.kill(), member.start())),
  ],
];

const rows = restarts.map((restart, row) => [...restart, sweepRow(row, { oneIn: 2 })] as const);

const isPruned = (crds: string) => crds === "Antrea's";

describe('under a leader that changes from ours to an Antrea one in place', () => {
  /** With Antrea's CRDs, which drop the endpoints of each cluster, or with ours. */
  async function swap(fleet: VirtualFleet, crds: string): Promise<() => void> {
    fleet.leader.kill('leader');
    if (isPruned(crds)) await installAntreaDefinitions(fleet.leader.server, fleet.clock);
    return runAntreaLeader(fleet);
  }

  describe.each(rows)('members %s', (which, restart, isNext) => {
    describe.each(["Antrea's", 'our'])('over %s resource definitions', (crds) => {
      it.runIf(isNext())('keep all endpoints, and follow what comes and goes', async () => {
        await using fleet = await fleetOfThree(5_000);
        const before = members(fleet).map(existing);
        const gaps = recordGaps(fleet, ['10.20.1.1']);
        await swap(fleet, crds);
        restart(fleet);
        await fleet.clock.advance(30_000);
        for (const member of members(fleet)) expect(addresses(member)).toEqual(['10.10.1.1', '10.20.1.1']);
        // After a restart with CRDs that drop the endpoints of each cluster, they have only the
        // merged list.
        const sources = importedSlices(fleet.cluster('south')).map((slice) => slice.split(':')[0]);
        expect(new Set(sources)).toEqual(new Set(isPruned(crds) && which.includes('anew') ? ['?'] : ['east', 'west']));
        // First an additional endpoint, then another one that replaces the first.
        putPod(fleet.cluster('east'), 'cart-2', '10.10.1.2');
        await fleet.until('the new Pod serves', () =>
          members(fleet).every((member) => addresses(member).join() === '10.10.1.1,10.10.1.2,10.20.1.1'),
        );
        fleet.cluster('east').server.admin.delete(Pod, { namespace: 'shop', name: 'cart-1' });
        await fleet.until('the old one does not any more', () =>
          members(fleet).every((member) => addresses(member).join() === '10.10.1.2,10.20.1.1'),
        );
        expect(gaps()).toEqual([]);
        expect(members(fleet).map(existing)).toEqual(before);
      });

      it.runIf(isNext())(
        'serve the endpoints that are left when one cluster withdraws, and nothing is left after the last',
        async () => {
          await using fleet = await fleetOfThree(5_000);
          await swap(fleet, crds);
          restart(fleet);
          await fleet.clock.advance(30_000);
          unexportService(fleet.cluster('east'));
          await fleet.until('west alone serves', () =>
            members(fleet).every((member) => addresses(member).join() === '10.20.1.1'),
          );
          unexportService(fleet.cluster('west'));
          await fleet.until('it is gone', () => members(fleet).every((member) => importedPorts(member).length === 0));
        },
      );
    });

    it.runIf(isNext())('have no gap through three swaps there and back', async () => {
      await using fleet = await fleetOfThree(5_000);
      const before = members(fleet).map(existing);
      const gaps = recordGaps(fleet, ['10.20.1.1']);
      for (let round = 1; round <= 3; round++) {
        const end = await swap(fleet, 'our');
        restart(fleet);
        putPod(fleet.cluster('east'), 'cart-1', `10.10.1.${round * 10}`);
        await fleet.until('members follow Antrea', () =>
          members(fleet).every((member) => addresses(member).join() === `10.10.1.${round * 10},10.20.1.1`),
        );
        end();
        putPod(fleet.cluster('east'), 'cart-1', `10.10.1.${round * 10 + 1}`);
        await fleet.clock.advance(1_000);
        fleet.leader.start('leader');
        restart(fleet);
        await fleet.until('members follow ours', () =>
          members(fleet).every((member) => addresses(member).join() === `10.10.1.${round * 10 + 1},10.20.1.1`),
        );
        await fleet.clock.advance(5_000);
        for (const member of members(fleet))
          expect(importedSlices(member)).toEqual([
            `east: 10.10.1.${round * 10 + 1} http:8080`,
            'west: 10.20.1.1 http:8080',
          ]);
      }
      expect(gaps()).toEqual([]);
      expect(members(fleet).map(existing)).toEqual(before);
      expect(
        members(fleet)
          .flatMap(eventsOf)
          .filter((event) => event.includes('WithdrawalHeld')),
      ).toEqual([]);
    });
  });
});

describe('where one side changed to Antrea without a handover, a withdrawal without a mark', () => {
  const isGone = ({ server }: VirtualCluster) => server.admin.get(Service, derivedCart) === undefined;

  const held = (cluster: VirtualCluster) => eventsOf(cluster).filter((event) => event.startsWith('WithdrawalHeld '));

  it('by the leader is followed after half a minute; until then the import is reported as held', async () => {
    await using fleet = await fleetOfThree(15_000);
    fleet.leader.kill('leader');
    runAntreaLeader(fleet);
    await fleet.clock.advance(30_000);
    for (const name of ['east', 'west']) unexportService(fleet.cluster(name));
    const since = fleet.clock.monotonic();
    await fleet.clock.advance(29_000);
    expect(members(fleet).map(isGone)).toEqual([false, false, false]);
    for (const member of members(fleet)) expect(held(member)).toHaveLength(1);
    await fleet.until('the import is gone', () => members(fleet).every(isGone));
    expect(fleet.clock.monotonic() - since).toBeLessThan(45_000);
  });

  it('by members is followed within a second, without a hold', async () => {
    await using fleet = await fleetOfThree(15_000);
    const { admin } = fleet.leader.server;
    for (const name of ['east', 'west']) {
      fleet.cluster(name).kill();
      const ref = { namespace: leaderNamespace, name: `member-announce-from-${name}` };
      const beat = () => {
        admin.patch(MemberClusterAnnounce, ref, {
          metadata: { annotations: { 'touch-ts': rfc3339(fleet.clock.now()) } },
        });
        fleet.clock.after(10_000, beat);
      };
      beat();
    }
    await fleet.clock.advance(20_000);
    const since = fleet.clock.monotonic();
    for (const name of ['east', 'west']) deleteAntreaExports(fleet, name, { namespace: 'shop', name: 'cart' });
    await fleet.until('it is gone', () => isGone(fleet.cluster('south')));
    expect(fleet.clock.monotonic() - since).toBeLessThan(1_000);
    expect([...held(fleet.cluster('south')), ...held(fleet.leader)]).toEqual([]);
  });
});
