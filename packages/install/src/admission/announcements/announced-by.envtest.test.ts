import { Annotation, FixedName, MemberClusterAnnounce, Namespace, RoleBinding, ServiceAccount } from '@isthmus/api';
import { isForbidden } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { installObjects, readManifest, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startPolicedServer } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';

const namespace: string = FixedName.leaderNamespace;
const wait = { timeout: waitLimitMs(), interval: 100 };
const userOf = (name: string) => `system:serviceaccount:${namespace}:${name}`;
const beat = '2026-11-26T10:00:00Z';

let policed: PolicedServer;
let admin: Client;
const as = (name: string): Client => policed.as(name);

function announceOf(clusterID: string, by?: string): MemberClusterAnnounce {
  const annotations = by === undefined ? {} : { [Annotation.announcedBy]: `${by} ${beat}` };
  return {
    apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
    kind: 'MemberClusterAnnounce',
    metadata: { name: `member-announce-from-${clusterID}`, namespace, annotations },
    clusterID,
    clusterSetID: 'fleet',
    leaderClusterID: 'north',
  };
}

const announce = (client: Client, clusterID: string, by?: string) =>
  client.create(MemberClusterAnnounce, announceOf(clusterID, by), { dryRun: true });
const annotate = (client: Client, annotations: Readonly<Record<string, string | null>>) =>
  client.patch(
    MemberClusterAnnounce,
    announceOf('east').metadata,
    { type: 'merge', body: { metadata: { annotations } } },
    { dryRun: true },
  );
const changeAccount = (client: Client, name: string, body: object) =>
  client.patch(ServiceAccount, { namespace, name }, { type: 'merge', body }, { dryRun: true });

/** `allowed`, or why a policy rejects it. */
async function verdict(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'allowed';
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return /denied request: (.*?)(?: \(403 Forbidden\))?$/s.exec((error as Error).message)?.[1] ?? String(error);
  }
}

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'announced-by' });
  ({ admin } = policed);
  await admin.create(Namespace, { metadata: { name: namespace } });
  await installObjects(admin, await readManifest('deploy/leader.yaml'));
  const annotations = { [Annotation.clusterID]: 'west' };
  await admin.create(ServiceAccount, { metadata: { name: 'free', namespace, labels: { team: 'a' } } });
  await admin.create(ServiceAccount, { metadata: { name: 'other', namespace } });
  await admin.create(ServiceAccount, { metadata: { name: 'member-west', namespace, annotations } });
  for (const name of ['free', 'other', 'member-west'])
    await admin.create(RoleBinding, {
      metadata: { name, namespace },
      roleRef: { apiGroup: RoleBinding.group, kind: 'Role', name: FixedName.memberRole },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
  const names = ['free', 'other', 'member-west', FixedName.controllerServiceAccount];
  for (const name of names) await policed.logIn(namespace, name);
  await admin.create(MemberClusterAnnounce, announceOf('east', userOf('free')));
  await vi.waitUntil(async () => (await verdict(announce(as('free'), 'south', 'x'))).startsWith('the anno'), wait);
  const rewritten = () => changeAccount(as(FixedName.controllerServiceAccount), 'member-west', otherID);
  await vi.waitUntil(async () => (await verdict(rewritten())).startsWith('the controller'), wait);
});
afterAll(() => policed?.[Symbol.asyncDispose]());

const otherID = { metadata: { annotations: { [Annotation.clusterID]: 'north' } } };
const forged = /^the annotation isthmus.dev\/announced-by must begin with the user name of the caller/;

describe('the record of who announces a cluster, on a real API server', () => {
  it('is written by the caller in its own name, by a creation and by a heartbeat', async () => {
    expect(await verdict(announce(as('free'), 'south', userOf('free')))).toBe('allowed');
    const later = { [Annotation.announcedBy]: `${userOf('free')} 2026-11-26T10:00:10Z` };
    expect(await verdict(annotate(as('free'), later))).toBe('allowed');
  });

  it('is not written in the name of another, of one with a longer name, or of nobody', async () => {
    expect(await verdict(announce(as('free'), 'south', userOf('other')))).toMatch(forged);
    for (const by of [`${userOf('free')}x ${beat}`, userOf('free'), '', beat])
      expect(await verdict(annotate(as('free'), { [Annotation.announcedBy]: by }))).toMatch(forged);
  });

  it('changes with the account that a member uses, and is kept and removed by anybody who may write the announcement', async () => {
    const over = { [Annotation.announcedBy]: `${userOf('other')} ${beat}` };
    expect(await verdict(annotate(as('other'), over))).toBe('allowed');
    expect(await verdict(annotate(as('other'), { 'touch-ts': beat }))).toBe('allowed');
    expect(await verdict(annotate(as('other'), { [Annotation.announcedBy]: null }))).toBe('allowed');
  });

  it('is not needed: a member of Antrea announces itself without', async () => {
    expect(await verdict(announce(as('free'), 'south'))).toBe('allowed');
  });

  it('is written in the name of another by an administrator, who restores a backup, and not by the controller', async () => {
    const foreign = { [Annotation.announcedBy]: `${userOf('other')} ${beat}` };
    expect(await verdict(annotate(admin, foreign))).toBe('allowed');
    expect(await verdict(annotate(as(FixedName.controllerServiceAccount), foreign))).toMatch(forged);
    expect(await verdict(annotate(as(FixedName.controllerServiceAccount), { 'isthmus.dev/left': 'x' }))).toBe(
      'allowed',
    );
  });
});

