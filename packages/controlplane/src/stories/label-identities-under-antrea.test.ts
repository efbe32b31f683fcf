import {
  ClusterSet,
  LabelIdentity,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  labelIdentityHash,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { clusterSetName, createVirtualFleet, eventsOf, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';

const label = 'ns:kubernetes.io/metadata.name=shop&pod:app=cart';
const text = (app: string) => `ns:kubernetes.io/metadata.name=shop&pod:app=${app}`;
const name = labelIdentityHash(label);

/** A member with Namespace `shop` under an Antrea leader. */
async function underAntrea(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member' },
    antreaCrds: true,
    stretched: true,
    join: false,
  });
  runAntreaLeader(fleet);
  const east = fleet.cluster('east');
  east.start();
  fleet.join();
  east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  return fleet;
}

it('under an Antrea leader a label identity stays while a cluster exports its labels, although its import was deleted', async () => {
  await using fleet = await underAntrea();
  const { admin } = fleet.cluster('east').server;
  const pod = { namespace: 'shop', name: 'cart' };
  admin.put(Pod, { metadata: { ...pod, labels: { app: 'cart' } }, spec: { containers: [{ name: 'c', image: 'c' }] } });
  await fleet.until('the labels are exported', () => fleet.leader.server.admin.list(ResourceExport).length === 1);
  const published = { namespace: leaderNamespace, name };
  fleet.leader.server.admin.put(ResourceImport, {
    metadata: published,
    spec: { kind: 'LabelIdentity', labelIdentity: { label, id: 7 } },
  });
  const uid = () => admin.get(LabelIdentity, { name })?.metadata.uid;
  await fleet.until('they have their number', () => uid() !== undefined);
  const before = uid();
  fleet.leader.server.admin.delete(ResourceImport, published);
  await fleet.clock.advance(90_000);
  expect(uid()).toBe(before);
  admin.delete(Pod, pod);
  await fleet.until('nobody exports them, and they are gone', () => uid() === undefined, 20_000);
});

it('under an Antrea leader a label identity that is kept gives way where its number is published for other labels, and no number is there twice', async () => {
  await using fleet = await underAntrea();
  const { admin } = fleet.cluster('east').server;
  const publish = (app: string, id: number) => {
    const text = `ns:kubernetes.io/metadata.name=shop&pod:app=${app}`;
    admin.put(Pod, {
      metadata: { namespace: 'shop', name: app, labels: { app } },
      spec: { containers: [{ name: 'c', image: 'c' }] },
    });
    fleet.leader.server.admin.put(ResourceImport, {
      metadata: { namespace: leaderNamespace, name: labelIdentityHash(text) },
      spec: { kind: 'LabelIdentity', labelIdentity: { label: text, id } },
    });
  };
  const numbers = () => admin.list(LabelIdentity).map(({ spec }) => `${spec?.id} ${spec?.label?.split('pod:')[1]}`);
  const twice: string[] = [];
  admin.onChange(() => {
    const ids = admin.list(LabelIdentity).map(({ spec }) => spec?.id);
    if (new Set(ids).size < ids.length) twice.push(numbers().join());
  });
  publish('cart', 7);
  await fleet.until('it is imported', () => numbers().join() === '7 app=cart');
  // As an Antrea leader does whose API server was restored from a backup: the import is lost, and
  // its number counts as free.
  fleet.leader.server.admin.delete(ResourceImport, { namespace: leaderNamespace, name });
  await fleet.clock.advance(10_000);
  expect(numbers()).toEqual(['7 app=cart']);
  publish('web', 7);
  await fleet.until('the other labels have it', () => numbers().join() === '7 app=web', 5_000);
  await fleet.clock.advance(60_000);
  expect([numbers(), twice]).toEqual([['7 app=web'], []]);
  publish('cart', 8);
  await fleet.until('it is back', () => numbers().toSorted().join() === '7 app=web,8 app=cart', 5_000);
  expect(twice).toEqual([]);
  // The other order: both are published, and then one is lost.
  await fleet.clock.advance(2_000);
  publish('db', 8);
  await fleet.clock.advance(10_000);
  expect([numbers().toSorted(), twice]).toEqual([['7 app=web', '8 app=cart'], []]);
  fleet.leader.server.admin.delete(ResourceImport, { namespace: leaderNamespace, name });
  await fleet.until('one has the number', () => numbers().toSorted().join() === '7 app=web,8 app=db', 5_000);
  expect(twice).toEqual([]);
});

it('under an Antrea leader that publishes one number for two sets of labels, the older import counts, and the ClusterSet reports it until one has another number', async () => {
  await using fleet = await underAntrea();
  const { admin } = fleet.cluster('east').server;
  const inArea = (app: string) => ({ namespace: leaderNamespace, name: labelIdentityHash(text(app)) });
  const publish = (app: string, id: number) =>
    fleet.leader.server.admin.put(ResourceImport, {
      metadata: inArea(app),
      spec: { kind: 'LabelIdentity', labelIdentity: { label: text(app), id } },
    });
  const numbers = () => admin.list(LabelIdentity).map(({ spec }) => `${spec?.id} ${spec?.label?.split('pod:')[1]}`);
  const ref = { namespace: memberNamespace, name: clusterSetName };
  const reported = () => conditionOf(admin.get(ClusterSet, ref)?.status?.conditions, 'LabelIdentitiesIncomplete');
  publish('cart', 7);
  await fleet.clock.advance(5_000);
  publish('web', 7);
  await fleet.until('it is reported', () => reported()?.reason === 'LabelNumberShared', 5_000);
  expect(numbers()).toEqual(['7 app=cart']);
  expect(reported()?.message).toBe(
    `ResourceImports ${inArea('cart').name} and ${inArea('web').name} of the leader give number 7 to two sets of labels. It is imported for ${inArea('cart').name}, the older one, so no rule with scope ClusterSet selects Pods with labels "${text('web')}" here. If the leader runs Antrea, restart its controller there: kubectl -n antrea-multicluster rollout restart deployment antrea-mc-controller`,
  );
  await fleet.until(
    'as an Event',
    () =>
      eventsOf(fleet.cluster('east')).some((event) =>
        event.startsWith('LabelNumberShared ClusterSet/fleet: ResourceImports '),
      ),
    5_000,
  );
  // As Antrea's controller does when it starts.
  fleet.leader.server.admin.delete(ResourceImport, inArea('web'));
  publish('web', 8);
  await fleet.until('both are imported', () => numbers().toSorted().join() === '7 app=cart,8 app=web', 5_000);
  await fleet.until('nothing is reported', () => reported() === undefined, 5_000);
  // The import that counts may also be the one that is deleted.
  publish('db', 8);
  await fleet.until('it is reported', () => reported()?.reason === 'LabelNumberShared', 5_000);
  fleet.leader.server.admin.delete(ResourceImport, inArea('web'));
  await fleet.until('the other counts', () => numbers().toSorted().join() === '7 app=cart,8 app=db', 5_000);
  await fleet.until('nothing is reported', () => reported() === undefined, 5_000);
});
