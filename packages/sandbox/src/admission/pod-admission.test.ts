import { describe, expect, it } from 'vitest';
import type { AdmissionRequest } from '../core/core.ts';
import type { Stored } from '../store/stored.ts';
import { outcome, serverCore } from '../testing/server-core.ts';
import { admitPod } from './pod-admission.ts';

interface Case {
  readonly spec?: object;
  readonly metadata?: object;
  /** What is stored: apiVersion, plural, object. */
  readonly stored?: readonly (readonly [string, string, object])[];
  readonly request?: Partial<AdmissionRequest>;
  readonly of?: readonly [apiVersion: string, plural: string];
  readonly subresource?: string;
}
const account = (name = 'default', more: object = {}) =>
  ['v1', 'serviceaccounts', { metadata: { name, namespace: 'shop' }, ...more }] as const;
const priorityClass = (name: string, value: number, more: object = {}) =>
  ['scheduling.k8s.io/v1', 'priorityclasses', { metadata: { name }, value, ...more }] as const;

function setting({
  spec = {},
  metadata = { name: 'web' },
  stored = [account()],
  request = {},
  of = ['v1', 'pods'],
  subresource,
}: Case) {
  const server = serverCore();
  for (const [apiVersion, plural, object] of stored) server.put(apiVersion, plural, object);
  const target = server.target(...of, { name: '', namespace: 'shop' }, { subresource });
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as Stored;
  return { ...server, request: { operation: 'CREATE', target, object, options: {}, ...request } as AdmissionRequest };
}
const admitted = (one: Case) => {
  const { core, request } = setting(one);
  return outcome(async () => (await admitPod(core, request))?.['spec']);
};
/** What tolerations are added. */
const lost = (key: string) => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
});
const both = [lost('not-ready'), lost('unreachable')];
const bare = { automountServiceAccountToken: false };

describe('a new Pod', () => {
  it('gets its ServiceAccount, a token of it, a priority, and tolerations', async () => {
    const containers = [{ name: 'web', image: 'web:1' }];
    expect(await admitted({ spec: { containers } })).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [{ name: 'web', volumeMounts: [{ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }],
      volumes: [{ projected: {} }],
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: both,
    });
  });

  it.each<readonly [string, Case]>([
    ['of another kind', { of: ['v1', 'configmaps'] }],
    ['by a subresource', { subresource: 'status' }],
    ['that is deleted', { request: { operation: 'DELETE' } }],
    ['that is connected to', { request: { operation: 'CONNECT' } }],
  ])('is left as it is where it is an object %s', async (_, one) => {
    const { core, request } = setting(one);
    expect(await admitPod(core, request)).toBe(request.object);
  });

  it.each<readonly [string, Case, boolean]>([
    ['as every one', {}, true],
    ['not of an account that does not want it', { stored: [account('default', bare)] }, false],
    ['of an account that wants it', { stored: [account('default', { automountServiceAccountToken: true })] }, true],
    ['not where the Pod does not want it', { spec: bare }, false],
    [
      'where the Pod wants it and its account does not',
      { spec: { automountServiceAccountToken: true }, stored: [account('default', bare)] },
      true,
    ],
  ])('gets a token %s', async (_, one, expected) => {
    const containers = [{ name: 'web', image: 'web:1' }];
    const result = await admitted({ ...one, spec: { containers, ...one.spec } });
    expect('volumes' in (result as object)).toBe(expected);
  });

  const secrets = { imagePullSecrets: [{ name: 'pull' }] };
  it.each<readonly [string, Case, unknown]>([
    ['none', {}, undefined],
    ['those of its account', { stored: [account('default', secrets)] }, secrets.imagePullSecrets],
    [
      'its own',
      { spec: { imagePullSecrets: [{ name: 'own' }] }, stored: [account('default', secrets)] },
      [{ name: 'own' }],
    ],
    [
      'those of its account in place of an empty list',
      { spec: { imagePullSecrets: [] }, stored: [account('default', secrets)] },
      secrets.imagePullSecrets,
    ],
    ['none of an account with an empty list', { stored: [account('default', { imagePullSecrets: [] })] }, undefined],
  ])('gets the secrets for images: %s', async (_, one, expected) => {
    expect(((await admitted(one)) as { readonly imagePullSecrets?: unknown }).imagePullSecrets).toEqual(expected);
  });

  const missing = (name: string) =>
    `pods "${name}" is forbidden: error looking up service account shop/app: serviceaccount "app" not found`;
  it.each<readonly [string, object, string]>([
    ['its name', { name: 'web' }, 'web'],
    ['the beginning of its name', { name: '', generateName: 'web-' }, 'web-'],
    ['nothing', { name: '' }, ''],
  ])('of an account that does not exist is rejected by %s', async (_, metadata, name) => {
    expect(await admitted({ spec: { serviceAccountName: 'app' }, metadata })).toEqual([403, missing(name)]);
  });

  it('waits for the account of a new Namespace, for a moment', async () => {
    const late = setting({ stored: [] });
    const admission = outcome(() => admitPod(late.core, late.request));
    await late.clock.advance(1000);
    late.put(...account());
    await late.clock.advance(500);
    expect(await admission).toMatchObject({ spec: { serviceAccount: 'default' } });

    const never = setting({ stored: [] });
    let result: unknown = 'waits';
    void outcome(() => admitPod(never.core, never.request)).then((one) => (result = one));
    await never.clock.advance(1349);
    expect(result).toBe('waits');
    await never.clock.advance(1);
    expect(result).toEqual([
      403,
      'pods "web" is forbidden: error looking up service account shop/default: serviceaccount "default" not found',
    ]);
  });
});

