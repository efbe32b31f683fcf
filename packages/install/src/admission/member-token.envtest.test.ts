import {
  ClusterRoleBinding,
  Event,
  FixedName,
  FlowSchema,
  MemberClusterAnnounce,
  Namespace,
  PriorityLevelConfiguration,
  ResourceExport,
  RoleBinding,
  ServiceAccount,
} from '@isthmus/api';
import { httpsTransport, isAlreadyExists, isForbidden, staticToken } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { anyCharacter, installObjects, readManifest, serviceAccountToken, waitLimitMs } from '@isthmus/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { memberAccount } from '../manifests/member-account.ts';
import { startPolicedServer } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';

const namespace: string = FixedName.leaderNamespace;
const other = 'shop';
const group = 'multicluster.crd.antrea.io';

let policed: PolicedServer;
let admin: Client;
const as = (name: string): Client => policed.as(name);

const finalizers = ['resourceexport.antrea.io/finalizer'];
type ExportSpec = NonNullable<ResourceExport['spec']>;

/** The export of a kind under a cluster ID, as a member writes it. */
function exportOf(clusterID: string, kind: string, source = 'cart'): ResourceExport {
  const made = (name: string, labels: object, spec: ExportSpec, held = true): ResourceExport => ({
    apiVersion: `${group}/v1alpha1`,
    kind: 'ResourceExport',
    metadata: {
      name,
      namespace,
      ...(held && { finalizers }),
      labels: { sourceClusterID: clusterID, sourceKind: kind, ...labels },
    },
    spec: { clusterID, kind: kind, ...spec },
  });
  const service = { namespace: 'shop', name: source };
  const serviceLabels = { sourceNamespace: 'shop', sourceName: source };
  switch (kind) {
    case 'Service':
      return made(`${clusterID}-shop-${source}-service`, serviceLabels, { ...service, service: { serviceSpec: {} } });
    case 'Endpoints':
      return made(`${clusterID}-shop-${source}-endpoints`, serviceLabels, { ...service, endpoints: { subsets: [] } });
    case 'ClusterInfo':
      return made(`${clusterID}-clusterinfo`, {}, { clusterInfo: { clusterID, serviceCIDR: '10.96.0.0/12' } });
    case 'LabelIdentity':
      return made(
        `${clusterID}-84f96bdf70fe8425`,
        {},
        { labelIdentity: { normalizedLabel: 'ns:kubernetes.io/metadata.name=test-ns&pod:purpose=test' } },
        false,
      );
    default:
      return expect.fail(kind);
  }
}

function announceOf(clusterID: string, change: Partial<MemberClusterAnnounce> = {}): MemberClusterAnnounce {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'MemberClusterAnnounce',
    metadata: { name: `member-announce-from-${clusterID}`, namespace },
    clusterID,
    clusterSetID: 'fleet',
    leaderClusterID: 'north',
    ...change,
  };
}

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'member-token' });
  ({ admin } = policed);
  await Promise.all([namespace, other].map((name) => admin.create(Namespace, { metadata: { name } })));
  await installObjects(admin, await readManifest('deploy/leader.yaml'));
  const bind = (name: string, at: string) =>
    admin.create(RoleBinding, {
      metadata: { name: `${name}-of-${at}`, namespace },
      roleRef: { apiGroup: RoleBinding.group, kind: 'Role', name: FixedName.memberRole },
      subjects: [{ kind: 'ServiceAccount', name, namespace: at }],
    });
  const { account, binding } = memberAccount(namespace, 'east');
  await admin.create(ServiceAccount, account);
  await admin.create(RoleBinding, binding);
  const annotations = (clusterID: string) => ({ 'multicluster.antrea.io/cluster-id': clusterID });
  await admin.create(ServiceAccount, { metadata: { name: 'unnamed', namespace } });
  await admin.create(ServiceAccount, { metadata: { name: 'empty', namespace, annotations: annotations('') } });
  await admin.create(ServiceAccount, { metadata: { name: 'second', namespace, annotations: annotations('east') } });
  // With the name of the member's account, and with the same Role.
  await admin.create(ServiceAccount, { metadata: { name: 'member-east', namespace: other } });
  for (const name of ['unnamed', 'empty', 'second']) await bind(name, namespace);
  await bind('member-east', other);
  for (const name of ['member-east', 'unnamed', 'empty', 'second', 'antrea-mc-controller'])
    await policed.logIn(namespace, name);
  await policed.logIn(other, 'member-east', `${other}/member-east`);
  // Their rights are those on every API server.
  for (const name of ['generic-garbage-collector', 'namespace-controller']) {
    await admin.create(ServiceAccount, { metadata: { name, namespace: 'kube-system' } });
    await policed.logIn('kube-system', name, `kube-system/${name}`);
  }
  await admin.create(ServiceAccount, { metadata: { name: 'gitops', namespace: other } });
  await admin.create(ClusterRoleBinding, {
    metadata: { name: 'gitops' },
    roleRef: { apiGroup: ClusterRoleBinding.group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'gitops', namespace: other }],
  });
  await policed.logIn(other, 'gitops');
  for (const clusterID of ['east', 'west']) {
    for (const kind of kinds) await admin.create(ResourceExport, exportOf(clusterID, kind));
    await admin.create(MemberClusterAnnounce, announceOf(clusterID));
  }
  for (const object of others) await send(admin, 'POST', object);
  // The API server reads roles and policies a moment after they are written, and evaluates a policy
  // once it has read the ServiceAccounts.
  const foreign = () =>
    outcome(as('empty').create(ResourceExport, exportOf('west', 'Service', 'probe'), { dryRun: true }));
  const announced = () => outcome(as('second').create(MemberClusterAnnounce, announceOf('south'), { dryRun: true }));
  await vi.waitUntil(async () => (await foreign()).startsWith('rejected: the annotation'), wait);
  await vi.waitUntil(async () => (await announced()).startsWith('rejected: a member writes'), wait);
});

afterAll(async () => {
  await policed?.[Symbol.asyncDispose]();
});

const wait = { timeout: waitLimitMs(), interval: 100 };
const kinds = ['Service', 'Endpoints', 'ClusterInfo', 'LabelIdentity'] as const;
/** Objects of the Namespace beside announcements and exports. */
const others: readonly (KubernetesObject & { readonly spec?: object; readonly value?: string })[] = [
  {
    apiVersion: `${group}/v1alpha1`,
    kind: 'ResourceImport',
    metadata: { name: 'shop-cart-service', namespace },
  },
  {
    apiVersion: `${group}/v1alpha2`,
    kind: 'ClusterSet',
    metadata: { name: 'fleet', namespace },
    spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace },
  },
  {
    apiVersion: `${group}/v1alpha2`,
    kind: 'ClusterClaim',
    metadata: { name: 'id.k8s.io', namespace },
    value: 'north',
  },
];

