import {
  ClusterRoleBinding,
  ClusterSet,
  FixedName,
  Namespace,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Event,
} from '@isthmus/api';
import { isForbidden, memoryLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import { installObjects, readManifest, runController, serviceAccountToken } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startPolicedServer } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';

const wait = { timeout: 90_000, interval: 250 };
/** They are watched: without the watch, it would be up to the interval of the checks. */
const soonMs = 8_000;
/** For a controller that loses its right to watch. */
const admissionCheckMs = 10_000;
const roles = [
  { role: 'leader', namespace: FixedName.leaderNamespace, rule: 'own-exports' },
  { role: 'member', namespace: FixedName.memberNamespace, rule: 'gateways' },
] as const;

// Both controllers in one cluster, each with the rights of its manifest.
let policed: PolicedServer;
let admin: Client;
let running: readonly Promise<void>[] = [];
const over = new AbortController();

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'admission-check' });
  ({ admin } = policed);
  await admin.create(Namespace, { metadata: { name: FixedName.leaderNamespace } });
  for (const { role } of roles) await installObjects(admin, await readManifest(`deploy/${role}.yaml`));
  for (const { namespace } of roles)
    await admin.create(ClusterSet, {
      metadata: { name: 'fleet', namespace },
      spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: FixedName.leaderNamespace },
    });
  const { url, caData } = policed.server;
  running = await Promise.all(
    roles.map(async ({ role, namespace }) => {
      const token = await serviceAccountToken(admin, namespace, FixedName.controllerServiceAccount);
      await policed.logIn(namespace, FixedName.controllerServiceAccount, role);
      const world = { clock: systemClock(), random: systemRandom(), log: memoryLog(), metrics: noMetrics };
      const access = { url, caData, token };
      const spec = { role, namespace, cluster: 'north', access, world, admissionCheckMs };
      return { ended: runController({ ...spec, endpointIPType: 'PodIP' }, over.signal) };
    }),
  ).then((all) => all.map(({ ended }) => ended));
});
afterAll(async () => {
  over.abort();
  await Promise.all(running);
  await policed?.[Symbol.asyncDispose]();
});

describe.each(roles)("a $role's admission policies", ({ role, namespace, rule }) => {
  const name = `${namespace}-isthmus-${rule}`;
  const reported = async () => {
    const { status } = await admin.get(ClusterSet, { namespace, name: 'fleet' });
    return conditionOf(status?.conditions, 'AdmissionIncomplete');
  };
  const until = (reason: string | undefined) =>
    vi.waitFor(async () => expect((await reported())?.reason).toBe(reason), wait);
  const isServed = () =>
    vi.waitFor(async () => {
      const { status } = await admin.get(ClusterSet, { namespace, name: 'fleet' });
      expect(conditionOf(status?.conditions, 'Ready')).toBeDefined();
    }, wait);
  const applyAgain = async () => installObjects(admin, await readManifest(`deploy/${role}.yaml`));

  it('are read and watched by the controller, and not changed', async () => {
    const client = policed.as(role);
    expect((await client.get(ValidatingAdmissionPolicyBinding, { name })).spec?.policyName).toBe(name);
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => client.get(ValidatingAdmissionPolicy, { name: 'of-another-owner' }),
      () => client.patch(ValidatingAdmissionPolicy, { name }, { type: 'merge', body: { spec: {} } }),
      () => client.delete(ValidatingAdmissionPolicy, { name }),
    ];
    for (const attempt of attempts) expect(await attempt().then(() => 'allowed', isForbidden)).toBe(true);
  });

  it('are reported while a binding is deleted, until the manifest is applied again', async () => {
    await isServed();
    expect(await reported()).toBeUndefined();
    const deletedMs = performance.now();
    await admin.delete(ValidatingAdmissionPolicyBinding, { name });
    await until('AdmissionPolicyMissing');
    expect(performance.now() - deletedMs).toBeLessThan(soonMs);
    expect((await reported())?.message).toBe(
      `The API server does not reject all that it should in Namespace ${namespace}: ValidatingAdmissionPolicyBinding ${name} missing. Apply the manifest of the release of this controller again: kubectl apply -f deploy/${role}.yaml, with the settings that you changed in it (with Helm: helm upgrade). If they are left out on purpose, end this check: kubectl delete clusterrolebinding ${namespace}-isthmus-read-admission`,
    );
    await vi.waitFor(async () => {
      const { items } = await admin.list(Event);
      const found = items.filter(({ reason }) => reason === 'AdmissionPolicyMissing');
      expect(found.map(({ involvedObject }) => involvedObject.namespace)).toContain(namespace);
    }, wait);
    await applyAgain();
    const appliedMs = performance.now();
    await until(undefined);
    expect(performance.now() - appliedMs).toBeLessThan(soonMs);
  });

  it('are reported while a binding only warns', async () => {
    const setActions = (validationActions: readonly string[]) =>
      admin.patch(ValidatingAdmissionPolicyBinding, { name }, { type: 'merge', body: { spec: { validationActions } } });
    await setActions(['Warn']);
    await until('AdmissionPolicyChanged');
    await setActions(['Deny', 'Audit']);
    await until(undefined);
  });

  it('that are left out on purpose are not reported without the right to read them', async () => {
    await admin.delete(ValidatingAdmissionPolicy, { name });
    await until('AdmissionPolicyMissing');
    await admin.delete(ClusterRoleBinding, { name: `${namespace}-isthmus-read-admission` });
    await until(undefined);
    await applyAgain();
  });
});
