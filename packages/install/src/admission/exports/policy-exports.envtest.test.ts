import { FixedName, Namespace, ResourceExport, Role, RoleBinding, ServiceAccount } from '@isthmus/api';
import type { PolicyRule } from '@isthmus/api';
import { isForbidden } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { installObjects, readManifest, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startPolicedServer } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';

const namespace = FixedName.leaderNamespace;
const other = 'gitops';
const group = 'multicluster.crd.antrea.io';

let policed: PolicedServer;
let admin: Client;
/** The client of an account, which {@link accounts} names. */
const as = (name: string): Client => policed.as(name);

const rule = (resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});
const writeExports = rule(['resourceexports'], ['get', 'list', 'create', 'update', 'patch', 'delete']);

/** Each account with its rules beside those of `role`. */
const accounts: readonly {
  readonly name: string;
  readonly in?: string;
  readonly annotated?: boolean;
  readonly role?: string;
  readonly rules?: readonly PolicyRule[];
}[] = [
  { name: 'member-east', annotated: true, role: FixedName.memberRole },
  { name: 'antrea-mc-member-access-sa', role: FixedName.memberRole },
  { name: 'member-elsewhere', in: other, role: FixedName.memberRole },
  { name: 'exporter', rules: [writeExports] },
  { name: 'exporter-elsewhere', in: other, rules: [writeExports] },
  { name: 'both', role: FixedName.memberRole, rules: [rule(['resourceexports'], [FixedName.exportPoliciesVerb])] },
  { name: 'all', in: other, rules: [rule(['*'], ['*'])] },
];

const policy = (name: string, change: Partial<NonNullable<ResourceExport['spec']>> = {}): ResourceExport => ({
  metadata: { name, namespace, finalizers: ['resourceexport.antrea.io/finalizer'] },
  spec: {
    kind: 'AntreaClusterNetworkPolicy',
    name: 'strict',
    clusterNetworkPolicy: { priority: 1, tier: 'securityops' },
    ...change,
  },
});
const service: ResourceExport = {
  metadata: {
    name: 'east-shop-cart-service',
    namespace,
    finalizers: ['resourceexport.antrea.io/finalizer'],
    labels: { sourceKind: 'Service', sourceClusterID: 'east', sourceNamespace: 'shop', sourceName: 'cart' },
  },
  spec: {
    clusterID: 'east',
    kind: 'Service',
    namespace: 'shop',
    name: 'cart',
    service: { serviceSpec: { ports: [] } },
  },
};
const ofAdmin = { namespace, name: 'by-admin' };

async function outcome(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'allowed',
    (error: unknown) =>
      isForbidden(error) && String(error).includes("a member's account cannot") ? 'refused' : String(error),
  );
}

/**
 * The manifest with this policy alone: if two reject a request, the API server answers with the
 * message of either.
 */
async function leaderObjects(): Promise<readonly KubernetesObject[]> {
  const isOther = ({ kind, metadata }: KubernetesObject) =>
    kind?.startsWith('ValidatingAdmissionPolicy') === true && !metadata.name.endsWith('-policy-exports');
  return (await readManifest('deploy/leader.yaml')).filter((object) => !isOther(object));
}

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'policy-exports' });
  ({ admin } = policed);
  await Promise.all([namespace, other].map((name) => admin.create(Namespace, { metadata: { name } })));
  await installObjects(admin, await leaderObjects());
  for (const { name, in: at = namespace, annotated, role, rules } of accounts) {
    const annotations = annotated === true ? { 'multicluster.antrea.io/cluster-id': 'east' } : {};
    await admin.create(ServiceAccount, { metadata: { name, namespace: at, annotations } });
    const subjects = [{ kind: 'ServiceAccount' as const, name, namespace: at }];
    const bind = (to: string) =>
      admin.create(RoleBinding, {
        metadata: { name: `${name}-${to}`, namespace },
        roleRef: { apiGroup: Role.group, kind: 'Role', name: to },
        subjects,
      });
    if (role !== undefined) await bind(role);
    if (rules !== undefined) {
      await admin.create(Role, { metadata: { name: `own-${name}`, namespace }, rules });
      await bind(`own-${name}`);
    }
    await policed.logIn(at, name);
  }
  await policed.logIn(namespace, 'antrea-mc-controller');
  await admin.create(ResourceExport, policy(ofAdmin.name));
  await admin.create(ResourceExport, service);
  for (const name of [...accounts.map((account) => account.name), 'admin', 'controller'])
    await admin.create(ResourceExport, policy(`by-admin-for-${name}`));
  // The API server reads roles and policies a moment after they are written.
  const attempt = () => outcome(as('member-east').create(ResourceExport, policy('probe'), { dryRun: true }));
  await vi.waitUntil(async () => (await attempt()) === 'refused', { timeout: waitLimitMs(), interval: 100 });
  const granted = () => outcome(as('both').create(ResourceExport, policy('probe'), { dryRun: true }));
  await vi.waitUntil(async () => (await granted()) === 'allowed', { timeout: waitLimitMs(), interval: 100 });
});

afterAll(async () => {
  await policed?.[Symbol.asyncDispose]();
});