function pathOf({ apiVersion = '', kind = '', metadata }: KubernetesObject, withName: boolean): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = `${kind.toLowerCase()}s`;
  return `${base}/namespaces/${metadata.namespace}/${plural}${withName ? `/${metadata.name}` : ''}`;
}

async function send(client: Client, method: string, object: KubernetesObject, query = ''): Promise<unknown> {
  const isRead = method === 'GET' || method === 'DELETE';
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return client.request({
    method: method as 'GET',
    path: `${pathOf(object, method !== 'POST')}${query}`,
    headers: isRead ? {} : { 'content-type': type },
    ...(!isRead && { body: JSON.stringify(object) }),
  });
}

/** `allowed`, `denied` by RBAC, `rejected: <reason>` by a policy. */
async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'allowed';
  } catch (error) {
    // The API server evaluates policies for a new object before it looks for an object of its name.
    if (isAlreadyExists(error)) return 'allowed';
    if (!isForbidden(error)) return String(error);
    const [, why] = /denied request: (.*?)(?: \(403 Forbidden\))?$/s.exec((error as Error).message) ?? [];
    return why === undefined ? 'denied' : `rejected: ${why}`;
  }
}

const dryRun = '?dryRun=All';

/** Each verb on one object, as dry runs. */
async function verbsOn(client: Client, object: KubernetesObject): Promise<string> {
  const label = { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, touched: 'yes' } } };
  const status = { ...object, status: { conditions: [] } } as KubernetesObject;
  const under = (name: string) => ({
    ...object,
    metadata: { ...object.metadata, name: `${object.metadata.name}/${name}` },
  });
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    get: () => send(client, 'GET', object),
    create: () => send(client, 'POST', object, dryRun),
    update: async () => {
      const { text } = (await send(admin, 'GET', object)) as { readonly text: string };
      const current = JSON.parse(text) as KubernetesObject;
      const labels = { ...current.metadata.labels, touched: 'yes' };
      return send(client, 'PUT', { ...current, metadata: { ...current.metadata, labels } }, dryRun);
    },
    patch: () => send(client, 'PATCH', label, dryRun),
    delete: () => send(client, 'DELETE', object, dryRun),
    'patch status': () =>
      client.request({
        method: 'PATCH',
        path: `${pathOf(under('status'), true)}${dryRun}`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify(status),
      }),
  };
  const allowed: string[] = [];
  for (const [verb, call] of Object.entries(calls)) {
    const found = await outcome(call());
    if (found === 'allowed') allowed.push(verb);
    // Any other result is an error of this test.
    else if (found !== 'denied' && !found.startsWith('rejected')) allowed.push(`${verb}: ${found}`);
  }
  return allowed.join(' ');
}

/** Each verb on the whole of a kind. */
async function verbsOnAll(client: Client, object: KubernetesObject): Promise<string> {
  const path = pathOf(object, false);
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    list: () => client.request({ method: 'GET', path, headers: {} }),
    watch: () => client.request({ method: 'GET', path: `${path}?watch=true&timeoutSeconds=1`, headers: {} }),
    deletecollection: () => client.request({ method: 'DELETE', path: `${path}${dryRun}`, headers: {} }),
  };
  const allowed: string[] = [];
  for (const [verb, call] of Object.entries(calls)) if ((await outcome(call())) === 'allowed') allowed.push(verb);
  return allowed.join(' ');
}

describe("a member's token, on a real API server", () => {
  it('does with its own objects, with those of others, and with all of a kind, exactly this', async () => {
    const east = as('member-east');
    const write = 'get create update patch delete';
    const measured: Record<string, string> = {};
    for (const kind of kinds) {
      for (const clusterID of ['east', 'west']) {
        const object = exportOf(clusterID, kind);
        measured[`ResourceExport of ${clusterID}: ${kind}`] = await verbsOn(east, object);
      }
    }
    for (const clusterID of ['east', 'west'])
      measured[`MemberClusterAnnounce of ${clusterID}`] = await verbsOn(east, announceOf(clusterID));
    for (const object of others) measured[`${object.kind}`] = await verbsOn(east, object);
    for (const object of [announceOf('east'), exportOf('east', 'Service'), ...others])
      measured[`all of ${object.kind}`] = await verbsOnAll(east, object);
    expect(measured).toEqual({
      'ResourceExport of east: Service': write,
      'ResourceExport of east: Endpoints': write,
      'ResourceExport of east: ClusterInfo': write,
      'ResourceExport of east: LabelIdentity': write,
      'ResourceExport of west: Service': 'get',
      'ResourceExport of west: Endpoints': 'get',
      'ResourceExport of west: ClusterInfo': 'get',
      'ResourceExport of west: LabelIdentity': 'get',
      'MemberClusterAnnounce of east': write,
      'MemberClusterAnnounce of west': 'get',
      ResourceImport: 'get',
      ClusterSet: '',
      ClusterClaim: '',
      'all of MemberClusterAnnounce': 'list watch',
      'all of ResourceExport': 'list watch',
      'all of ResourceImport': 'list watch',
      'all of ClusterSet': '',
      'all of ClusterClaim': '',
    });
  });

  it('does nothing else: of every other resource and subresource that the API server has', async () => {
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
    const read = async (path: string) =>
      JSON.parse((await admin.request({ method: 'GET', path, headers: {} })).text) as {
        readonly groups?: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
        readonly resources?: readonly { readonly name: string; readonly namespaced: boolean }[];
      };
    const groups = ((await read('/apis')).groups ?? []).flatMap(({ versions }) =>
      versions.map((one) => one.groupVersion),
    );
    const allowed = new Set<string>();
    let asked = 0;
    const questions: (() => Promise<void>)[] = [];
    for (const groupVersion of ['v1', ...groups]) {
      const path = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
      const inGroup = groupVersion === 'v1' ? '' : (groupVersion.split('/')[0] ?? '');
      for (const { name, namespaced } of (await read(path)).resources ?? []) {
        const [resource = '', subresource] = name.split('/');
        for (const verb of verbs) {
          for (const at of namespaced ? [namespace, other] : ['']) {
            questions.push(async () => {
              asked++;
              const resourceAttributes = { group: inGroup, resource, subresource, verb, namespace: at };
              const review = {
                apiVersion: 'authorization.k8s.io/v1',
                kind: 'SelfSubjectAccessReview',
                spec: { resourceAttributes },
              };
              const { text } = await as('member-east').request({
                method: 'POST',
                path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
                headers: { 'content-type': 'application/json' },
                body: JSON.stringify(review),
              });
              const { status } = JSON.parse(text) as { readonly status: { readonly allowed: boolean } };
              if (status.allowed)
                allowed.add(
                  `${verb} ${name}${inGroup === '' ? '' : `.${inGroup}`} in ${at === '' ? 'the cluster' : at}`,
                );
            });
          }
        }
      }
    }
    const left = questions.values();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const ask of left) await ask();
      }),
    );
    expect(asked).toBeGreaterThan(1_000);
    const named = (verb: string, resource: string) => `${verb} ${resource}.${group} in ${namespace}`;
    const members = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
    expect([...allowed].toSorted()).toEqual(
      [
        `get serviceaccounts in ${namespace}`,
        ...members.flatMap((verb) => [named(verb, 'memberclusterannounces'), named(verb, 'resourceexports')]),
        ...['get', 'list', 'watch'].map((verb) => named(verb, 'resourceimports')),
        // Every authenticated user may do it: a question about itself.
        'create selfsubjectreviews.authentication.k8s.io in the cluster',
        'create selfsubjectaccessreviews.authorization.k8s.io in the cluster',
        'create selfsubjectrulesreviews.authorization.k8s.io in the cluster',
      ].toSorted(),
    );
  });
});