describe('the second cluster of an account that names one, on a real API server', () => {
  it('is rejected with the command that gives it the account', async () => {
    const line = `kubectl -n ${namespace} annotate --overwrite serviceaccount member-west multicluster.antrea.io/cluster-id`;
    const found = await verdict(announce(as('member-west'), 'south'));
    expect(found).toMatch(/^a member writes the MemberClusterAnnounce of its own cluster only/);
    expect(found.endsWith(`${line}=south`)).toBe(true);
  });

  it.each(['x; reboot', 'a'.repeat(64), '$(id)'])(
    'is not repeated in the command, where it cannot be an ID: %s',
    async (id) => {
      const clusterID = id;
      const { metadata } = announceOf('east');
      const body = { clusterID };
      const call = as('member-west').patch(MemberClusterAnnounce, metadata, { type: 'merge', body }, { dryRun: true });
      const found = await verdict(call);
      expect(found).toMatch(/cluster-id=<cluster ID>$/);
      expect(found).not.toContain(id);
    },
  );

  it('is rejected by a deletion, too, with the same advice', async () => {
    const call = as('member-west').delete(MemberClusterAnnounce, announceOf('east').metadata);
    expect(await verdict(call)).toMatch(/annotate --overwrite serviceaccount (?:<name>|member-west) /);
  });
});

describe("what the leader's controller changes of ServiceAccounts, on a real API server", () => {
  const controller = () => as(FixedName.controllerServiceAccount);
  const binding = { metadata: { annotations: { [Annotation.clusterID]: 'east' } } };

  it('is the annotation of one that names no cluster', async () => {
    expect(await verdict(changeAccount(controller(), 'free', binding))).toBe('allowed');
  });

  it.each([
    ['member-west', otherID],
    ['member-west', { metadata: { annotations: { [Annotation.clusterID]: null } } }],
    ['free', { metadata: { ...binding.metadata, labels: { team: 'b' } } }],
    ['free', { metadata: { annotations: { ...binding.metadata.annotations, other: 'x' } } }],
    ['free', { ...binding, secrets: [{ name: 'x' }] }],
    ['free', { ...binding, imagePullSecrets: [{ name: 'x' }] }],
    ['free', { ...binding, automountServiceAccountToken: false }],
  ])('is nothing else: %s %j', async (name, body) => {
    expect(await verdict(changeAccount(controller(), name, body))).toMatch(/^the controller of a leader only adds/);
    expect(await verdict(changeAccount(admin, name, body))).toBe('allowed');
  });

  it('is also the annotation that suspends one, which it neither changes nor removes', async () => {
    const suspension = (text: string | null) => ({ metadata: { annotations: { [Annotation.suspended]: text } } });
    const change = (text: string | null) => verdict(changeAccount(controller(), 'free', suspension(text)));
    expect(await change('now')).toBe('allowed');
    await admin.patch(ServiceAccount, { namespace, name: 'free' }, { type: 'merge', body: suspension('now') });
    for (const text of ['later', null]) expect(await change(text)).toMatch(/^the controller of a leader only adds/);
    await admin.patch(ServiceAccount, { namespace, name: 'free' }, { type: 'merge', body: suspension(null) });
  });

  it('is only a suspension where only administrators annotate them', async () => {
    const suspension = { metadata: { annotations: { [Annotation.suspended]: 'now' } } };
    const { leaderNamespace: from } = FixedName;
    await installObjects(admin, await readManifest('deploy/leader-strict.yaml', { from, to: namespace }));
    const bind = () => verdict(changeAccount(controller(), 'free', binding));
    await vi.waitUntil(async () => (await bind()) !== 'allowed', wait);
    expect(await bind()).toMatch(/^on this leader, only administrators annotate ServiceAccounts/);
    expect(await verdict(changeAccount(controller(), 'free', suspension))).toBe('allowed');
    expect(await verdict(changeAccount(admin, 'free', binding))).toBe('allowed');
  });
});