const changed = { type: 'merge', body: { spec: { clusterNetworkPolicy: { priority: 2 } } } } as const;
const attempts: readonly {
  readonly title: string;
  readonly attempt: (client: Client, account: string) => Promise<unknown>;
}[] = [
  { title: 'exports a policy', attempt: (c) => c.create(ResourceExport, policy('mine'), { dryRun: true }) },
  {
    title: 'exports a policy under its own cluster ID',
    attempt: (c) => c.create(ResourceExport, policy('mine', { clusterID: 'east' }), { dryRun: true }),
  },
  {
    title: 'hides a policy in the export of a Service',
    attempt: (c) => c.create(ResourceExport, policy('mine', { kind: 'Service' }), { dryRun: true }),
  },
  {
    title: 'exports a policy without a payload',
    attempt: (c) => c.create(ResourceExport, policy('mine', { clusterNetworkPolicy: undefined }), { dryRun: true }),
  },
  {
    title: 'applies a policy',
    attempt: (c) =>
      c.patch(
        ResourceExport,
        { namespace, name: 'mine' },
        {
          type: 'apply',
          body: { ...policy('mine'), apiVersion: `${group}/v1alpha1`, kind: 'ResourceExport' },
          fieldManager: 'x',
        },
        { dryRun: true },
      ),
  },
  {
    title: 'turns the export of a Service into one of a policy',
    attempt: (c) =>
      c.patch(
        ResourceExport,
        { namespace, name: service.metadata.name },
        { type: 'merge', body: { spec: policy('x').spec } },
        { dryRun: true },
      ),
  },
  {
    title: "changes an administrator's policy",
    attempt: (c) => c.patch(ResourceExport, ofAdmin, changed, { dryRun: true }),
  },
  {
    title: "turns an administrator's policy into something else",
    attempt: (c) =>
      c.patch(
        ResourceExport,
        ofAdmin,
        { type: 'merge', body: { spec: { kind: 'Service', clusterNetworkPolicy: null } } },
        { dryRun: true },
      ),
  },
  {
    title: "releases an administrator's policy from its finalizer",
    attempt: (c) =>
      c.patch(ResourceExport, ofAdmin, { type: 'merge', body: { metadata: { finalizers: null } } }, { dryRun: true }),
  },
  {
    title: "deletes an administrator's policy",
    attempt: (c, account) => c.delete(ResourceExport, { namespace, name: `by-admin-for-${account}` }),
  },
];

describe('the export of a policy, on a real API server', () => {
  const cases = attempts.flatMap(({ title, attempt }) =>
    ['member-east', 'antrea-mc-member-access-sa', 'member-elsewhere'].map((account) => ({ account, title, attempt })),
  );

  it.each(cases)('is refused to a member: $account $title', async ({ account, attempt }) => {
    expect(await outcome(attempt(as(account), account))).toBe('refused');
  });

  it.each(['exporter', 'exporter-elsewhere', 'both', 'all'])(
    "is open to an account that is not a member's: %s",
    async (name) => {
      for (const { title, attempt } of attempts)
        expect([title, await outcome(attempt(as(name), name))]).toEqual([title, 'allowed']);
    },
  );

  it('is open to administrators, and to the controller of the leader', async () => {
    for (const { title, attempt } of attempts)
      expect([title, await outcome(attempt(admin, 'admin'))]).toEqual([title, 'allowed']);
    const controller = as('antrea-mc-controller');
    const labels = { type: 'merge', body: { metadata: { labels: { sourceName: 'strict' } } } } as const;
    expect(await outcome(controller.patch(ResourceExport, ofAdmin, labels, { dryRun: true }))).toBe('allowed');
    expect(await outcome(controller.delete(ResourceExport, { namespace, name: 'by-admin-for-controller' }))).toBe(
      'allowed',
    );
  });

  it('names the account that may, and what to grant', async () => {
    const refusal = await as('member-east').create(ResourceExport, policy('mine')).catch(String);
    expect(refusal).toContain(
      "Use an administrator's account, or grant this one the verb export-policies on resourceexports.multicluster.crd.antrea.io in Namespace antrea-multicluster",
    );
  });
});

describe('other exports of a member, on a real API server', () => {
  it('are written, changed and deleted as before', async () => {
    const east = as('member-east');
    await east.patch(ResourceExport, service.metadata, {
      type: 'merge',
      body: { spec: { service: { serviceSpec: { type: 'ClusterIP' } } } },
    });
    const web = { namespace, name: 'east-shop-web-service' };
    await east.create(ResourceExport, {
      metadata: { ...service.metadata, ...web, labels: { ...service.metadata.labels, sourceName: 'web' } },
      spec: { ...service.spec, name: 'web' },
    });
    await east.delete(ResourceExport, web);
  });
});

describe('the uninstalled policy', () => {
  it('leaves nothing that refuses a request', async () => {
    const objects = await leaderObjects();
    for (const { kind, metadata } of objects.filter((one) => one.kind?.startsWith('ValidatingAdmission') === true)) {
      const plural =
        kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : 'validatingadmissionpolicybindings';
      const path = `/apis/admissionregistration.k8s.io/v1/${plural}/${metadata.name}`;
      await admin.request({ method: 'DELETE', path, headers: {} });
    }
    const attempt = () => outcome(as('member-east').create(ResourceExport, policy('mine'), { dryRun: true }));
    await vi.waitUntil(async () => (await attempt()) === 'allowed', { timeout: waitLimitMs(), interval: 100 });
  });
});