const cart = exportOf('east', 'Service', 'new');
const changed = (object: ResourceExport, spec: ExportSpec, metadata: Partial<ResourceExport['metadata']> = {}) => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
  spec: { ...object.spec, ...spec },
});
const created =
  (object: ResourceExport) =>
  (client: Client): Promise<unknown> =>
    client.create(ResourceExport, object, { dryRun: true });
const patched =
  (object: ResourceExport, body: object) =>
  (client: Client): Promise<unknown> =>
    client.patch(ResourceExport, object.metadata, { type: 'merge', body }, { dryRun: true });

const applied =
  (object: ResourceExport, query = '') =>
  (client: Client): Promise<unknown> =>
    client.request({
      method: 'PATCH',
      path: `${pathOf(object, true)}${dryRun}&fieldManager=evil${query}`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(object),
    });
const patchedByJson =
  (object: ResourceExport, ...operations: readonly object[]) =>
  (client: Client): Promise<unknown> =>
    client.request({
      method: 'PATCH',
      path: `${pathOf(object, true)}${dryRun}`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: JSON.stringify(operations),
    });
const ownerReferences = [
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: '00000000-0000-4000-8000-000000000000' },
];

/** The decisions of an Antrea leader about `east` (docs/spec/wire.md §10). */
const cases: readonly {
  readonly title: string;
  readonly by?: string;
  readonly attempt: (client: Client) => Promise<unknown>;
  readonly expected: string;
}[] = [
  { title: 'a Service of its own', attempt: created(cart), expected: 'allowed' },
  { title: 'Endpoints of its own', attempt: created(exportOf('east', 'Endpoints', 'new')), expected: 'allowed' },
  {
    title: 'its own export by another account of the cluster',
    by: 'second',
    attempt: created(cart),
    expected: 'allowed',
  },
  {
    title: 'any export by an account that names no cluster',
    by: 'unnamed',
    attempt: created(exportOf('west', 'Service', 'new')),
    expected: 'allowed',
  },
  {
    title: 'an export by an account whose annotation is empty',
    by: 'empty',
    attempt: created(cart),
    expected: 'the annotation cluster-id',
  },
  {
    title: 'an export of another cluster',
    attempt: created(exportOf('west', 'Service', 'new')),
    expected: 'spec.clusterID must be',
  },
  {
    title: 'its export turned into one of another cluster',
    attempt: patched(exportOf('east', 'Service'), { spec: { clusterID: 'west' } }),
    expected: 'spec.clusterID must be',
  },
  {
    title: "another cluster's export turned into its own",
    attempt: patched(exportOf('west', 'Service'), { spec: { clusterID: 'east' } }),
    expected: 'this ResourceExport belongs to another cluster',
  },
  { title: 'its export by server-side apply', attempt: applied(cart), expected: 'allowed' },
  {
    title: 'an export of another cluster by server-side apply',
    attempt: applied(exportOf('west', 'Service', 'new')),
    expected: 'spec.clusterID must be',
  },
  {
    title: "another cluster's export by server-side apply, by force",
    attempt: applied(exportOf('west', 'Service'), '&force=true'),
    expected: 'this ResourceExport belongs to another cluster',
  },
  {
    title: "an owner for another cluster's export, with which the garbage collector would delete it",
    attempt: patched(exportOf('west', 'Service'), { metadata: { ownerReferences } }),
    expected: '(?:this ResourceExport belongs to another cluster|a member adds no ownerReferences)',
  },
  {
    title: "an annotation for another cluster's export",
    attempt: patchedByJson(exportOf('west', 'ClusterInfo'), {
      op: 'add',
      path: '/metadata/annotations',
      value: { 'isthmus.dev/withdrawn': '2026-11-27T00:00:00Z' },
    }),
    expected: 'this ResourceExport belongs to another cluster',
  },
  {
    title: 'a name that the API server generates',
    attempt: (client) => {
      const { name: _, ...metadata } = { ...cart.metadata, generateName: 'east-shop-new-' };
      return send(client, 'POST', { ...cart, metadata } as KubernetesObject, dryRun);
    },
    expected: 'the name must be derived',
  },
  {
    title: 'the removal of the finalizer by a JSON patch',
    attempt: patchedByJson(exportOf('east', 'Service'), { op: 'remove', path: '/metadata/finalizers/0' }),
    expected: 'only the leader removes the finalizer of a ResourceExport',
  },
  {
    title: 'its export without the finalizer',
    attempt: created(changed(cart, {}, { finalizers: [] })),
    expected: 'a new ResourceExport must have',
  },
  {
    title: 'its export with the finalizer of Antrea before 2.1.1',
    attempt: created(changed(cart, {}, { finalizers: ['resourceexport.finalizers.antrea.io'] })),
    expected: 'allowed',
  },
  {
    title: 'the removal of the finalizer',
    attempt: patched(exportOf('east', 'Service'), { metadata: { finalizers: null } }),
    expected: 'only the leader removes the finalizer of a ResourceExport',
  },
  {
    title: 'a change that keeps the finalizer',
    attempt: patched(exportOf('east', 'Service'), { spec: { service: { serviceSpec: { type: 'ClusterIP' } } } }),
    expected: 'allowed',
  },
  {
    title: 'another name in spec',
    attempt: patched(exportOf('east', 'Service'), { spec: { name: 'other' } }),
    expected: 'spec.namespace, spec.name and spec.kind',
  },
  {
    title: 'another kind in spec',
    attempt: patched(exportOf('east', 'Service'), { spec: { kind: 'Endpoints', endpoints: {} } }),
    expected: 'spec.namespace, spec.name and spec.kind',
  },
  {
    title: 'a kind that members do not export',
    attempt: created(changed(cart, { kind: 'ExternalEntity' })),
    expected: 'a member can export only the kinds',
  },
  {
    title: 'a kind that no leader knows',
    attempt: created(changed(cart, { kind: '__proto__' })),
    expected: 'a member can export only the kinds',
  },
  {
    title: 'a Service without payload',
    attempt: created(changed(cart, { service: undefined })),
    expected: 'the payload is missing',
  },
  {
    title: 'Endpoints without payload',
    attempt: created(changed(exportOf('east', 'Endpoints', 'new'), { endpoints: undefined })),
    expected: 'the payload is missing',
  },
  {
    title: 'a Namespace that is not a DNS label',
    attempt: created(changed(cart, { namespace: 'Shop' })),
    expected: 'spec.namespace and spec.name must be',
  },
  {
    title: 'a name of 64 characters',
    attempt: created(changed(cart, { name: 'a'.repeat(64) })),
    expected: 'spec.namespace and spec.name must be',
  },
  {
    title: 'an empty name',
    attempt: created(changed(cart, { name: '' })),
    expected: 'spec.namespace and spec.name must be',
  },
  {
    title: 'a label of another cluster',
    attempt: created(changed(cart, {}, { labels: { ...cart.metadata.labels, sourceClusterID: 'west' } })),
    expected: 'the labels sourceClusterID',
  },
  {
    title: 'a label of another kind',
    attempt: created(changed(cart, {}, { labels: { ...cart.metadata.labels, sourceKind: 'Endpoints' } })),
    expected: 'the labels sourceClusterID',
  },
  {
    title: 'a label of another Service',
    attempt: created(changed(cart, {}, { labels: { ...cart.metadata.labels, sourceName: 'x' } })),
    expected: 'the labels sourceName',
  },
  {
    title: 'a name that is not derived',
    attempt: created(changed(cart, {}, { name: 'east-anything' })),
    expected: 'the name must be derived',
  },
  {
    title: 'a name with a dot between Namespace and name',
    attempt: created(changed(cart, {}, { name: 'east-shop.new-service' })),
    expected: 'allowed',
  },
  {
    title: 'a name with a dot elsewhere',
    attempt: created(changed(cart, {}, { name: 'east.shop-new-service' })),
    expected: 'the name must be derived',
  },
  {
    title: 'a name with the ID of another cluster',
    attempt: created(changed(cart, {}, { name: 'west-shop-new-service' })),
    expected: 'the name must be derived',
  },
  {
    title: 'a wrong name of a ClusterInfo',
    attempt: created(changed(exportOf('east', 'ClusterInfo'), {}, { name: 'east-info' })),
    expected: 'the name must be derived',
  },
  {
    title: 'a ClusterInfo of another cluster',
    attempt: patched(exportOf('east', 'ClusterInfo'), { spec: { clusterInfo: { clusterID: 'west' } } }),
    expected: 'spec.clusterInfo.clusterID must equal',
  },
  {
    title: 'a ClusterInfo without payload',
    attempt: patched(exportOf('east', 'ClusterInfo'), { spec: { clusterInfo: null } }),
    expected: 'allowed',
  },
  {
    title: 'labels under a name that is not a hash',
    attempt: created(changed(exportOf('east', 'LabelIdentity'), {}, { name: 'east-x' })),
    expected: 'the name must be derived',
  },
  {
    title: 'labels without payload',
    attempt: created(
      changed(exportOf('east', 'LabelIdentity'), { labelIdentity: undefined }, { name: 'east-0000000000000000' }),
    ),
    expected: 'the name must be derived',
  },
  {
    title: 'a Service whose derived name a cluster east-1 could have as well',
    attempt: created(
      changed(
        cart,
        { namespace: '1-shop' },
        { name: 'east-1-shop-new-service', labels: { ...cart.metadata.labels, sourceNamespace: '1-shop' } },
      ),
    ),
    expected: 'allowed',
  },
];

