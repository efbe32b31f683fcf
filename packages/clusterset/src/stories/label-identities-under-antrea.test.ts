import { LabelIdentity, Namespace, Pod, ResourceExport, ResourceImport, labelIdentityHash } from '@isthmus/api';
import { createVirtualFleet, leaderNamespace } from '@isthmus/testkit';
import { expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';

const label = 'ns:kubernetes.io/metadata.name=shop&pod:app=cart';
const name = labelIdentityHash(label);

it('under an Antrea leader a label identity stays while a cluster exports its labels, although its import was deleted', async () => {
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member' },
    antreaCrds: true,
    stretched: true,
    join: false,
  });
  runAntreaLeader(fleet);
  const east = fleet.cluster('east');
  east.start();
  fleet.join();
  const { admin } = east.server;
  admin.put(Namespace, { metadata: { name: 'shop' } });
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
