import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import {
  CustomResourceDefinition,
  Deployment,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@isthmus/api';
import { createClient, httpsTransport, isForbidden, staticToken, systemClock } from '@isthmus/kube';
import type { Access, Client } from '@isthmus/kube';
import { apiVersionOf } from '@isthmus/machinery';
import type { ResourceType } from '@isthmus/machinery';
import { adminTransport, findBinaries, startApiServers } from '@isthmus/testkit';
import type { RealApiServer, RealApiServers } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { admissionAccess } from '../admission/policy-specs.ts';
import { leaderRules, memberRules } from '../admission/rules.ts';
import { roles } from '../roles/roles.ts';

const leader = 'antrea-multicluster';
const member = 'kube-system';
/** A Namespace without a controller. */
const other = 'shop';
const manifest = (name: string) => fileURLToPath(new URL(`../../../../deploy/${name}.yaml`, import.meta.url));
const exportOf = (namespace: string, name: string): ResourceExport => ({
  metadata: { name, namespace, finalizers: ['resourceexport.antrea.io/finalizer'] },
  spec: { clusterID: 'east', kind: 'Service', namespace: 'shop', name: 'cart' },
});

// Two clusters, each set up step by step; the tests about one build on those before them.
let directory: string;
let servers: RealApiServers<'memberfirst' | 'leaderfirst'>;
let server: RealApiServer;
let admin: Client;
const clients: Client[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isthmus-deploy-'));
  servers = await startApiServers({ memberfirst: {}, leaderfirst: {} });
  server = servers.memberfirst;
  admin = clientWith();
  // The strictest of the Pod security standards: the Pods of the Deployments must conform to it.
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  };
  for (const name of [leader, 'clusterset-a']) await admin.create(Namespace, { metadata: { name, labels } });
  await admin.create(Namespace, { metadata: { name: other } });
});

