import { Annotation, ClusterSet, Event, MemberClusterAnnounce, ServiceAccount, memberAnnounceName } from '@isthmus/api';
import { isForbidden, systemClock } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import type { RealFleet } from '@isthmus/testkit';
import {
  clusterSetName,
  leaderNamespace,
  memberNamespace,
  serviceAccountToken,
  startRealFleet,
  tokenClient,
} from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let fleet: RealFleet;
const west = () => fleet.cluster('west');
const account = { namespace: leaderNamespace, name: 'member-west' };

async function binding() {
  const { status } = await west().admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
  return conditionOf(status?.conditions, 'TokenNotBound');
}

async function bind(clusterID: string | null): Promise<void> {
  const body = { metadata: { annotations: { [Annotation.clusterID]: clusterID } } };
  await fleet.leader.admin.patch(ServiceAccount, account, { type: 'merge', body });
}

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { west: 'member', north: 'leader' } });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

it('a token of a real API server, whose ServiceAccount does not name the cluster, is reported until it does', async () => {
  await west().stop('member');
  expect(await binding()).toBeUndefined();
  await bind(null);
  await west().start('member');
  const found = await fleet.until('it is reported', binding);
  expect(found).toMatchObject({ status: 'True', reason: 'NotBoundToCluster' });
  expect(found?.message).toContain(
    `kubectl -n ${leaderNamespace} annotate serviceaccount member-west multicluster.antrea.io/cluster-id=west`,
  );
  await bind('west');
  await fleet.eventually('it is not reported any more', async () => (await binding()) === undefined, true);
  expect(await west().view.clusterSet()).toBe('True Connected');
});

it('an account that names no cluster is bound to the first that announces itself by it, and the next one is told what to do', async () => {
  const { admin, server } = fleet.leader;
  const token = await serviceAccountToken(admin, leaderNamespace, account.name);
  using client = disposable(tokenClient({ url: server.url, caData: server.caData, token }, { clock: systemClock() }));
  const touchTs = '2026-11-26T10:00:00Z';
  const record = `system:serviceaccount:${leaderNamespace}:${account.name} ${touchTs}`;
  const metadata = {
    name: memberAnnounceName('south'),
    namespace: leaderNamespace,
    annotations: { [Annotation.touchTs]: touchTs, [Annotation.announcedBy]: record },
  };
  const announceSouth = () =>
    client.create(MemberClusterAnnounce, {
      metadata,
      clusterID: 'south',
      clusterSetID: clusterSetName,
      leaderClusterID: 'north',
    });
  const boundTo = async () =>
    (await admin.get(ServiceAccount, account)).metadata.annotations?.[Annotation.clusterID] ?? 'none';
  const shared = async () => {
    const { status } = await admin.get(ClusterSet, { namespace: leaderNamespace, name: clusterSetName });
    return conditionOf(status?.conditions, 'AccountsNotBound');
  };

  // Two clusters use it: both go on.
  await bind(null);
  await fleet.eventually('the policy lets the second one in', () => announceSouth().then(() => 'in', why), 'in');
  expect((await fleet.until('it is reported', shared)).message).toContain('is used by the clusters south, west');
  expect(await west().view.clusterSet()).toBe('True Connected');
  expect(await boundTo()).toBe('none');

  // The second one leaves, and comes back.
  const withdrawn = { metadata: { annotations: { [Annotation.withdrawn]: touchTs } } };
  await client.patch(MemberClusterAnnounce, metadata, { type: 'merge', body: withdrawn });
  await client.delete(MemberClusterAnnounce, metadata);
  await fleet.eventually('it is bound', boundTo, 'west');
  await fleet.eventually('it is not reported any more', async () => (await shared()) === undefined, true);
  const { items: events } = await admin.list(Event, { namespace: leaderNamespace });
  expect(events.find(({ reason }) => reason === 'AccountBound')?.message).toContain('member-west to cluster west');
  const line = `kubectl -n ${leaderNamespace} annotate --overwrite serviceaccount member-west multicluster.antrea.io/cluster-id=south`;
  const refusal = await fleet.until('the second cluster is rejected', () => announceSouth().then(() => undefined, why));
  expect(refusal).toContain(line);
  expect(await west().view.clusterSet()).toBe('True Connected');
});

function why(error: unknown): string {
  if (!isForbidden(error)) throw error;
  return String(error);
}

function disposable<T extends { close(): void }>(client: T): T & Disposable {
  return { ...client, [Symbol.dispose]: () => client.close() };
}