describe('the priority of a new Pod', () => {
  const classes = [account(), priorityClass('high', 100), priorityClass('calm', 50, { preemptionPolicy: 'Never' })];
  const standard = (name: string, value: number) => priorityClass(name, value, { globalDefault: true });
  const forbidden = (why: string) => [403, `pods "web" is forbidden: ${why}`];
  const computed = 'must not be provided in pod spec; priority admission controller computed';

  it.each<readonly [string, object, Case['stored'], unknown]>([
    ['of no class', {}, classes, [undefined, 0, 'PreemptLowerPriority']],
    ['of a class', { priorityClassName: 'high' }, classes, ['high', 100, 'PreemptLowerPriority']],
    ['of a class that does not preempt', { priorityClassName: 'calm' }, classes, ['calm', 50, 'Never']],
    [
      'of a class of the system',
      { priorityClassName: 'system-node-critical' },
      classes,
      ['system-node-critical', 2_000_001_000, 'PreemptLowerPriority'],
    ],
    [
      'of the other class of the system',
      { priorityClassName: 'system-cluster-critical' },
      classes,
      ['system-cluster-critical', 2_000_000_000, 'PreemptLowerPriority'],
    ],
    [
      'of a class that does not exist',
      { priorityClassName: 'low' },
      classes,
      forbidden('no PriorityClass with name low was found'),
    ],
    ['of the class for all', {}, [...classes, standard('usual', 7)], ['usual', 7, 'PreemptLowerPriority']],
    [
      'of the lowest of several for all',
      {},
      [...classes, standard('b', 9), standard('a', 8)],
      ['a', 8, 'PreemptLowerPriority'],
    ],
    [
      'that it names rightly',
      { priorityClassName: 'high', priority: 100, preemptionPolicy: 'PreemptLowerPriority' },
      classes,
      ['high', 100, 'PreemptLowerPriority'],
    ],
    [
      'that it names wrongly',
      { priorityClassName: 'high', priority: 5 },
      classes,
      forbidden(`the integer value of priority (5) ${computed} 100 from the given PriorityClass name`),
    ],
    [
      'with another policy',
      { priorityClassName: 'calm', preemptionPolicy: 'PreemptLowerPriority' },
      classes,
      forbidden(
        `the string value of PreemptionPolicy (PreemptLowerPriority) ${computed} Never from the given PriorityClass name`,
      ),
    ],
  ])('%s', async (_, spec, stored = [], expected) => {
    const result = await admitted({ spec, stored });
    if (Array.isArray(result)) expect(result).toEqual(expected);
    else {
      const { priorityClassName, priority, preemptionPolicy } = result as Readonly<Record<string, unknown>>;
      expect([priorityClassName, priority, preemptionPolicy]).toEqual(expected);
    }
  });
});

describe('the tolerations of a Pod', () => {
  const own = (key: string | undefined, effect?: string) => ({
    operator: 'Exists',
    ...(key !== undefined && { key }),
    ...(effect !== undefined && { effect }),
  });

  it.each<readonly [string, readonly object[], readonly object[]]>([
    ['none', [], both],
    ['of something else', [own('example.org/x', 'NoExecute')], both],
    ['of a lost Node, by itself', [own('node.kubernetes.io/not-ready', 'NoExecute')], [lost('unreachable')]],
    ['of a lost Node, for any effect', [own('node.kubernetes.io/unreachable')], [lost('not-ready')]],
    ['of a lost Node, for another effect', [own('node.kubernetes.io/not-ready', 'NoSchedule')], both],
    ['of everything', [own(undefined)], []],
    ['of everything, for this effect', [own(undefined, 'NoExecute')], []],
    ['of everything, for another effect', [own(undefined, 'NoSchedule')], both],
  ])('%s', async (_, tolerations, added) => {
    expect(await admitted({ spec: { tolerations } })).toMatchObject({ tolerations: [...tolerations, ...added] });
    expect(
      ((await admitted({ spec: { tolerations } })) as { readonly tolerations: unknown[] }).tolerations,
    ).toHaveLength(tolerations.length + added.length);
  });
});

describe('a Pod that is updated', () => {
  const before = { spec: { priority: 100, preemptionPolicy: 'Never' } } as unknown as Stored;

  it.each<readonly [string, object, Stored | undefined, object]>([
    ['keeps its priority', {}, before, { priority: 100, preemptionPolicy: 'Never' }],
    [
      'has the priority that it names',
      { priority: 5, preemptionPolicy: 'X' },
      before,
      { priority: 5, preemptionPolicy: 'X' },
    ],
    ['has none where there was none', {}, { spec: {} } as unknown as Stored, {}],
    ['has none where nothing was', {}, undefined, {}],
  ])('%s', async (_, spec, old, expected) => {
    const result = await admitted({ spec, stored: [], request: { operation: 'UPDATE', before: old } });
    expect(result).toEqual({ tolerations: both, ...expected });
  });
});