afterAll(async () => {
  for (const client of clients) client.close();
  await servers?.[Symbol.asyncDispose]();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

/** A client with a token, or of the administrator. */
function clientWith(token?: string): Client {
  const userAgent = 'isthmus-test';
  const transport =
    token === undefined
      ? adminTransport(server, userAgent)
      : httpsTransport({ server: server.url, caPem: server.caData, userAgent, credentials: staticToken(token) });
  const client = createClient({ transport, clock: systemClock() });
  clients.push(client);
  return client;
}

/**
 * Runs kubectl as the administrator; its output, one line per object. Fails on any warning of the
 * server.
 */
async function kubectl(args: readonly string[], input?: string, at = server): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const flags = ['--kubeconfig', at.kubeconfigPath, '--cache-dir', join(directory, at.name), '--warnings-as-errors'];
  const child = execFile(findBinaries(process.env).kubectl, [...flags, ...args], (error, stdout, stderr) => {
    if (error === null) resolve(stdout.trim().split('\n').toSorted());
    else reject(new Error(`kubectl ${args.join(' ')}: ${stderr}`, { cause: error }));
  });
  child.stdin?.end(input);
  return promise;
}

/** The Namespaced part of a leader, with the Namespace inserted as in the guide. */
const leaderIn = async (namespace: string) =>
  (await readFile(manifest('leader-namespaced'), 'utf8')).replaceAll('changeme', namespace);
/**
 * Applies a manifest that was applied before; returns the objects whose generation has changed. For
 * a PodDisruptionBudget, kubectl reports `configured` in any case, because it sends the whole
 * selector.
 */
async function changedByApplying(file: string, at?: RealApiServer): Promise<readonly string[]> {
  const budget = ['get', 'poddisruptionbudgets', '-A', '-o', 'jsonpath={.items[*].metadata.generation}'];
  const before = await kubectl(budget, undefined, at);
  const lines = await kubectl(['apply', '-f', manifest(file)], undefined, at);
  const same = isDeepStrictEqual(await kubectl(budget, undefined, at), before);
  return lines.filter((line) => !line.endsWith(' unchanged') && !(same && line.startsWith('poddisruptionbudget')));
}
const outcomes = (lines: readonly string[]) => [...new Set(lines.map((line) => line.split(' ').at(-1)))];

describe('the manifests, member first', () => {
  it('are accepted without a warning, with the Namespaced part of the leader alone after the member', async () => {
    expect(outcomes(await kubectl(['apply', '-f', manifest('member')]))).toEqual(['created']);
    expect(outcomes(await kubectl(['apply', '-f', '-'], await leaderIn(leader)))).toEqual(['created']);
  });

  it.each(['member', 'leader-global', 'leader'])('change nothing when %s.yaml is applied again', async (file) => {
    expect(await changedByApplying(file)).toEqual([]);
  });

  it.each(['member', 'leader'])('are accepted by server-side apply: %s.yaml', async (file) => {
    const apply = ['apply', '--server-side', '--force-conflicts', '-f', manifest(file)];
    expect(outcomes(await kubectl(apply))).toEqual(['serverside-applied']);
    const versions = async () =>
      (await admin.list(Role)).items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
    const before = await versions();
    await kubectl(apply);
    expect(await versions()).toEqual(before);
  });

  it('serve every kind that they define', async () => {
    const { items } = await admin.list(CustomResourceDefinition);
    expect(items).toHaveLength(11);
    for (const { metadata, status } of items) {
      expect(status?.conditions, metadata.name).toContainEqual(
        expect.objectContaining({ type: 'Established', status: 'True' }),
      );
    }
  });

  it('ask for Pods that the restricted Pod security standard admits', async () => {
    const deployment = await admin.get(Deployment, { namespace: leader, name: 'antrea-mc-controller' });
    const { metadata, spec } = deployment.spec?.template ?? {};
    const pod = { metadata: { ...metadata, name: 'one', namespace: leader }, spec };
    await expect(admin.create(Pod, pod, { dryRun: true })).resolves.toMatchObject({ metadata: { name: 'one' } });
    // The Namespace does reject what it should.
    const root = { ...pod, spec: { containers: [{ name: 'any', image: 'any' }] } };
    await expect(admin.create(Pod, root, { dryRun: true })).rejects.toThrow('PodSecurity "restricted');
  });
});

describe('what the controllers may do', () => {
  const extra: readonly Pick<ResourceType, 'group' | 'plural' | 'namespaced'>[] = [
    Secret,
    Pod,
    CustomResourceDefinition,
    Role,
    ServiceAccount,
    { group: '', plural: 'nodes', namespaced: false },
  ];
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

  const credentials = [
    {
      who: 'leader',
      user: `system:serviceaccount:${leader}:antrea-mc-controller`,
      own: leader,
      access: [...roles.leader.own.access, ...admissionAccess(leaderRules, leader)],
    },
    {
      who: 'member',
      user: `system:serviceaccount:${member}:antrea-mc-controller`,
      own: member,
      access: [...roles.member.own.access, ...admissionAccess(memberRules, member)],
    },
    {
      who: 'memberToken',
      user: `system:serviceaccount:${leader}:member-east`,
      own: leader,
      access: roles.member.remote.flatMap(({ access }) => access),
    },
  ];

  it.each(credentials)(
    'is, to the authorizer of the API server, what they declare and no more: $who',
    async ({ user, own, access }) => {
      // The way in which an administrator binds a member's ServiceAccount (seeds; antctl does the
      // same).
      await kubectl(['apply', '-f', '-'], memberEast);
      const questions = questionsAbout([...access.map(({ type }) => type), ...extra], verbs, [own, other, '']);
      const wrong: unknown[] = [];
      let allowed = 0;
      await eachOf(questions, async (question) => {
        const isAllowed = await mayDo(user, question);
        if (isAllowed) allowed++;
        if (isAllowed !== isDeclared(access, question, own)) wrong.push({ ...question, isAllowed });
      });
      expect(wrong).toEqual([]);
      expect(allowed).toBeGreaterThan(15);
    },
  );
});

describe("a member's token", () => {
  let client: Client;

  beforeAll(async () => {
    await kubectl(['apply', '-f', '-'], memberEast);
    client = clientWith(await tokenOf(leader, 'member-east'));
  });

  it('writes a ResourceExport in the leader Namespace', async () => {
    const created = await client.create(ResourceExport, exportOf(leader, 'east-shop-cart-service'));
    expect(created.metadata.uid).toBeDefined();
    const patch = { type: 'merge', body: { metadata: { labels: { sourceName: 'cart' } } } } as const;
    await expect(client.patch(ResourceExport, created.metadata, patch)).resolves.toMatchObject({
      metadata: { labels: { sourceName: 'cart' } },
    });
    // The way in which Antrea members write it.
    const current = await client.get(ResourceExport, created.metadata);
    await expect(client.update(ResourceExport, current)).resolves.toBeDefined();
  });

  const status = { type: 'merge', body: { status: { conditions: [] } } } as const;
  it.each<{ readonly title: string; readonly attempt: (client: Client) => Promise<unknown> }>([
    {
      title: 'write a ResourceExport in another Namespace',
      attempt: (c) => c.create(ResourceExport, exportOf(other, 'x')),
    },
    {
      title: 'read ResourceExports of another Namespace',
      attempt: (c) => c.list(ResourceExport, { namespace: other }),
    },
    { title: 'read Secrets of the leader Namespace', attempt: (c) => c.list(Secret, { namespace: leader }) },
    { title: 'read Secrets of any Namespace', attempt: (c) => c.list(Secret) },
    {
      title: 'write the status of a ResourceExport',
      attempt: (c) =>
        c.patch(ResourceExport, { namespace: leader, name: 'east-shop-cart-service' }, status, {
          subresource: 'status',
        }),
    },
    {
      title: 'write the status of a ResourceImport',
      attempt: (c) =>
        c.patch(ResourceImport, { namespace: leader, name: 'shop-cart-service' }, status, { subresource: 'status' }),
    },
    {
      title: 'write a ResourceImport',
      attempt: (c) => c.create(ResourceImport, { metadata: { name: 'shop-cart-service', namespace: leader } }),
    },
    {
      title: 'delete a CustomResourceDefinition',
      attempt: (c) => c.delete(CustomResourceDefinition, { name: 'resourceexports.multicluster.crd.antrea.io' }),
    },
    {
      title: 'give itself another Role',
      attempt: (c) =>
        c.create(RoleBinding, {
          metadata: { name: 'more', namespace: leader },
          roleRef: { apiGroup: Role.group, kind: 'Role', name: 'antrea-mc-controller-role' },
        }),
    },
  ])('cannot $title', async ({ attempt }) => {
    const error: unknown = await attempt(client).then(
      () => 'allowed',
      (refusal: unknown) => refusal,
    );
    expect(isForbidden(error), String(error)).toBe(true);
  });
});

describe("a member controller's ServiceAccount", () => {
  let client: Client;

  beforeAll(async () => {
    client = clientWith(await tokenOf(member, 'antrea-mc-controller'));
    for (const namespace of [member, other]) {
      for (const name of ['member-east-token', 'another']) {
        await admin.create(Secret, { metadata: { name, namespace }, stringData: { token: 'x' } });
      }
    }
  });

  it('reads the Secrets of its own Namespace and no others', async () => {
    await expect(client.get(Secret, { namespace: member, name: 'member-east-token' })).resolves.toBeDefined();
    const refused = [client.get(Secret, { namespace: other, name: 'member-east-token' }), client.list(Secret)];
    for (const error of await Promise.all(refused.map(refusalOf))) expect(isForbidden(error), String(error)).toBe(true);
  });

  it('works with a Role that an administrator has narrowed to the one Secret, with the command of the reference', async () => {
    const page = await readFile(new URL('../../../../docs/reference/rbac.md', import.meta.url), 'utf8');
    const [, patch = ''] = /kubectl -n kube-system (patch role [^`]*)'\n```/.exec(page) ?? [];
    const [command = '', body = ''] = patch.replace('leader-token', 'member-east-token').split(" -p '");
    await kubectl(['-n', member, ...command.split(' '), '-p', body]);
    await expect
      .poll(async () => isForbidden(await refusalOf(client.get(Secret, { namespace: member, name: 'another' }))))
      .toBe(true);
    // The way in which the controller reads it.
    const fieldSelector = 'metadata.name=member-east-token';
    const { items, resourceVersion } = await client.list(Secret, { namespace: member, fieldSelector });
    expect(items).toHaveLength(1);
    await admin.patch(
      Secret,
      { namespace: member, name: 'member-east-token' },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
    );
    const options = { namespace: member, fieldSelector, resourceVersion, timeoutSeconds: 10, idleMs: 10_000 };
    for await (const event of client.watch(Secret, options)) {
      expect(event).toMatchObject({ type: 'MODIFIED', object: { metadata: { labels: { a: 'b' } } } });
      break;
    }
    await kubectl(['apply', '--server-side', '--force-conflicts', '-f', manifest('member')]);
  });
});

describe('the manifests of another leader Namespace', () => {
  it('are accepted with the Namespace replaced by sed, beside the first leader, and hold nowhere else', async () => {
    const lines = await kubectl(['apply', '-f', '-'], await leaderIn('clusterset-a'));
    expect(outcomes(lines)).toEqual(['created']);
    const client = clientWith(await tokenOf('clusterset-a', 'antrea-mc-controller'));
    await expect(client.list(ResourceExport, { namespace: 'clusterset-a' })).resolves.toMatchObject({ items: [] });
    for (const namespace of [leader, other]) {
      expect(isForbidden(await refusalOf(client.list(ResourceExport, { namespace })))).toBe(true);
    }
    expect(isForbidden(await refusalOf(client.list(ResourceExport)))).toBe(true);
  });
});

describe('the manifests, leader first', () => {
  it('are accepted without a warning: the two parts of the leader, then the member', async () => {
    const at = servers.leaderfirst;
    await kubectl(['create', 'namespace', leader], undefined, at);
    expect(outcomes(await kubectl(['apply', '-f', manifest('leader-global')], undefined, at))).toEqual(['created']);
    expect(outcomes(await kubectl(['apply', '-f', '-'], await leaderIn(leader), at))).toEqual(['created']);
    // Both have CustomResourceDefinitions, and these are the same.
    const lines = await kubectl(['apply', '-f', manifest('member')], undefined, at);
    const unchanged = lines.filter((line) => line.endsWith(' unchanged'));
    expect(unchanged).toHaveLength(6);
    expect(unchanged.every((line) => line.startsWith('customresourcedefinition'))).toBe(true);
    expect(outcomes(lines)).toEqual(['created', 'unchanged']);
  });

  it('change nothing when they are applied again', async () => {
    for (const file of ['leader', 'member']) expect(await changedByApplying(file, servers.leaderfirst)).toEqual([]);
  });
});

/** ServiceAccount and RoleBinding of a member, as the installation guides write them. */
const memberEast = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: member-east
  namespace: ${leader}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: member-east
  namespace: ${leader}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: antrea-mc-member-cluster-role
subjects:
  - kind: ServiceAccount
    name: member-east
    namespace: ${leader}
`;

describe('the manifest for metrics, in the Namespace of a controller', () => {
  const review = async (client: Client, group: string, kind: string, spec: object): Promise<object> => {
    const { text } = await client.request({
      method: 'POST',
      path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: `${group}/v1`, kind, spec }),
    });
    return (JSON.parse(text) as { readonly status: object }).status;
  };

  it('let the controller ask who may read metrics', async () => {
    const client = clientWith(await tokenOf(member, 'antrea-mc-controller'));
    const reader = `system:serviceaccount:${other}:prometheus`;
    const spec = { user: reader, nonResourceAttributes: { path: '/metrics', verb: 'get' } };
    const mayRead = () => review(client, 'authorization.k8s.io', 'SubjectAccessReview', spec);
    expect(isForbidden(await mayRead().catch((error: unknown) => error))).toBe(true);
    const text = (await readFile(manifest('metrics'), 'utf8')).replaceAll('kube-system', member);
    expect(outcomes(await kubectl(['apply', '-f', '-'], text))).toEqual(['created']);
    const isAllowed = async () => !isForbidden(await mayRead().catch((error: unknown) => error));
    await vi.waitUntil(isAllowed, { timeout: 60_000, interval: 200 });
    expect(await mayRead()).toMatchObject({ allowed: false });
    await kubectl([
      'create',
      'clusterrolebinding',
      'reader',
      '--clusterrole=isthmus-metrics-reader',
      `--user=${reader}`,
    ]);
    await vi.waitUntil(async () => JSON.stringify(await mayRead()).includes('"allowed":true'), {
      timeout: 60_000,
      interval: 200,
    });
    const token = await tokenOf(member, 'antrea-mc-controller');
    expect(await review(client, 'authentication.k8s.io', 'TokenReview', { token })).toMatchObject({
      authenticated: true,
    });
  });
});

/** A token of a ServiceAccount, by the TokenRequest API. */
async function tokenOf(namespace: string, account: string): Promise<string> {
  const [token = ''] = await kubectl(['create', 'token', account, '--namespace', namespace]);
  return token;
}

async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'allowed',
    (error: unknown) => error,
  );
}

/**
 * A question to the authorizer. Namespace `''` is the cluster scope, name `''` is for requests
 * without a single object.
 */
interface Question {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
}

function questionsAbout(
  types: readonly Pick<ResourceType, 'group' | 'plural' | 'namespaced'>[],
  verbs: readonly string[],
  namespaces: readonly string[],
): readonly Question[] {
  const distinct = new Map(types.map((type) => [`${type.plural}.${type.group}`, type]));
  return [...distinct.values()].flatMap((type) =>
    ['', 'status'].flatMap((subresource) =>
      verbs.flatMap((verb) =>
        (type.namespaced ? namespaces : ['']).flatMap((namespace) =>
          (type.plural === 'leases' ? ['', 'isthmus-leader', 'isthmus-member'] : ['', 'any']).map((name) => ({
            group: type.group,
            resource: type.plural,
            subresource,
            verb,
            namespace,
            name,
          })),
        ),
      ),
    ),
  );
}

function isDeclared(access: readonly Access[], question: Question, own: string): boolean {
  return access.some(
    ({ type, subresource, scope, verbs, resourceNames }) =>
      type.group === question.group &&
      type.plural === question.resource &&
      (subresource ?? '') === question.subresource &&
      verbs.some((verb) => verb === question.verb) &&
      (scope === 'all' || question.namespace === own) &&
      (resourceNames === undefined || resourceNames.includes(question.name)),
  );
}

async function mayDo(user: string, question: Question): Promise<boolean> {
  const type = {
    group: 'authorization.k8s.io',
    version: 'v1',
    kind: 'SubjectAccessReview',
    plural: 'subjectaccessreviews',
  };
  const groups = ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${user.split(':')[2]}`];
  const review = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    spec: { user, groups, resourceAttributes: question },
  };
  const { text } = await admin.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(review),
  });
  const { status } = JSON.parse(text) as {
    readonly status: { readonly allowed: boolean; readonly evaluationError?: string };
  };
  if (status.evaluationError !== undefined)
    throw new Error(`asking about ${JSON.stringify(question)}: ${status.evaluationError}`);
  return status.allowed;
}

/** Eight at a time. */
async function eachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const item of left) await act(item);
    }),
  );
}
