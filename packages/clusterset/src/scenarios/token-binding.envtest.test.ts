import { Annotation, ClusterSet, ServiceAccount } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace, startRealFleet } from '@isthmus/testkit';
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