describe('the exports of a member whose account names its cluster, on a real API server', () => {
  it.each(cases)('accept or reject $title', async ({ by = 'member-east', attempt, expected }) => {
    const found = await outcome(attempt(as(by)));
    if (expected === 'allowed') expect(found).toBe('allowed');
    else expect(found).toMatch(new RegExp(`^rejected: ${expected}`));
  });

  it('are changed and deleted by the leader, which creates none', async () => {
    const leader = as('antrea-mc-controller');
    const west = exportOf('west', 'Service');
    expect(await outcome(patched(west, { metadata: { finalizers: null } })(leader))).toBe('allowed');
    expect(await outcome(send(leader, 'DELETE', west, dryRun))).toBe('allowed');
    expect(await outcome(created(cart)(leader))).toBe('denied');
  });

  it('of any shape are judged by a rule, and never by an error in one', async () => {
    const words = ['__proto__', 'constructor', 'east', 'east-1', 'west', 'Service', 'Endpoints', 'LabelIdentity', ''];
    const text = fc.oneof(
      fc.constantFrom(...words, 'x'.repeat(300)),
      fc.string({ unit: anyCharacter(), maxLength: 12 }),
    );
    const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const map = some(fc.dictionary(fc.constantFrom('sourceClusterID', 'sourceKind', 'sourceName', 'touched'), text));
    const spec = fc.record({
      clusterID: some(text),
      kind: some(text),
      namespace: some(text),
      name: some(text),
      service: some(fc.constantFrom({}, { serviceSpec: {} })),
      endpoints: some(fc.constantFrom({}, { subsets: [] })),
      clusterInfo: some(fc.record({ clusterID: some(text) })),
      labelIdentity: some(fc.record({ normalizedLabel: some(text) })),
      clusterNetworkPolicy: some(fc.constant({ priority: 1 })),
    });
    const shapes = fc.sample(
      fc.record({ name: fc.constantFrom('east-clusterinfo', 'east-x', 'constructor'), labels: map, spec: some(spec) }),
      { numRuns: 60, seed: 1 },
    );
    const announced = fc.sample(
      fc.record({
        name: fc.constantFrom('member-announce-from-east', 'x'),
        clusterID: some(text),
        leaderClusterID: some(text),
      }),
      { numRuns: 30, seed: 1 },
    );
    const wrong: string[] = [];
    let rejected = 0;
    for (const by of ['member-east', 'unnamed', 'empty']) {
      const attempt = async (what: string, call: () => Promise<unknown>) => {
        const verdict = await outcome(call());
        // 422: the definition, or the form of the metadata, does not allow it.
        if (
          /resulted in error|InternalError/.test(verdict) ||
          !/^(?:allowed|rejected|.*\(422 Invalid\)|.*\(400 BadRequest\))/s.test(verdict)
        )
          wrong.push(`${by} ${what}: ${verdict}`);
        if (verdict.startsWith('rejected')) rejected++;
      };
      for (const { name, labels, spec: exported } of shapes) {
        const base = { apiVersion: `${group}/v1alpha1`, kind: 'ResourceExport', metadata: { name, namespace, labels } };
        await attempt('creates', () => send(as(by), 'POST', { ...base, ...(exported && { spec: exported }) }, dryRun));
        const target = exportOf('east', 'ClusterInfo').metadata;
        await attempt('changes', () =>
          send(as(by), 'PATCH', { ...base, metadata: { ...target, labels }, spec: exported ?? null } as never, dryRun),
        );
      }
      for (const { name, ...fields } of announced)
        await attempt('announces', () =>
          send(as(by), 'POST', { ...announceOf('east'), metadata: { name, namespace }, ...fields }, dryRun),
        );
    }
    expect(wrong).toEqual([]);
    expect(rejected).toBeGreaterThan(100);
  });

  it('reveal neither the cluster of the account nor the claimed one', async () => {
    const found = await outcome(created(exportOf('west', 'Service', 'new'))(as('member-east')));
    expect(found).not.toMatch(/east|west/);
  });
});

