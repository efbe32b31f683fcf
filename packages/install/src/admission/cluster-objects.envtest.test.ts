import {
  Annotation,
  ClusterClaim,
  ClusterRole,
  ClusterRoleBinding,
  ClusterSet,
  FixedName,
  Gateway,
  MemberClusterAnnounce,
  Namespace,
  ServiceAccount,
  ValidatingAdmissionPolicy,
  memberAnnounceName,
} from '@isthmus/api';
import { isForbidden } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { installObjects, readManifest, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startPolicedServer } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';

const { leaderNamespace, memberNamespace, controllerServiceAccount, antreaAgentServiceAccount } = FixedName;
const other = 'shop';
const wait = { timeout: waitLimitMs(), interval: 100 };

let policed: PolicedServer;
let admin: Client;
const as = (account: string): Client => policed.as(account);

/** `allowed`, `rejected: <reason>` by a policy, or the error. */
async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'allowed';
  } catch (error) {
    const [, why] = /denied request: (.*?)(?: \(403 Forbidden\))?$/s.exec((error as Error).message) ?? [];
    return isForbidden(error) && why !== undefined ? `rejected: ${why}` : String(error);
  }
}

type Write = (client?: Client) => Promise<unknown>;

function send(method: string, type: ResourceType, object: KubernetesObject, isTried: boolean): Write {
  const { namespace = '', name } = object.metadata;
  const path = `/apis/${type.group}/${type.version}/namespaces/${namespace}/${type.plural}${method === 'POST' ? '' : `/${name}`}`;
  const content = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return async (client = admin) =>
    client.request({
      method: method as 'GET',
      path: `${path}${isTried ? '?dryRun=All' : ''}`,
      headers: { 'content-type': content },
      ...(method !== 'DELETE' && {
        body: JSON.stringify({ ...object, apiVersion: `${type.group}/${type.version}`, kind: type.kind }),
      }),
    });
}
// A dry run.
const creation = (type: ResourceType, object: KubernetesObject) => send('POST', type, object, true);
const change = (type: ResourceType, { metadata }: KubernetesObject, body: object) =>
  send('PATCH', type, { metadata, ...body }, true);
const deletion = (type: ResourceType, object: KubernetesObject) => send('DELETE', type, object, true);
const stored = (type: ResourceType, object: KubernetesObject) => send('POST', type, object, false)();
const removed = (type: ResourceType, object: KubernetesObject) => send('DELETE', type, object, false)();

const leaderSet: ClusterSet = {
  metadata: { name: 'fleet', namespace: leaderNamespace },
  spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: leaderNamespace },
};
const memberSet: ClusterSet = {
  metadata: { name: 'fleet', namespace: memberNamespace, annotations: { [Annotation.joinedAs]: 'east' } },
  spec: {
    clusterID: 'east',
    leaders: [{ clusterID: 'north', server: 'https://192.0.2.1:6443', secret: 'token' }],
    namespace: leaderNamespace,
  },
};
const named = <T extends KubernetesObject>(object: T, name: string): T => ({
  ...object,
  metadata: { name, namespace: object.metadata.namespace },
});
const announcement: MemberClusterAnnounce = {
  metadata: { name: memberAnnounceName('east'), namespace: leaderNamespace },
  clusterID: 'east',
  clusterSetID: 'fleet',
  leaderClusterID: 'north',
};
const gateway: Gateway = {
  metadata: { name: 'node-1', namespace: memberNamespace },
  gatewayIP: '192.0.2.10',
  serviceCIDR: '10.96.0.0/12',
};
const claimIn = (namespace: string, value = 'north', name = 'id.k8s.io'): ClusterClaim => ({
  metadata: { name, namespace },
  value,
});

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'cluster-objects' });
  ({ admin } = policed);
  await Promise.all([leaderNamespace, other].map((name) => admin.create(Namespace, { metadata: { name } })));
  for (const role of ['leader', 'member']) await installObjects(admin, await readManifest(`deploy/${role}.yaml`));
  await admin.create(ClusterRole, {
    metadata: { name: 'gateways' },
    rules: [{ apiGroups: [Gateway.group], resources: ['gateways', 'gateways/proxy'], verbs: ['*'] }],
  });
  for (const namespace of [memberNamespace, other]) {
    for (const name of [controllerServiceAccount, antreaAgentServiceAccount, 'operator']) {
      const metadata = { name, namespace };
      if (name !== controllerServiceAccount || namespace === other) await admin.create(ServiceAccount, { metadata });
      await admin.create(ClusterRoleBinding, {
        metadata: { name: `${namespace}-${name}-gateways` },
        roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'gateways' },
        subjects: [{ kind: 'ServiceAccount', ...metadata }],
      });
      await policed.logIn(namespace, name, `${namespace}/${name}`);
    }
  }
  // The API server reads policies, and the kinds that they refer to, a moment after they are
  // written.
  await stored(ClusterSet, leaderSet);
  await stored(ClusterSet, memberSet);
  await stored(MemberClusterAnnounce, announcement);
  await stored(Gateway, gateway);
  const isRejected = (write: Write) => async () => (await outcome(write())).startsWith('rejected');
  for (const one of [leaderSet, memberSet]) {
    await vi.waitUntil(isRejected(creation(ClusterSet, named(one, 'second'))), wait);
    await vi.waitUntil(isRejected(creation(ClusterClaim, claimIn(one.metadata.namespace ?? '', 'x', 'x'))), wait);
    await vi.waitUntil(isRejected(change(ClusterSet, one, { spec: { clusterID: 'x' } })), wait);
  }
  await vi.waitUntil(isRejected(deletion(ClusterSet, leaderSet)), wait);
  const foreign = creation(Gateway, named(gateway, 'probe'));
  await vi.waitUntil(
    isRejected(async () => foreign(as(`${other}/operator`))),
    wait,
  );
});

