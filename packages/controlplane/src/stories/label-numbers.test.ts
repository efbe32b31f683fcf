import {
  ClusterSet,
  LabelIdentity,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  labelIdentityExportName,
  labelIdentityHash,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, leaderNamespace } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';

const text = (app: string) => `ns:kubernetes.io/metadata.name=shop&pod:app=${app}`;
const refOf = (clusterID: string, app: string) => ({
  namespace: leaderNamespace,
  name: labelIdentityExportName(clusterID, labelIdentityHash(text(app))),
});
const apps = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** A write that the token of that cluster allows. */
function put({ leader }: VirtualFleet, clusterID: string, app: string): void {
  leader.server.admin.put(ResourceExport, {
    metadata: { ...refOf(clusterID, app), labels: { sourceKind: 'LabelIdentity', sourceClusterID: clusterID } },
    spec: { clusterID, kind: 'LabelIdentity', labelIdentity: { normalizedLabel: text(app) } },
  });
}

const published = ({ leader }: VirtualFleet) => leader.server.admin.list(ResourceImport, leaderNamespace).length;
const reported = ({ leader }: VirtualFleet) =>
  conditionOf(leader.server.admin.list(ClusterSet)[0]?.status?.conditions, 'NumbersExhausted');

it('a cluster that exports and withdraws ever new labels gets twice as many numbers as it may export, also after a restart of the leader, and others get theirs', async () => {
  // A production leader accepts 40,000.
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member' },
    stretched: true,
    exportLimits: { objects: 10, bytes: 1_000_000, allBytes: 4_000_000 },
  });
  const { admin } = fleet.leader.server;
  for (const round of ['a', 'b']) {
    const before = published(fleet);
    apps(round, 10).forEach((app) => put(fleet, 'greedy', app));
    await fleet.until('they have numbers', () => published(fleet) === before + 10, 10_000);
    apps(round, 10).forEach((app) => admin.delete(ResourceExport, refOf('greedy', app)));
    await fleet.clock.advance(8_000);
  }
  fleet.leader.kill();
  fleet.leader.start();
  apps('c', 10).forEach((app) => put(fleet, 'greedy', app));
  await fleet.until('it is reported', () => reported(fleet)?.reason === 'TooManyNumbers', 30_000);
  expect(published(fleet)).toBe(20);
  expect(reported(fleet)?.message).toMatch(/for now: greedy\. .* -l sourceKind=LabelIdentity,sourceClusterID=greedy$/);
  const answer = admin.get(ResourceExport, refOf('greedy', 'c-0'))?.status?.conditions?.[0];
  expect(answer).toMatchObject({ status: 'False', reason: 'TooManyNumbers' });
  expect(answer?.message).toMatch(/^A leader keeps 20 numbers of label identities for one cluster, /);

  const east = fleet.cluster('east').server.admin;
  east.put(Namespace, { metadata: { name: 'shop' } });
  east.put(Pod, {
    metadata: { namespace: 'shop', name: 'cart', labels: { app: 'cart' } },
    spec: { containers: [{ name: 'c', image: 'c' }] },
  });
  const hasNumber = (app: string) => east.get(LabelIdentity, { name: labelIdentityHash(text(app)) }) !== undefined;
  await fleet.until('another cluster gets a number', () => hasNumber('cart'), 10_000);
  // Labels that another cluster exports too count for that cluster.
  put(fleet, 'frugal', 'c-1');
  await fleet.until('they have a number', () => hasNumber('c-1'), 10_000);

  await fleet.until('the others have cooled down', () => apps('c', 10).every(hasNumber), 8 * 60_000);
  await fleet.until('nothing is reported', () => reported(fleet) === undefined, 10_000);
});