describe('the announcement of a member, on a real API server', () => {
  const patch = (clusterID: string, body: object) => (client: Client) =>
    client.patch(MemberClusterAnnounce, announceOf(clusterID).metadata, { type: 'merge', body }, { dryRun: true });
  const create = (object: MemberClusterAnnounce) => (client: Client) =>
    client.create(MemberClusterAnnounce, object, { dryRun: true });
  const remove = (clusterID: string) => (client: Client) => send(client, 'DELETE', announceOf(clusterID), dryRun);
  const beat = { metadata: { annotations: { 'touch-ts': '2026-11-23T10:00:00Z' } } };
  const own = 'a member writes the MemberClusterAnnounce of its own cluster';
  const rows: readonly {
    readonly title: string;
    readonly by?: string;
    readonly attempt: (client: Client) => Promise<unknown>;
    readonly expected: string;
  }[] = [
    { title: 'a heartbeat of its own', attempt: patch('east', beat), expected: 'allowed' },
    {
      title: 'a heartbeat by another account of the cluster',
      by: 'second',
      attempt: patch('east', beat),
      expected: 'allowed',
    },
    { title: "another cluster's heartbeat", attempt: patch('west', beat), expected: own },
    { title: "the deletion of another cluster's", attempt: remove('west'), expected: own },
    { title: 'the deletion of its own', attempt: remove('east'), expected: 'allowed' },
    { title: 'an announcement of a cluster that is not its own', attempt: create(announceOf('south')), expected: own },
    {
      title: 'its announcement turned into that of another cluster',
      attempt: patch('east', { clusterID: 'west' }),
      expected: own,
    },
    {
      title: 'another cluster in an announcement, by an account that names none',
      by: 'unnamed',
      attempt: patch('east', { clusterID: 'west' }),
      expected: 'clusterID of a MemberClusterAnnounce cannot be changed',
    },
    {
      title: 'any cluster, by an account that names none',
      by: 'unnamed',
      attempt: create(announceOf('south')),
      expected: 'allowed',
    },
    {
      title: 'another name',
      by: 'unnamed',
      attempt: create(announceOf('south', { metadata: { name: 'south', namespace } })),
      expected: 'the name of a MemberClusterAnnounce must be',
    },
    {
      title: 'no cluster, by an account whose annotation is empty',
      by: 'empty',
      attempt: create(announceOf('south')),
      expected: own,
    },
  ];

  it.each(rows)('accepts or rejects $title', async ({ by = 'member-east', attempt, expected }) => {
    const found = await outcome(attempt(as(by)));
    if (expected === 'allowed') expect(found).toBe('allowed');
    else expect(found).toMatch(new RegExp(`^rejected: ${expected}`));
  });

  it('is written by the leader and by administrators, and not by an account of the same name and Role elsewhere', async () => {
    expect(await outcome(patch('west', beat)(as('antrea-mc-controller')))).toBe('allowed');
    expect(await outcome(remove('west')(as('antrea-mc-controller')))).toBe('allowed');
    expect(await outcome(remove('west')(admin))).toBe('allowed');
    expect(await outcome(patch('east', beat)(as(`${other}/member-east`)))).toMatch(
      /^rejected: a member must use a ServiceAccount of Namespace/,
    );
  });

  it('is not written, nor is an export, with the token of a ServiceAccount that does not exist any more', async () => {
    const gone = { name: 'gone', namespace };
    await admin.create(ServiceAccount, { metadata: gone });
    const client = await policed.logIn(namespace, gone.name);
    await admin.delete(ServiceAccount, gone);
    const isUnknown = async (write: Promise<unknown>) => /\(401 Unauthorized\)/.test(await outcome(write));
    await vi.waitUntil(() => isUnknown(send(client, 'POST', exportOf('east', 'Service', 'new'), dryRun)), wait);
    expect(await isUnknown(send(client, 'POST', announceOf('south'), dryRun))).toBe(true);
  });

  it('is released by the garbage collector, which removes its finalizer from what is deleted in the foreground', async () => {
    const metadata = { ...announceOf('south').metadata, finalizers: ['foregroundDeletion'] };
    await admin.create(MemberClusterAnnounce, announceOf('south', { metadata }));
    await send(admin, 'DELETE', announceOf('south'));
    const released = patch('south', { metadata: { finalizers: null } });
    expect(await outcome(released(as('kube-system/generic-garbage-collector')))).toBe('allowed');
  });
});