afterAll(async () => {
  await policed?.[Symbol.asyncDispose]();
});

describe('a ClusterSet, on a real API server', () => {
  const leaders = [{ clusterID: 'south' }];
  const notSecond = (namespace: string) => `rejected: Namespace ${namespace} has another ClusterSet`;
  const rows: readonly { readonly title: string; readonly write: Write; readonly expected: string }[] = [
    {
      title: 'a second one of a leader',
      write: creation(ClusterSet, named(leaderSet, 'second')),
      expected: notSecond(leaderNamespace),
    },
    {
      title: 'a second one of a member',
      write: creation(ClusterSet, named(memberSet, 'second')),
      expected: notSecond(memberNamespace),
    },
    {
      title: 'one in another Namespace',
      write: creation(ClusterSet, { ...leaderSet, metadata: { name: 'x', namespace: other } }),
      expected: 'allowed',
    },
    {
      title: 'another cluster ID of a leader',
      write: change(ClusterSet, leaderSet, { spec: { clusterID: 'south' } }),
      expected: "rejected: spec.clusterID of a leader's ClusterSet cannot be changed",
    },
    {
      title: 'another leader ID of a leader',
      write: change(ClusterSet, leaderSet, { spec: { leaders } }),
      expected: "rejected: spec.leaders[0].clusterID of a leader's ClusterSet cannot be changed",
    },
    {
      title: 'another cluster ID of a member',
      write: change(ClusterSet, memberSet, { spec: { clusterID: 'south' } }),
      expected: 'rejected: spec.clusterID cannot be changed while the cluster is a member',
    },
    {
      title: 'another leader ID of a member',
      write: change(ClusterSet, memberSet, { spec: { leaders } }),
      expected: 'rejected: spec.leaders[0].clusterID cannot be changed while the cluster is a member',
    },
    {
      title: 'another server, Secret and Namespace of the leader',
      write: change(ClusterSet, memberSet, {
        spec: { leaders: [{ clusterID: 'north', server: 'https://192.0.2.2:6443', secret: 'new' }], namespace: 'new' },
      }),
      expected: 'allowed',
    },
    {
      title: 'another ID of a cluster that has not joined',
      write: change(
        ClusterSet,
        { metadata: { ...memberSet.metadata, annotations: { [Annotation.joinedAs]: null as never } } },
        { spec: { clusterID: 'south', leaders } },
      ),
      expected: 'allowed',
    },
    {
      title: 'the deletion of one with members',
      write: deletion(ClusterSet, leaderSet),
      expected: 'rejected: members are still in this ClusterSet',
    },
    { title: 'the deletion of that of a member', write: deletion(ClusterSet, memberSet), expected: 'allowed' },
  ];

  it.each(rows)('accepts or rejects $title', async ({ write, expected }) => {
    const found = await outcome(write());
    expect(found.slice(0, expected.length)).toBe(expected);
  });

  it('whose name is not the one that its members announce can be deleted', async () => {
    const body = { clusterSetID: 'another' };
    await admin.patch(MemberClusterAnnounce, announcement.metadata, { type: 'merge', body });
    await vi.waitUntil(async () => (await outcome(deletion(ClusterSet, leaderSet)())) === 'allowed', wait);
  });

  it('that names two different IDs for the leader can be corrected', async () => {
    await removed(MemberClusterAnnounce, announcement);
    await vi.waitUntil(async () => (await outcome(deletion(ClusterSet, leaderSet)())) === 'allowed', wait);
    await removed(ClusterSet, leaderSet);
    const wrong: ClusterSet = { ...leaderSet, spec: { clusterID: 'north', leaders: [{ clusterID: 'south' }] } };
    await stored(ClusterSet, wrong);
    expect(await outcome(change(ClusterSet, wrong, { spec: { leaders: [{ clusterID: 'north' }] } })())).toBe('allowed');
    expect(await outcome(change(ClusterSet, wrong, { spec: { clusterID: 'south' } })())).toBe('allowed');
    await removed(ClusterSet, wrong);
  });

  it.each(['North', '-north', 'north.', `n${'o'.repeat(63)}`])(
    'of a leader with the ID %s, which is not valid, can be corrected',
    async (id) => {
      const wrong: ClusterSet = { ...leaderSet, spec: { clusterID: id, leaders: [{ clusterID: id }] } };
      await stored(ClusterSet, wrong);
      const spec = { clusterID: 'north', leaders: [{ clusterID: 'north' }] };
      expect(await outcome(change(ClusterSet, wrong, { spec })())).toBe('allowed');
      await removed(ClusterSet, wrong);
    },
  );
});

