import {
  Annotation,
  ClusterSet,
  FixedName,
  MemberClusterAnnounce,
  Namespace,
  RoleBinding,
  ServiceAccount,
  memberAnnounceName,
  serviceAccountUser,
} from '@isthmus/api';
import { memoryLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import { installObjects, readManifest, runController, serviceAccountToken, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startPolicedServer } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';

const namespace: string = FixedName.leaderNamespace;
const wait = { timeout: waitLimitMs(), interval: 250 };
const name = 'member';
const user = serviceAccountUser({ namespace, name });

let policed: PolicedServer;
let admin: Client;
let running: Promise<void>;
const over = new AbortController();

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'account-bindings' });
  ({ admin } = policed);
  await admin.create(Namespace, { metadata: { name: namespace } });
  await installObjects(admin, await readManifest('deploy/leader.yaml'));
  await admin.create(ServiceAccount, { metadata: { name, namespace } });
  await admin.create(RoleBinding, {
    metadata: { name, namespace },
    roleRef: { apiGroup: RoleBinding.group, kind: 'Role', name: FixedName.memberRole },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  await admin.create(ClusterSet, {
    metadata: { name: 'fleet', namespace },
    spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace },
  });
  await policed.logIn(namespace, name);
  const token = await serviceAccountToken(admin, namespace, FixedName.controllerServiceAccount);
  const { url, caData } = policed.server;
  const world = { clock: systemClock(), random: systemRandom(), log: memoryLog(), metrics: noMetrics };
  const access = { url, caData, token };
  running = runController(
    { role: 'leader', namespace, cluster: 'north', access, endpointIPType: 'PodIP', world },
    over.signal,
  );
});
afterAll(async () => {
  over.abort();
  await running;
  await policed?.[Symbol.asyncDispose]();
});

/** A heartbeat of a member of this release. */
async function beat(clusterID: string): Promise<void> {
  const touchTs = rfc3339(systemClock().now());
  const annotations = { [Annotation.touchTs]: touchTs, [Annotation.announcedBy]: `${user} ${touchTs}` };
  const metadata = { name: memberAnnounceName(clusterID), namespace };
  const body = { metadata: { annotations } };
  const client = policed.as(name);
  await client.patch(MemberClusterAnnounce, metadata, { type: 'merge', body }).catch(() =>
    client.create(MemberClusterAnnounce, {
      metadata: { ...metadata, annotations },
      clusterID,
      clusterSetID: 'fleet',
      leaderClusterID: 'north',
    }),
  );
}
const boundTo = async () =>
  (await admin.get(ServiceAccount, { namespace, name })).metadata.annotations?.[Annotation.clusterID];
const reported = async () =>
  conditionOf((await admin.get(ClusterSet, { namespace, name: 'fleet' })).status?.conditions, 'AccountsNotBound');

it('an account that two clusters use is bound to neither, and to the one that stays when the other has left', async () => {
  await beat('east');
  await beat('west');
  const found = await vi.waitUntil(reported, wait);
  expect(found.message).toContain('ServiceAccount member is used by the clusters east, west');
  expect(await boundTo()).toBeUndefined();
  await admin.delete(MemberClusterAnnounce, { name: memberAnnounceName('west'), namespace });
  await vi.waitUntil(
    async () => {
      await beat('east');
      return (await boundTo()) !== undefined;
    },
    { timeout: waitLimitMs(), interval: 2_000 },
  );
  expect(await boundTo()).toBe('east');
  await vi.waitUntil(async () => (await reported()) === undefined, wait);
  await beat('east');
  const why = await vi.waitUntil(
    () =>
      beat('south').then(
        () => undefined,
        (error: unknown) => String(error),
      ),
    wait,
  );
  expect(why).toContain(`annotate --overwrite serviceaccount member ${Annotation.clusterID}=south`);
});

it('an account that loses its annotation writes nothing of a cluster that is bound to another one', async () => {
  const west = { namespace, name: 'member-west' };
  const annotations = { [Annotation.clusterID]: 'west' };
  await admin.create(ServiceAccount, { metadata: { ...west, annotations } });
  const listed = async () => (await admin.get(ServiceAccount, west)).metadata.annotations?.[Annotation.clusterAccounts];
  await vi.waitUntil(async () => (await listed()) === 'member-west', wait);
  const body = { metadata: { annotations: { [Annotation.clusterID]: null } } };
  await admin.patch(ServiceAccount, { namespace, name }, { type: 'merge', body });
  const answer = (clusterID: string) =>
    beat(clusterID).then(
      () => 'allowed',
      (error: unknown) => String(error),
    );
  // The API server reads the account a moment after it is written.
  await vi.waitUntil(async () => !(await answer('west')).includes('clusterID must be'), wait);
  expect(await answer('west')).toContain('this cluster belongs to another ServiceAccount');
  expect(await answer('east')).toBe('allowed');
});