describe('an account of another Namespace with the Role of members, on a real API server', () => {
  const own = exportOf('east', 'Service');
  const touched = { metadata: { labels: { ...own.metadata.labels, touched: 'yes' } } };
  const annotation = { metadata: { annotations: { 'touch-ts': '2026-11-23T10:00:00Z' } } };
  const writes: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
    ['creates an export', created(cart)],
    ['changes an export', patched(own, touched)],
    ['takes the finalizer off an export', patched(own, { metadata: { finalizers: null } })],
    ['deletes an export', (client) => send(client, 'DELETE', own, dryRun)],
    ['announces a cluster', (client) => send(client, 'POST', announceOf('south'), dryRun)],
    [
      'beats for a cluster',
      (client) =>
        client.patch(
          MemberClusterAnnounce,
          announceOf('east').metadata,
          { type: 'merge', body: annotation },
          { dryRun: true },
        ),
    ],
    ['deletes an announcement', (client) => send(client, 'DELETE', announceOf('west'), dryRun)],
  ];

  it.each(writes)('never %s', async (_, write) => {
    expect(await outcome(write(as(`${other}/member-east`)))).toMatch(/^rejected: a member must use a ServiceAccount/);
  });

  it('reads as a member', async () => {
    expect(await outcome(as(`${other}/member-east`).list(ResourceExport, { namespace }))).toBe('allowed');
  });

  it('is not mistaken for an administrator, who writes all of it from any Namespace', async () => {
    for (const [title, write] of writes) expect(await outcome(write(as('gitops'))), title).toBe('allowed');
  });

  it('is not mistaken for the garbage collector or the Namespace controller, which delete all of it', async () => {
    for (const name of ['kube-system/generic-garbage-collector', 'kube-system/namespace-controller'])
      for (const object of [own, announceOf('west')])
        expect(await outcome(send(as(name), 'DELETE', object, dryRun)), name).toBe('allowed');
    const collector = as('kube-system/generic-garbage-collector');
    expect(await outcome(patched(own, { metadata: { finalizers: null } })(collector))).toBe('allowed');
  });
});

describe('the size of exports and announcements, on a real API server', () => {
  const tooLarge = /^rejected: the object is too large/;
  const pods = (count: number): ExportSpec => {
    const numbers = Array.from({ length: count }, (_, i) => i);
    const address = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
    const ports = [{ name: 'http', protocol: 'TCP' as const, port: 8080 }];
    const slice = (from: number) => ({
      addressType: 'IPv4' as const,
      ports,
      endpoints: numbers.slice(from, from + 1_000).map((i) => ({ addresses: [address(i)], hostname: `web-${i}` })),
    });
    return {
      endpoints: { subsets: [{ addresses: numbers.map((i) => ({ ip: address(i), hostname: `web-${i}` })), ports }] },
      endpointSlices: numbers.filter((i) => i % 1_000 === 0).map(slice),
    };
  };
  const endpoints = exportOf('east', 'Endpoints', 'many');
  const podCIDRs = (count: number) =>
    Array.from({ length: count }, (_, n) => `10.${100 + (n >> 14)}.${(n >> 6) & 255}.${(n & 63) * 4}/30`);
  const networks = (count: number) =>
    patched(exportOf('east', 'ClusterInfo'), {
      spec: { clusterInfo: { clusterID: 'east', podCIDRs: podCIDRs(count) } },
    });
  const labels = (bytes: number) =>
    created(
      changed(
        exportOf('east', 'LabelIdentity'),
        { labelIdentity: { normalizedLabel: 'x'.repeat(bytes) } },
        { name: 'east-0000000000000000' },
      ),
    );
  const managed = {
    manager: 'evil',
    operation: 'Update',
    apiVersion: `${group}/v1alpha1`,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': { 'f:labels': Object.fromEntries(Array.from({ length: 22_000 }, (_, i) => [`f:${i}`, {}])) },
    },
  };

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['5,000 Pods of a headless Service', created(changed(endpoints, pods(5_000)))],
    ['2,000 ranges', networks(2_000)],
    ['200 kB of labels', labels(200_000)],
    [
      'all annotations that an API server stores, but for those of a member',
      created(changed(cart, {}, { annotations: { a: 'x'.repeat(240_000) } })),
    ],
    [
      'an announcement with 200 clusters that have left',
      (client) => {
        const left = Array.from({ length: 200 }, (_, i) => `cluster-${i}=2026-11-23T10:00:00Z`).join(',');
        const metadata = { ...announceOf('east').metadata, annotations: { 'isthmus.dev/left': left } };
        return send(client, 'PATCH', announceOf('east', { metadata }), dryRun);
      },
    ],
  ])('is accepted: %s', async (_, write) => {
    expect(await outcome(write(as('member-east')))).toBe('allowed');
  });

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['12,000 Pods', created(changed(endpoints, pods(12_000)))],
    ['20,000 ranges', networks(20_000)],
    ['a megabyte of labels', labels(1_000_000)],
    [
      'as many bytes, in Chinese characters',
      created(changed(cart, {}, { annotations: { a: 'x'.repeat(200_000), b: '长'.repeat(20_500) } })),
    ],
    ['managed fields', created(changed(cart, {}, { managedFields: [managed] }))],
    [
      'an announcement',
      (client) =>
        send(
          client,
          'PATCH',
          announceOf('east', { metadata: { ...announceOf('east').metadata, annotations: { a: 'x'.repeat(70_000) } } }),
          dryRun,
        ),
    ],
  ])('is rejected: %s', async (_, write) => {
    expect(await outcome(write(as('member-east')))).toMatch(tooLarge);
  });

  it('is the same for an account that names no cluster', async () => {
    expect(await outcome(labels(200_000)(as('unnamed')))).toBe('allowed');
    expect(await outcome(labels(300_000)(as('unnamed')))).toMatch(tooLarge);
  });

  it('of an export that is too large already does not grow, and may shrink', async () => {
    const large = changed(
      exportOf('east', 'LabelIdentity'),
      { labelIdentity: { normalizedLabel: 'x'.repeat(300_000) } },
      { name: 'east-0000000000000001' },
    );
    const write = (bytes: number) =>
      outcome(patched(large, { spec: { labelIdentity: { normalizedLabel: 'x'.repeat(bytes) } } })(as('member-east')));
    await admin.create(ResourceExport, large);
    expect(await write(310_000)).toMatch(tooLarge);
    expect(await write(290_000)).toBe('allowed');
    expect(await outcome(send(as('member-east'), 'DELETE', large, dryRun))).toBe('allowed');
  });

  it('of the largest Endpoints is compared within the limits of CEL', async () => {
    const large = exportOf('east', 'Endpoints', 'large');
    await admin.create(ResourceExport, changed(large, pods(11_000)));
    const touched = { metadata: { annotations: { touched: 'yes' } } };
    expect(await outcome(patched(large, touched)(as('member-east')))).toMatch(tooLarge);
  });

  it('is not limited for administrators', async () => {
    expect(await outcome(labels(1_000_000)(admin))).toBe('allowed');
    expect(await outcome(labels(1_000_000)(as('gitops')))).toBe('allowed');
  });
});