describe('an announcement, on a real API server', () => {
  const south = { ...announcement, metadata: { ...announcement.metadata, name: memberAnnounceName('south') } };
  const announces = (leaderClusterID: string) => ({ ...south, clusterID: 'south', leaderClusterID });
  const notOurs = /^rejected: leaderClusterID must be the cluster ID of this leader/;

  it('names the leader of the ClusterSet', async () => {
    const created = (leader: string) => outcome(creation(MemberClusterAnnounce, announces(leader))());
    expect(await created('elsewhere')).toBe('allowed');
    await stored(MemberClusterAnnounce, announces('elsewhere'));
    await stored(ClusterSet, leaderSet);
    await vi.waitUntil(async () => (await created('elsewhere')).startsWith('rejected'), wait);
    expect(await created('elsewhere')).toMatch(notOurs);
    expect(await created('north')).not.toMatch(/^rejected/);
    const changed = (body: object) => outcome(change(MemberClusterAnnounce, south, body)());
    expect(await changed({ leaderClusterID: 'north' })).toBe('allowed');
    expect(await changed({ leaderClusterID: 'third' })).toMatch(notOurs);
    const beat = { metadata: { ...south.metadata, annotations: { 'touch-ts': '2026-11-23T10:00:00Z' } } };
    expect(await outcome(change(MemberClusterAnnounce, beat, {})())).toBe('allowed');
    await removed(MemberClusterAnnounce, south);
    await vi.waitUntil(async () => (await outcome(deletion(ClusterSet, leaderSet)())) === 'allowed', wait);
    await removed(ClusterSet, leaderSet);
  });
});

describe('a ClusterClaim, on a real API server', () => {
  it.each([leaderNamespace, memberNamespace])('has one of the two names, and keeps its value, in %s', async (at) => {
    const claim = claimIn(at);
    expect(await outcome(creation(ClusterClaim, claimIn(at, 'fleet', 'clusterset.k8s.io'))())).toBe('allowed');
    expect(await outcome(creation(ClusterClaim, claimIn(at, 'fleet', 'mine'))())).toMatch(
      /^rejected: a ClusterClaim must be named id\.k8s\.io or clusterset\.k8s\.io/,
    );
    // The form in the guides of Antrea 1.5 to 1.7.
    const path = `/apis/${ClusterClaim.group}/v1alpha1/namespaces/${at}/clusterclaims?dryRun=All`;
    const old = { apiVersion: `${ClusterClaim.group}/v1alpha1`, kind: 'ClusterClaim', value: 'fleet' };
    const post = (name: string) =>
      admin.request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...old, metadata: { name: 'of-the-set', namespace: at }, name }),
      });
    expect(await outcome(post('clusterSet.k8s.io'))).toBe('allowed');
    expect(await outcome(post('mine'))).toMatch(/^rejected: a ClusterClaim must be named/);
    await stored(ClusterClaim, claim);
    expect(await outcome(change(ClusterClaim, claim, { value: 'south' })())).toMatch(
      /^rejected: the value of a ClusterClaim cannot be changed/,
    );
    const labelled = { metadata: { ...claim.metadata, labels: { touched: 'yes' } } };
    expect(await outcome(change(ClusterClaim, labelled, {})())).toBe('allowed');
    await removed(ClusterClaim, claim);
  });

  it('is not deleted while a ClusterSet without a cluster ID of its own refers to it', async () => {
    const claim = claimIn(leaderNamespace);
    await stored(ClusterClaim, claim);
    const waiting: ClusterSet = { ...leaderSet, spec: { leaders: [{ clusterID: 'north' }] } };
    await stored(ClusterSet, waiting);
    const deleted = () => outcome(deletion(ClusterClaim, claim)());
    await vi.waitUntil(async () => (await deleted()) !== 'allowed', wait);
    expect(await deleted()).toMatch(/^rejected: a ClusterSet without spec\.clusterID refers to this ClusterClaim/);
    await admin.patch(ClusterSet, waiting.metadata, { type: 'merge', body: { spec: { clusterID: 'north' } } });
    await vi.waitUntil(async () => (await deleted()) === 'allowed', wait);
    await removed(ClusterClaim, claim);
    await removed(ClusterSet, waiting);
  });
});

