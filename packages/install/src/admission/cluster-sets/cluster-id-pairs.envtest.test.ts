import { FixedName, Namespace, ResourceExport, RoleBinding, ServiceAccount } from '@isthmus/api';
import { isAlreadyExists, isForbidden } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { installObjects, readManifest, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { memberAccount } from '../../manifests/member-account.ts';
import { startPolicedServer } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';

/** `evil` and `evil-shop` have been members since before the policies, so both have an account. */
const namespace: string = FixedName.leaderNamespace;
const wait = { timeout: waitLimitMs(), interval: 100 };

let policed: PolicedServer;
let admin: Client;
const as = (clusterID: string): Client => policed.as(clusterID);

function exportOf(clusterID: string, at: string, source: string, kind: 'Service' | 'Endpoints' = 'Service') {
  const payload = kind === 'Service' ? { service: { serviceSpec: {} } } : { endpoints: { subsets: [] } };
  const object: ResourceExport = {
    metadata: {
      name: `${clusterID}-${at}-${source}-${kind.toLowerCase()}`,
      namespace,
      finalizers: ['resourceexport.antrea.io/finalizer'],
      labels: { sourceClusterID: clusterID, sourceKind: kind, sourceNamespace: at, sourceName: source },
    },
    spec: { clusterID, kind, namespace: at, name: source, ...payload },
  };
  return object;
}

async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (isAlreadyExists(error)) return 'taken';
    if (!isForbidden(error)) return String(error);
    return `rejected: ${/denied request: (.*?)(?: \(403 Forbidden\))?$/s.exec((error as Error).message)?.[1] ?? 'by RBAC'}`;
  }
}

const writes = (clusterID: string, object: ResourceExport) => outcome(as(clusterID).create(ResourceExport, object));
const account = (clusterID: string) => memberAccount(namespace, clusterID).account;

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'cluster-id-pairs' });
  ({ admin } = policed);
  await admin.create(Namespace, { metadata: { name: namespace } });
  for (const clusterID of ['evil', 'evil-shop']) {
    await admin.create(ServiceAccount, account(clusterID));
    await admin.create(RoleBinding, memberAccount(namespace, clusterID).binding);
  }
  await installObjects(admin, await readManifest('deploy/leader.yaml'));
  // As an administrator, to whom the policies do not apply.
  await admin.create(ResourceExport, exportOf('evil', 'shop', 'before'));
  for (const clusterID of ['evil', 'evil-shop']) await policed.logIn(namespace, `member-${clusterID}`, clusterID);
  // The API server evaluates a policy a moment after it is written, once it has read the
  // ServiceAccounts.
  const probe = () => outcome(as('evil').create(ResourceExport, exportOf('evil', 'shop', 'probe'), { dryRun: true }));
  const pair = () => outcome(admin.create(ServiceAccount, account('evil-probe'), { dryRun: true }));
  await vi.waitUntil(async () => (await probe()).startsWith('rejected: the name begins'), wait);
  await vi.waitUntil(async () => (await pair()).startsWith('rejected: the cluster-id of another ServiceAccount'), wait);
});

afterAll(async () => {
  await policed?.[Symbol.asyncDispose]();
});

describe('of two clusters whose IDs begin alike, on a real API server', () => {
  it.each(['Service', 'Endpoints'] as const)(
    'the shorter cannot take the names of the longer, while the leader has lost its exports: %s',
    async (kind) => {
      // `evil-shop` exports a Service of Namespace `a`, and `evil` one of Namespace `shop-a`.
      expect(await writes('evil', exportOf('evil', 'shop-a', 'cart', kind))).toMatch(/^rejected: the name begins with/);
      expect(await writes('evil', exportOf('evil', 'shop', `a-cart`, kind))).toMatch(/^rejected: the name begins with/);
      expect(await writes('evil-shop', exportOf('evil-shop', 'a', 'cart', kind))).toBe('accepted');
    },
  );

  it('each has all other names of its own', async () => {
    expect(await writes('evil', exportOf('evil', 'shopping', 'cart'))).toBe('accepted');
    expect(await writes('evil', exportOf('evil', 'a', 'shop-cart'))).toBe('accepted');
    expect(await writes('evil-shop', exportOf('evil-shop', 'evil', 'shop'))).toBe('accepted');
  });

  it('what the shorter has exported before goes on under its name', async () => {
    const ref = { namespace, name: 'evil-shop-before-service' };
    const patch = { type: 'merge', body: { spec: { service: { serviceSpec: { ports: [{ port: 80 }] } } } } } as const;
    expect(await outcome(as('evil').patch(ResourceExport, ref, patch))).toBe('accepted');
  });
});

describe('an account for a cluster', () => {
  it.each(['evil-2', 'evil-shop-2'])('%s is rejected beside those whose IDs it begins with', async (clusterID) => {
    expect(await outcome(admin.create(ServiceAccount, account(clusterID)))).toMatch(
      /^rejected: the cluster-id of another ServiceAccount/,
    );
  });

  it('whose ID begins that of another account is rejected', async () => {
    expect(await outcome(admin.create(ServiceAccount, account('south-1')))).toBe('accepted');
    expect(await outcome(admin.create(ServiceAccount, account('south')))).toMatch(
      /^rejected: the cluster-id of another ServiceAccount/,
    );
  });

  it('that there is already can be changed, but not to such an ID', async () => {
    const patch = (clusterID: string, annotations: object) =>
      outcome(
        admin.patch(
          ServiceAccount,
          { namespace, name: `member-${clusterID}` },
          { type: 'merge', body: { metadata: { annotations } } },
        ),
      );
    expect(await patch('evil', { note: 'x' })).toBe('accepted');
    expect(await outcome(admin.create(ServiceAccount, account('west')))).toBe('accepted');
    expect(await patch('west', { 'multicluster.antrea.io/cluster-id': 'evil-west' })).toMatch(
      /^rejected: the cluster-id of another ServiceAccount/,
    );
    expect(await patch('west', { 'multicluster.antrea.io/cluster-id': 'west-2' })).toBe('accepted');
  });

  it('of the same cluster as another one is accepted, and so is one whose ID begins alike without a dash', async () => {
    const second = account('evil-shop');
    const named = { ...second, metadata: { ...second.metadata, name: 'second' } };
    // The pair exists already; a new token for one of the two is written on its account.
    expect(await outcome(admin.create(ServiceAccount, named))).toMatch(
      /^rejected: the cluster-id of another ServiceAccount/,
    );
    const twin = account('west-2');
    expect(await outcome(admin.create(ServiceAccount, { ...twin, metadata: { ...twin.metadata, name: 'twin' } }))).toBe(
      'accepted',
    );
    expect(await outcome(admin.create(ServiceAccount, account('evilly')))).toBe('accepted');
    expect(await outcome(admin.create(ServiceAccount, account('west.2')))).toBe('accepted');
  });
});