describe('finalizers and owner references of exports and announcements, on a real API server', () => {
  const foreign = 'evil.example/never';
  const kept = 'resourceexport.antrea.io/finalizer';
  const legacy = 'resourceexport.finalizers.antrea.io';
  const held = exportOf('east', 'Endpoints', 'held');
  const heldBy = [kept, foreign, 'old.example/other'];
  const addsFinalizer = /^rejected: (?:a member adds only the finalizer|the object is too large)/;
  const addsOwner = /^rejected: a member adds no ownerReferences/;
  const of = (object: ResourceExport | MemberClusterAnnounce) => (metadata: object) => (client: Client) =>
    send(client, 'PATCH', { ...object, metadata: { ...object.metadata, ...metadata } }, dryRun);
  const ofExport = of(exportOf('east', 'Service'));
  const ofAnnouncement = of(announceOf('east'));
  const ofHeld = of(held);

  beforeAll(async () => {
    await admin.create(ResourceExport, changed(held, {}, { finalizers: heldBy, ownerReferences }));
  });

  it.each<[string, (client: Client) => Promise<unknown>, RegExp]>([
    ['a new export with another finalizer', created(changed(cart, {}, { finalizers: [kept, foreign] })), addsFinalizer],
    ['a new export with an owner', created(changed(cart, {}, { ownerReferences })), addsOwner],
    [
      '20,000 times the same finalizer',
      created(changed(cart, {}, { finalizers: Array(20_000).fill(kept) })),
      addsFinalizer,
    ],
    [
      '20,000 finalizers',
      created(
        changed(cart, {}, { finalizers: [kept, ...Array.from({ length: 20_000 }, (_, i) => `evil.example/${i}`)] }),
      ),
      addsFinalizer,
    ],
    ['another finalizer', ofExport({ finalizers: [kept, foreign] }), addsFinalizer],
    ['the finalizer of a foreground deletion', ofExport({ finalizers: [kept, 'foregroundDeletion'] }), addsFinalizer],
    ['an owner', ofExport({ ownerReferences }), addsOwner],
    ['a finalizer for its announcement', ofAnnouncement({ finalizers: [foreign] }), addsFinalizer],
    ['that of exports for its announcement', ofAnnouncement({ finalizers: [kept] }), addsFinalizer],
    ['an owner for its announcement', ofAnnouncement({ ownerReferences }), addsOwner],
    [
      'one more finalizer for an export with others',
      ofHeld({ finalizers: [...heldBy, 'evil.example/two'] }),
      addsFinalizer,
    ],
    ['a finalizer in the place of another one', ofHeld({ finalizers: [kept, 'evil.example/two'] }), addsFinalizer],
    [
      'one more owner for an export with others',
      ofHeld({ ownerReferences: [...ownerReferences, { ...ownerReferences[0], name: 'two' }] }),
      addsOwner,
    ],
  ])('are not added by any account with the Role of members: %s', async (_, attempt, expected) => {
    for (const name of ['member-east', 'unnamed']) expect(await outcome(attempt(as(name))), name).toMatch(expected);
    // Another policy may answer first.
    expect(await outcome(attempt(as(`${other}/member-east`)))).toMatch(/^rejected: (?:a member |the object is)/);
  });

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['the finalizer of earlier releases beside the usual one', ofExport({ finalizers: [kept, legacy] })],
    ['a change of an export that has others', ofHeld({ labels: { ...held.metadata.labels, touched: 'yes' } })],
    ['the removal of one of them', ofHeld({ finalizers: [kept, foreign] })],
    ['the removal of all of them', ofHeld({ finalizers: [kept], ownerReferences: null })],
  ])('stay, or are removed, as its other rules allow: %s', async (_, attempt) => {
    for (const name of ['member-east', 'unnamed']) expect(await outcome(attempt(as(name))), name).toBe('allowed');
  });

  it('are written by administrators, and removed by the leader and the garbage collector', async () => {
    const holds = { finalizers: [kept, foreign], ownerReferences };
    expect(await outcome(ofExport(holds)(admin))).toBe('allowed');
    for (const name of ['antrea-mc-controller', 'kube-system/generic-garbage-collector'])
      expect(await outcome(ofHeld({ finalizers: null, ownerReferences: null })(as(name))), name).toBe('allowed');
  });
});

describe('the requests of members, on a real API server', () => {
  const levelOf = async (at: string, account: string, path: string): Promise<string> => {
    const { url, caData } = policed.server;
    const credentials = staticToken(await serviceAccountToken(admin, at, account));
    const transport = httpsTransport({ server: url, caPem: caData, credentials, userAgent: 'isthmus-test' });
    try {
      const { headers } = await transport.send({ method: 'GET', path, headers: {} }, AbortSignal.timeout(10_000));
      const [schemas, levels] = await Promise.all([admin.list(FlowSchema), admin.list(PriorityLevelConfiguration)]);
      const nameOf = ({ items }: { readonly items: readonly KubernetesObject[] }, uid: string | undefined) =>
        items.find(({ metadata }) => metadata.uid === uid)?.metadata.name;
      const schema = nameOf(schemas, headers['x-kubernetes-pf-flowschema-uid']);
      return `${schema} in ${nameOf(levels, headers['x-kubernetes-pf-prioritylevel-uid'])}`;
    } finally {
      transport.close();
    }
  };
  const exports = `/apis/${group}/v1alpha1/namespaces/${namespace}/resourceexports`;
  const own = `${namespace}-isthmus-members in ${namespace}-isthmus-members`;

  // The API server reads FlowSchemas a moment after they are written.
  beforeAll(async () => {
    await vi.waitUntil(async () => (await levelOf(namespace, 'member-east', exports)) === own, wait);
  });

  it.each([
    ['their exports', exports],
    ['what their Role does not allow', '/api/v1/pods'],
    ['no object', '/version'],
  ])('are in a priority level of their own, whether they are about %s', async (_, path) => {
    for (const account of ['member-east', 'unnamed']) expect(await levelOf(namespace, account, path)).toBe(own);
  });

  it("leave those of the leader's controller, and of ServiceAccounts of other Namespaces, in their level", async () => {
    expect(await levelOf(namespace, 'antrea-mc-controller', exports)).toBe(
      `${namespace}-isthmus-controller in workload-low`,
    );
    expect(await levelOf(other, 'gitops', exports)).toBe('service-accounts in workload-low');
    expect(await levelOf('kube-system', 'namespace-controller', exports)).toMatch(/^kube-system-service-accounts in /);
  });
});