describe('a Gateway, on a real API server', () => {
  const written = new Set<string>(['CREATE', 'UPDATE', 'DELETE']);
  const made = creation(Gateway, named(gateway, 'node-2'));
  const moved = change(Gateway, gateway, { gatewayIP: '192.0.2.66' });
  const keyed = change(Gateway, gateway, { wireGuard: { publicKey: 'key' } });

  it.each([controllerServiceAccount, antreaAgentServiceAccount])(
    'is created and changed by %s of the Namespace',
    async (name) => {
      const client = as(`${memberNamespace}/${name}`);
      for (const write of [made, moved, keyed]) expect(await outcome(write(client))).toBe('allowed');
    },
  );

  it.each([
    `${memberNamespace}/operator`,
    `${other}/operator`,
    `${other}/${controllerServiceAccount}`,
    `${other}/${antreaAgentServiceAccount}`,
  ])('is not created or changed by another ServiceAccount, whatever its name: %s', async (account) => {
    for (const write of [made, moved, keyed])
      expect(await outcome(write(as(account)))).toMatch(/^rejected: the controller creates the Gateway/);
  });

  it('is deleted, and gets labels, as far as the Role of the account allows it', async () => {
    const operator = as(`${other}/operator`);
    expect(await outcome(deletion(Gateway, gateway)(operator))).toBe('allowed');
    const labelled = { metadata: { ...gateway.metadata, labels: { touched: 'yes' } } };
    expect(await outcome(change(Gateway, labelled, {})(operator))).toBe('allowed');
  });

  it('is not judged where another ServiceAccount connects to it', async () => {
    const { items } = await admin.list(ValidatingAdmissionPolicy);
    const rules = items.flatMap(({ spec }) => spec?.matchConstraints?.resourceRules ?? []);
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.flatMap(({ operations }) => operations ?? []).filter((one) => !written.has(one))).toEqual([]);
    const path = `/apis/${Gateway.group}/v1alpha1/namespaces/${memberNamespace}/gateways/node-1/proxy`;
    const connect = () => as(`${other}/operator`).request({ method: 'POST', path, headers: {} });
    expect(await outcome(connect())).toMatch(/\(404 NotFound\)/);
  });

  it('is created by a user', async () => {
    expect(await outcome(made())).toBe('allowed');
  });

  it('of the wrong shape is rejected', async () => {
    const controller = as(`${memberNamespace}/${controllerServiceAccount}`);
    for (const body of [{ gatewayIP: ['192.0.2.1'] }, { wireGuard: 'key' }])
      expect(await outcome(change(Gateway, gateway, body)(controller))).toMatch(/\(422 Invalid\)/);
    const garbage = {
      method: 'POST',
      path: `/apis/${Gateway.group}/v1alpha1/namespaces/${memberNamespace}/gateways`,
      headers: { 'content-type': 'application/json' },
      body: '{"metadata":',
    } as const;
    expect(await outcome(controller.request(garbage))).toMatch(/\(400 BadRequest\)/);
  });
});

describe('a Namespace that is deleted, on a real API server', () => {
  it('loses the ClusterSet of a leader that has members', async () => {
    await stored(ClusterSet, leaderSet);
    await stored(MemberClusterAnnounce, announcement);
    const deleted = () => outcome(deletion(ClusterSet, leaderSet)());
    await vi.waitUntil(async () => (await deleted()).startsWith('rejected'), wait);
    await admin.delete(Namespace, { name: leaderNamespace });
    await vi.waitUntil(async () => (await deleted()) === 'allowed', wait);
  });
});
