import { ClusterRole, ClusterRoleBinding, Namespace, ValidatingAdmissionPolicyBinding } from '@isthmus/api';
import { createClient, memoryLog, noMetrics } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { seededRandom } from '@isthmus/machinery';
import { clusterAdmin, createVirtualClock, definitions, serviceAccount, withFaults } from '@isthmus/fleet-sim';
import { createSandbox } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import { controllerAdmissionObjects } from '../manifests/admission-objects.ts';
import { createAdmissionCheck } from './admission-check.ts';
import { memberRules } from './rules.ts';

const namespace = 'kube-system';
const binding = { name: `${namespace}-isthmus-gateways` };
const kinds = [ClusterRole, ClusterRoleBinding, ValidatingAdmissionPolicyBinding];
const account = serviceAccount(namespace, 'antrea-mc-controller');

/**
 * The result of a check with the rights of the manifest, or of an administrator; `installed`:
 * whether the policies exist.
 */
async function look({
  installed = true,
  as = account,
  mayWatch = true,
  unserved = [],
}: {
  readonly installed?: boolean;
  readonly as?: typeof account;
  /** Whether its Role grants more than to get each by its name. */
  readonly mayWatch?: boolean;
  /** Paths that the API server does not serve. */
  readonly unserved?: readonly string[];
}) {
  const clock = createVirtualClock({ startMs: 0 });
  const server = createSandbox({ name: 'east', clock, image: await definitions.ours() });
  server.admin.put(Namespace, { metadata: { name: namespace } });
  const policies = controllerAdmissionObjects(memberRules, namespace);
  const typeOf = ({ kind }: KubernetesObject): ResourceType => {
    const found = kinds.find((one) => one.kind === kind);
    return (found ?? {
      ...ValidatingAdmissionPolicyBinding,
      kind,
      plural: 'validatingadmissionpolicies',
    }) as ResourceType;
  };
  for (const object of policies)
    if (installed || object.kind?.startsWith('ClusterRole') === true) server.admin.put(typeOf(object), object);
  if (!mayWatch)
    for (const { metadata, rules = [] } of server.admin.list(ClusterRole))
      server.admin.patch(ClusterRole, metadata, { rules: rules.filter(({ verbs }) => !verbs.includes('watch')) });
  const faults = withFaults(server.transport(as), clock);
  const client = createClient({ transport: faults, clock });
  const log = memoryLog();
  const world = { clock, random: seededRandom(1), log, metrics: noMetrics };
  for (const path of unserved)
    faults.add({ match: (request) => request.path.startsWith(path), fault: { kind: 'status', code: 404 } });
  const check = createAdmissionCheck({ client, namespace, manifest: 'deploy/member.yaml', rules: memberRules, world });
  const end = new AbortController();
  const run = check.run(end.signal);
  await clock.advance(1_000);
  return {
    clock,
    server,
    faults,
    log,
    check,
    async [Symbol.asyncDispose]() {
      end.abort();
      await clock.settle();
      await run;
    },
  };
}

describe('the check of admission policies', () => {
  it.each([
    ['five seconds where it may watch them', 5_000, true],
    ['a minute where it may not', 60_000, false],
  ])('finds a deleted binding, and that it is back, within %s', async (_, withinMs, mayWatch) => {
    await using one = await look({ mayWatch });
    expect(one.check.problem).toBeUndefined();
    let changes = 0;
    one.check.onChange(() => changes++);
    const object = one.server.admin.get(ValidatingAdmissionPolicyBinding, binding);
    one.server.admin.delete(ValidatingAdmissionPolicyBinding, binding);
    await one.clock.advance(withinMs);
    expect(one.check.problem?.reason).toBe('AdmissionPolicyMissing');
    const metadata = { ...binding, labels: object?.metadata.labels };
    one.server.admin.put(ValidatingAdmissionPolicyBinding, { metadata, spec: object?.spec });
    await one.clock.advance(withinMs);
    expect([one.check.problem, changes]).toEqual([undefined, 2]);
  });

  it('keeps what it found while the API server does not answer', async () => {
    await using one = await look({});
    one.server.admin.delete(ValidatingAdmissionPolicyBinding, binding);
    await one.clock.advance(60_000);
    one.faults.add({ match: () => true, fault: { kind: 'status', code: 500 } });
    await one.clock.advance(180_000);
    expect(one.check.problem?.reason).toBe('AdmissionPolicyMissing');
  });

  it('reports that all are missing where its right comes with them, and not where it may read all policies', async () => {
    await using own = await look({ installed: false });
    expect(own.check.problem?.reason).toBe('AdmissionPolicyMissing');
    await using administrator = await look({ installed: false, as: clusterAdmin });
    expect(administrator.check.problem).toBeUndefined();
  });

  it('reports nothing where it may not read them, when that has been denied for five seconds', async () => {
    await using one = await look({ installed: false });
    one.server.admin.delete(ClusterRoleBinding, { name: `${namespace}-isthmus-read-admission` });
    await one.clock.advance(60_000);
    expect(one.check.problem?.reason).toBe('AdmissionPolicyMissing');
    await one.clock.advance(6_000);
    expect(one.check.problem).toBeUndefined();
  });

  it('reports an API server that serves no policies, also in the log, with its version', async () => {
    await using one = await look({ installed: false, unserved: ['/apis/admissionregistration.k8s.io/'] });
    const { reason, message = '' } = one.check.problem ?? {};
    expect({ reason, message }).toEqual({
      reason: 'AdmissionPoliciesNotServed',
      message: expect.stringContaining('Kubernetes v1.36.3+isthmus, serves no ValidatingAdmissionPolicies'),
    });
    await one.clock.advance(180_000);
    const warnings = one.log.entries.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields }) => fields['why'])).toEqual([message]);
  });

  it('reports nothing where something before the API server has nothing at any path', async () => {
    await using one = await look({ unserved: ['/'] });
    expect(one.check.problem).toBeUndefined();
  });
});