describe('the Events of members, on a real API server', () => {
  const eventOf = (involved: object, change: Partial<Event> = {}): Event => ({
    metadata: { name: 'x.1', namespace },
    involvedObject: { apiVersion: `${group}/v1alpha1`, namespace, uid: 'f3b8', ...involved },
    type: 'Warning',
    reason: 'ACNPImportFailed',
    message: 'm'.repeat(1_000),
    count: 1,
    firstTimestamp: '2026-11-23T10:00:00Z',
    lastTimestamp: '2026-11-23T10:00:00Z',
    reportingComponent: 'isthmus-member',
    reportingInstance: 'east',
    source: { component: 'isthmus-member' },
    ...change,
  });
  const ofPolicy = { kind: 'ResourceImport', name: 'strict-antreaclusternetworkpolicy' };
  const byAntrea = { action: 'synced', reportingComponent: 'resourceimport-controller', source: {} };
  const write = (name: string, event: Event) => outcome(as(name).create(Event, event, { dryRun: true }));
  const big = 'x'.repeat(4_000);
  const managed = {
    manager: 'evil',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': { 'f:labels': Object.fromEntries(Array.from({ length: 9_000 }, (__, i) => [`f:${i}`, {}])) },
    },
  };
  const wrongObject = 'a member writes Events only about';
  const ofLeader = 'a member writes no Events in the name of the leader';
  const tooLarge = 'an Event of a member has at most 4096 bytes';

  it('are not allowed, unless an administrator allows them', async () => {
    for (const name of ['member-east', 'unnamed', `${other}/member-east`])
      expect(await write(name, eventOf(ofPolicy)), name).toBe('denied');
  });

  describe('if an administrator allows them', () => {
    beforeAll(async () => {
      await installObjects(admin, await readManifest('deploy/leader-events.yaml'));
      const allowed = async () => (await write('member-east', eventOf(ofPolicy))) === 'allowed';
      await vi.waitUntil(allowed, wait);
    });

    it.each<[string, Event, string]>([
      ['that a policy is not imported', eventOf(ofPolicy), 'allowed'],
      ['that a policy is not imported, by Antrea', eventOf(ofPolicy, byAntrea), 'allowed'],
      ['its announcement', eventOf({ kind: 'MemberClusterAnnounce', name: 'member-announce-from-east' }), 'allowed'],
      ['its export', eventOf({ kind: 'ResourceExport', name: 'east-shop-cart-service' }), 'allowed'],
      [
        "another member's announcement",
        eventOf({ kind: 'MemberClusterAnnounce', name: 'member-announce-from-west' }),
        wrongObject,
      ],
      ["another member's export", eventOf({ kind: 'ResourceExport', name: 'west-shop-cart-service' }), wrongObject],
      ['the import of a Service', eventOf({ kind: 'ResourceImport', name: 'shop-cart-service' }), wrongObject],
      ['the ClusterSet', eventOf({ kind: 'ClusterSet', name: 'fleet' }), wrongObject],
      ['the leader as its source', eventOf(ofPolicy, { source: { component: 'isthmus-leader' } }), ofLeader],
      ['the leader as its author', eventOf(ofPolicy, { reportingComponent: 'isthmus-leader' }), ofLeader],
      ['a long message in Chinese', eventOf(ofPolicy, { message: '长'.repeat(1_000) }), 'allowed'],
      [
        'managed fields',
        eventOf(ofPolicy, { metadata: { name: 'x.1', namespace, managedFields: [managed] } }),
        tooLarge,
      ],
      ['a long reason', eventOf(ofPolicy, { reason: big }), tooLarge],
      ['a long path of a field', eventOf({ ...ofPolicy, fieldPath: big }), tooLarge],
      ['a long host', eventOf(ofPolicy, { source: { host: big } }), tooLarge],
      ['another object with a long name', eventOf(ofPolicy, { related: { kind: 'Pod', name: big } }), tooLarge],
      [
        'annotations',
        eventOf(ofPolicy, { metadata: { name: 'x.1', namespace, annotations: { a: 'x'.repeat(200_000) } } }),
        tooLarge,
      ],
      [
        'finalizers',
        eventOf(ofPolicy, { metadata: { name: 'x.1', namespace, finalizers: ['evil.example/never'] } }),
        'a member writes no finalizers',
      ],
    ])('are accepted or rejected: about or with %s', async (_, event, expected) => {
      const found = await write('member-east', event);
      if (expected === 'allowed') expect(found).toBe('allowed');
      else expect(found).toMatch(new RegExp(`^rejected: ${expected}`));
    });

    it('of an account that names no cluster are only about policies', async () => {
      expect(await write('unnamed', eventOf(ofPolicy))).toBe('allowed');
      const ofExport = eventOf({ kind: 'ResourceExport', name: 'east-shop-cart-service' });
      expect(await write('unnamed', ofExport)).toMatch(new RegExp(`^rejected: ${wrongObject}`));
    });

    it('of the leader and of administrators may be about anything', async () => {
      const ofClusterSet = eventOf({ kind: 'ClusterSet', name: 'fleet' }, { source: { component: 'isthmus-leader' } });
      for (const client of [as('antrea-mc-controller'), admin])
        expect(await outcome(client.create(Event, ofClusterSet, { dryRun: true }))).toBe('allowed');
    });
  });
});

describe('a leader whose members all have accounts that name their cluster, on a real API server', () => {
  beforeAll(async () => {
    const { leaderNamespace: from } = FixedName;
    await installObjects(admin, await readManifest('deploy/leader-strict.yaml', { from, to: namespace }));
    const unnamed = () => outcome(created(exportOf('west', 'Service', 'new'))(as('unnamed')));
    await vi.waitUntil(async () => (await unnamed()).startsWith('rejected: this leader accepts'), wait);
  });

  it.each(['unnamed', `${other}/member-east`])('rejects every write of another account: %s', async (name) => {
    const client = as(name);
    const calls = [
      () => created(exportOf('west', 'Service', 'new'))(client),
      () => patched(exportOf('west', 'Service'), { metadata: { labels: { touched: 'yes' } } })(client),
      () => send(client, 'DELETE', exportOf('west', 'Service'), dryRun),
      () => send(client, 'POST', announceOf('south'), dryRun),
      () =>
        send(
          client,
          'PATCH',
          { ...announceOf('west'), metadata: { ...announceOf('west').metadata, labels: {} } },
          dryRun,
        ),
      () => send(client, 'DELETE', announceOf('west'), dryRun),
    ];
    for (const call of calls)
      expect(await outcome(call())).toMatch(/^rejected: (?:this leader accepts|a member must use)/);
  });

  it('accepts those of members, of the leader and of administrators', async () => {
    expect(await outcome(created(cart)(as('member-east')))).toBe('allowed');
    expect(await outcome(send(as('member-east'), 'POST', announceOf('east'), dryRun))).toBe('allowed');
    expect(await outcome(send(as('antrea-mc-controller'), 'DELETE', exportOf('west', 'Service'), dryRun))).toBe(
      'allowed',
    );
    expect(await outcome(created(exportOf('west', 'Service', 'new'))(admin))).toBe('allowed');
  });
});
