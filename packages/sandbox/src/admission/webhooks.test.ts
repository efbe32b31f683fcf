import { describe, expect, it } from 'vitest';
import type { AdmissionRequest, Operation } from '../core/core.ts';
import type { Stored } from '../store/stored.ts';
import { outcome, serverCore } from '../testing/server-core.ts';
import type { WebhookEndpoint } from '../webhook/webhook-call.ts';
import { webhookAdmission } from './webhooks.ts';

const v1 = 'admissionregistration.k8s.io/v1';
const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
const hook = (name: string, more: object = {}) => ({
  name,
  clientConfig: { url: `https://${name}.example/` },
  rules: [everything],
  sideEffects: 'None',
  failurePolicy: 'Fail',
  ...more,
});

/** What a webhook answers: the fields of its response, or an answer as it is. */
type Reply = object | { readonly status: number; readonly body: string } | 'never' | Error;

interface Case {
  readonly mutating?: readonly object[];
  readonly validating?: readonly object[];
  /** By the name of the webhook, one for each call; the last one is repeated. Default: allowed. */
  readonly replies?: Readonly<Record<string, readonly Reply[]>>;
  readonly conditions?: (conditions: readonly { readonly expression: string }[]) => boolean;
  readonly stored?: readonly (readonly [apiVersion: string, plural: string, object: object])[];
  readonly operation?: Operation;
  readonly object?: object | undefined;
  readonly before?: object;
  readonly of?: readonly [apiVersion: string, plural: string];
  readonly place?: { readonly name: string; readonly namespace?: string };
  readonly dryRun?: boolean;
  readonly subresource?: string;
}

function setting(one: Case) {
  const { of: [apiVersion, plural] = ['v1', 'configmaps'], place = { name: 'x', namespace: 'shop' } } = one;
  const server = serverCore();
  for (const [version, resource, object] of one.stored ?? []) server.put(version, resource, object);
  const configure = (resource: string, webhooks: readonly object[] = []) => {
    if (webhooks.length > 0) server.put(v1, resource, { metadata: { name: 'hooks' }, webhooks });
  };
  configure('mutatingwebhookconfigurations', one.mutating);
  configure('validatingwebhookconfigurations', one.validating);
  const target = server.target(apiVersion, plural, place, {
    dryRun: one.dryRun ?? false,
    subresource: one.subresource,
  });
  const calls: { readonly name: string; readonly url: string; readonly request: Readonly<Record<string, unknown>> }[] =
    [];
  const call = async ({ url }: WebhookEndpoint, body: string) => {
    const { request } = JSON.parse(body) as { readonly request: Readonly<Record<string, unknown>> };
    const name = new URL(url).hostname.split('.')[0] ?? '';
    const past = calls.filter((each) => each.name === name).length;
    calls.push({ name, url, request });
    const replies = one.replies?.[name] ?? [{}];
    const reply = replies[past] ?? replies.at(-1) ?? {};
    if (reply === 'never') return new Promise<never>(() => {});
    if (reply instanceof Error) throw reply;
    if ('status' in reply && 'body' in reply) return reply as { readonly status: number; readonly body: string };
    const response = { uid: request['uid'], allowed: true, ...reply };
    return {
      status: 200,
      body: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }),
    };
  };
  const admission = webhookAdmission({ call, matchesConditions: one.conditions ?? (() => true) });
  const whole = (object: object | undefined) =>
    object === undefined ? undefined : ({ apiVersion, kind: target.resource.kind, ...object } as unknown as Stored);
  const object = 'object' in one ? one.object : { metadata: place };
  const request: AdmissionRequest = {
    operation: one.operation ?? 'CREATE',
    target,
    object: whole(object),
    before: whole(one.before),
    options: {},
  };
  return { server, target, calls, admission, request };
}
const patchOf = (...operations: readonly object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const label = (key: string, value: string) => patchOf({ op: 'add', path: '/metadata/labels', value: { [key]: value } });
/** The names of the webhooks that are called, in their order. */
async function called(one: Case) {
  const { admission, server, request, calls } = setting(one);
  await admission.mutate(server.core, request);
  await admission.validate(server.core, request);
  return calls.map(({ name }) => name);
}
/** The labels that mutation leaves, or the rejection. */
function mutated(one: Case) {
  const { admission, server, request } = setting(one);
  return outcome(async () => (await admission.mutate(server.core, request))?.metadata.labels);
}
function validated(one: Case) {
  const { admission, server, request } = setting(one);
  return outcome(() => admission.validate(server.core, request));
}
const failed = (name: string, why: string) => [
  500,
  `Internal error occurred: failed calling webhook "${name}": ${why}`,
];

describe('which webhooks are called', () => {
  const shop = ['v1', 'namespaces', { metadata: { name: 'shop', labels: { tier: 'front' } } }] as const;
  const deployments = ['apps/v1', 'deployments'] as const;

  it.each<readonly [string, Partial<typeof everything> & { readonly scope?: string }, Case, boolean]>([
    ['all', {}, {}, true],
    ['another operation', { operations: ['UPDATE'] }, {}, false],
    ['one of two operations', { operations: ['UPDATE', 'CREATE'] }, {}, true],
    ['another group', { apiGroups: ['apps'] }, {}, false],
    ['another version', { apiVersions: ['v2'] }, {}, false],
    ['another resource', { resources: ['secrets'] }, {}, false],
    ['this resource', { resources: ['configmaps'] }, {}, true],
    ['resources, and the request is of a subresource', { resources: ['*'] }, { subresource: 'status' }, false],
    ['any subresource', { resources: ['configmaps/*'] }, { subresource: 'status' }, true],
    ['this subresource', { resources: ['*/status'] }, { subresource: 'status' }, true],
    ['objects of Namespaces', { scope: 'Namespaced' }, {}, true],
    ['objects of the cluster', { scope: 'Cluster' }, {}, false],
  ])('by a rule about %s', async (_, rule, one, expected) => {
    const webhooks = [hook('a', { rules: [{ ...everything, ...rule }] })];
    expect(await called({ ...one, validating: webhooks })).toEqual(expected ? ['a'] : []);
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['without rules', { rules: undefined }, []],
    [
      'with several rules, of which one matches',
      { rules: [{ ...everything, apiGroups: ['none'] }, everything] },
      ['a'],
    ],
  ])('a webhook %s', async (_, more, expected) => {
    expect(await called({ validating: [hook('a', more)] })).toEqual(expected);
  });

  it.each<readonly [string, object, readonly unknown[]]>([
    ['is called for it by default', {}, [['events.k8s.io/v1', 'a', 'events.k8s.io/v1']]],
    ['is not called for it if it wants the exact version', { matchPolicy: 'Exact' }, []],
    ['is called once if it wants both', { rules: [{ ...everything, resources: ['events'] }] }, [['v1', 'a', 'v1']]],
  ])('a webhook of another version of the same objects %s', async (_, more, expected) => {
    const rules = [{ ...everything, apiGroups: ['events.k8s.io'], resources: ['events'] }];
    const { admission, server, request, calls } = setting({
      validating: [hook('a', { rules, ...more })],
      of: ['v1', 'events'],
    });
    await admission.validate(server.core, request);
    expect(
      calls.map(({ name, request: { resource, object } }) => {
        const { group, version } = resource as { readonly group: string; readonly version: string };
        const { apiVersion } = object as { readonly apiVersion: string };
        return [group === '' ? version : `${group}/${version}`, name, apiVersion];
      }),
    ).toEqual(expected);
  });

  const front = { matchLabels: { tier: 'front' } };
  const fronted = (labels: object) => ({ metadata: { name: 'x', namespace: 'shop', labels } });
  it.each<readonly [string, object, Case, boolean]>([
    ['the object, which has the label', { objectSelector: front }, { object: fronted({ tier: 'front' }) }, true],
    ['the object, which has another', { objectSelector: front }, { object: fronted({ tier: 'back' }) }, false],
    [
      'the object, which had the label',
      { objectSelector: front },
      { object: fronted({}), before: fronted({ tier: 'front' }) },
      true,
    ],
    [
      'the object, which is deleted',
      { objectSelector: front },
      { object: undefined, before: fronted({ tier: 'front' }) },
      true,
    ],
    ['the Namespace, which has the label', { namespaceSelector: front }, { stored: [shop] }, true],
    ['the Namespace, which has none', { namespaceSelector: front }, {}, false],
    [
      'the Namespace, where the object is of none',
      { namespaceSelector: front },
      { of: ['v1', 'nodes'], place: { name: 'n1' } },
      true,
    ],
    [
      'the Namespace, which is the object',
      { namespaceSelector: front },
      { of: ['v1', 'namespaces'], place: { name: 'shop' }, stored: [shop] },
      false,
    ],
    [
      'the Namespace, which is the object with the label',
      { namespaceSelector: front },
      {
        of: ['v1', 'namespaces'],
        place: { name: 'shop' },
        object: undefined,
        before: { metadata: { name: 'shop', labels: { tier: 'front' } } },
      },
      true,
    ],
    [
      'both, of which the Namespace has the label',
      { namespaceSelector: front, objectSelector: front },
      { stored: [shop] },
      false,
    ],
  ])('by the labels of %s', async (_, selectors, one, expected) => {
    expect(await called({ ...one, validating: [hook('a', selectors)] })).toEqual(expected ? ['a'] : []);
  });

  it('none for configurations of webhooks, so that users can always remove them', async () => {
    const of = [v1, 'validatingwebhookconfigurations'] as const;
    expect(await called({ validating: [hook('a')], mutating: [hook('b')], of, place: { name: 'hooks' } })).toEqual([]);
  });

  it('the mutating ones first, each after the other, then the validating ones', async () => {
    expect(await called({ validating: [hook('c'), hook('d')], mutating: [hook('b'), hook('a')] })).toEqual([
      'b',
      'a',
      'c',
      'd',
    ]);
  });

  const conditions = { matchConditions: [{ name: 'c', expression: 'true' }] };
  it.each<readonly [string, object, Case['conditions'], unknown]>([
    ['hold', conditions, () => true, ['a']],
    ['do not hold', conditions, () => false, []],
    ['are none', { matchConditions: [] }, () => false, ['a']],
    [
      'cannot be evaluated',
      conditions,
      () => {
        throw new Error('no such key');
      },
      [403, 'deployments.apps "x" is forbidden: no such key'],
    ],
    [
      'cannot be evaluated, and failures are ignored',
      { ...conditions, failurePolicy: 'Ignore' },
      () => {
        throw new Error('no such key');
      },
      [],
    ],
  ])('those whose conditions %s', async (_, more, evaluate, expected) => {
    const one: Case = { validating: [hook('a', more)], of: deployments, ...(evaluate && { conditions: evaluate }) };
    expect(await outcome(() => called(one))).toEqual(expected);
  });

  it('a condition that cannot be evaluated of a resource of no group is named without one', async () => {
    const one: Case = {
      validating: [hook('a', conditions)],
      conditions: () => {
        throw new Error('no such key');
      },
    };
    expect(await validated(one)).toEqual([403, 'configmaps "x" is forbidden: no such key']);
  });

  it.each<readonly [string | undefined, unknown]>([
    ['None', undefined],
    ['NoneOnDryRun', undefined],
    ['Some', [400, 'admission webhook "a" does not support dry run']],
    [undefined, [400, 'admission webhook "a" does not support dry run']],
  ])('in a dry run those without effects: %s', async (sideEffects, expected) => {
    expect(await validated({ validating: [hook('a', { sideEffects })], dryRun: true })).toEqual(expected);
  });
});

describe('the address of a call', () => {
  const service = (ports: readonly number[]) =>
    [
      'v1',
      'services',
      { metadata: { name: 'hook', namespace: 'system' }, spec: { ports: ports.map((port) => ({ port })) } },
    ] as const;
  const inCluster = (more: object = {}) => ({
    clientConfig: { service: { name: 'hook', namespace: 'system', path: '/x', ...more } },
  });

  it.each<readonly [string, object, Case, string]>([
    ['a URL with a path', { clientConfig: { url: 'https://a.example/p' } }, {}, 'https://a.example/p'],
    ['a Service', inCluster(), { stored: [service([443])] }, 'https://hook.system.svc:443/x'],
  ])('is that of the configuration: %s', async (_, more, one, url) => {
    const { admission, server, request, calls } = setting({ ...one, validating: [hook('a', more)] });
    await admission.validate(server.core, request);
    expect(calls.map((each) => each.url)).toEqual([url]);
  });

  it.each<readonly [string, object, Case, string]>([
    [
      'a Service that does not exist',
      inCluster(),
      {},
      'Post "https://hook.system.svc:443/x?timeout=10s": service "hook" not found',
    ],
    [
      'a port that the Service does not have',
      inCluster({ port: 8443 }),
      { stored: [service([443])] },
      'Post "https://hook.system.svc:8443/x?timeout=10s": no service port 8443 found for service "hook"',
    ],
    [
      'a server that refuses the connection',
      {},
      { replies: { a: [new Error('dial tcp: connection refused')] } },
      'Post "https://a.example/?timeout=10s": dial tcp: connection refused',
    ],
    [
      'a URL without a path, with a timeout',
      { clientConfig: { url: 'https://a.example' }, timeoutSeconds: 3 },
      { replies: { a: [new Error('EOF')] } },
      'Post "https://a.example/?timeout=3s": EOF',
    ],
    [
      'a server that answers with an error',
      {},
      { replies: { a: [{ status: 404, body: '' }] } },
      'the server could not find the requested resource',
    ],
  ])('fails: %s', async (_, more, one, why) => {
    const webhooks = [hook('a', more)];
    expect(await validated({ ...one, validating: webhooks })).toEqual(failed('a', `failed to call webhook: ${why}`));
    const ignored = [hook('a', { ...more, failurePolicy: 'Ignore' })];
    expect(await validated({ ...one, validating: ignored })).toBeUndefined();
  });

  it('fails when its time is over', async () => {
    const { admission, server, request } = setting({
      validating: [hook('a', { timeoutSeconds: 3 })],
      replies: { a: ['never'] },
    });
    let result: unknown = 'waits';
    void outcome(() => admission.validate(server.core, request)).then((one) => (result = one));
    await server.clock.advance(2999);
    expect(result).toBe('waits');
    await server.clock.advance(1);
    expect(result).toEqual(
      failed('a', 'failed to call webhook: Post "https://a.example/?timeout=3s": context deadline exceeded'),
    );
  });
});

describe('the answer of a webhook', () => {
  const denied = 'admission webhook "a" denied the request';

  it.each<readonly [string, object, unknown]>([
    ['that allows', {}, undefined],
    ['that denies', { allowed: false }, [400, `${denied} without explanation`]],
    ['that denies with a message', { allowed: false, status: { message: 'no' } }, [400, `${denied}: no`]],
    ['that denies with a reason', { allowed: false, status: { reason: 'Conflict' } }, [400, `${denied}: Conflict`]],
    [
      'that denies with an empty message and a reason',
      { allowed: false, status: { message: '', reason: 'Conflict' } },
      [400, `${denied}: Conflict`],
    ],
    ['that denies with a code', { allowed: false, status: { code: 409, message: 'no' } }, [409, `${denied}: no`]],
    [
      'that denies with the code of a success',
      { allowed: false, status: { code: 200 } },
      [400, `${denied} without explanation`],
    ],
    [
      'for another request',
      { uid: 'other' },
      failed('a', 'received invalid webhook response: expected response.uid="UID", got "other"'),
    ],
    [
      'that changes what it validates',
      label('a', 'b'),
      failed('a', 'received invalid webhook response: validating webhook may not return response.patch'),
    ],
  ])('%s', async (_, reply, expected) => {
    const result = await validated({ validating: [hook('a')], replies: { a: [reply] } });
    expect(JSON.parse(JSON.stringify(result ?? null).replace(/[0-9a-f]{8}-[-0-9a-f]{27}/, 'UID'))).toEqual(
      expected ?? null,
    );
  });

  it('to another request is ignored if failures are', async () => {
    const validating = [hook('a', { failurePolicy: 'Ignore' })];
    expect(await validated({ validating, replies: { a: [{ uid: 'other', allowed: false }] } })).toBeUndefined();
    // A denial is no failure.
    expect(await validated({ validating, replies: { a: [{ allowed: false }] } })).toMatchObject([400, {}]);
  });

  it('that denies is the first in the order of the webhooks', async () => {
    const replies = { b: [{ allowed: false }], c: [{ allowed: false }] };
    expect(await validated({ validating: [hook('a'), hook('b'), hook('c')], replies })).toEqual([
      400,
      'admission webhook "b" denied the request without explanation',
    ]);
  });

  it('may have warnings, also where it denies', async () => {
    const { admission, server, request, target } = setting({
      validating: [hook('a'), hook('b')],
      replies: { a: [{ warnings: ['one'] }], b: [{ warnings: ['two'], allowed: false }] },
    });
    await outcome(() => admission.validate(server.core, request));
    expect(target.warnings).toEqual(['one', 'two']);
  });
});

describe('the changes of mutating webhooks', () => {
  const ignoring = { failurePolicy: 'Ignore' };

  it('are seen by the next one, and by those that are called again', async () => {
    const one: Case = {
      mutating: [
        hook('a', { reinvocationPolicy: 'IfNeeded' }),
        hook('b', { reinvocationPolicy: 'IfNeeded' }),
        hook('c'),
      ],
      replies: { a: [{}], b: [label('b', '1'), {}], c: [{}] },
    };
    const { admission, server, request, calls } = setting(one);
    const object = await admission.mutate(server.core, request);
    expect(object?.metadata.labels).toEqual({ b: '1' });
    const seen = calls.map(({ name, request: { object: sent } }) => [
      name,
      (sent as { readonly metadata: { readonly labels?: object } }).metadata.labels,
    ]);
    expect(seen).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', { b: '1' }],
      ['a', { b: '1' }],
    ]);
  });

  it('that do not happen need no second call', async () => {
    const mutating = ['a', 'b'].map((name) => hook(name, { reinvocationPolicy: 'IfNeeded' }));
    expect(await called({ mutating })).toEqual(['a', 'b']);
  });

  it('by one that is called again are seen by a later one that may be called again', async () => {
    const one: Case = {
      mutating: ['a', 'b'].map((name) => hook(name, { reinvocationPolicy: 'IfNeeded' })),
      replies: { a: [{}, label('a', '2')], b: [label('b', '1'), {}] },
    };
    expect(await called(one)).toEqual(['a', 'b', 'a', 'b']);
  });

  it.each<readonly [string, object, unknown]>([
    ['no patch', {}, undefined],
    ['an empty patch', patchOf(), undefined],
    ['a patch', label('a', 'b'), { a: 'b' }],
    [
      'a patch that is no text of JSON',
      { patchType: 'JSONPatch', patch: Buffer.from('x').toString('base64') },
      failed('a', 'received undecodable patch in webhook response: '),
    ],
    [
      'a patch that is no list',
      { patchType: 'JSONPatch', patch: Buffer.from('{}').toString('base64') },
      failed('a', 'received undecodable patch in webhook response: '),
    ],
    [
      'a patch of another type',
      { ...label('a', 'b'), patchType: 'Merge' },
      failed('a', 'unsupported patch type "Merge"'),
    ],
    [
      'a patch without a type',
      { ...label('a', 'b'), patchType: undefined },
      failed('a', 'received invalid webhook response: webhook returned response.patch but not response.patchType'),
    ],
  ])('come as %s', async (_, reply, expected) => {
    expect(await mutated({ mutating: [hook('a')], replies: { a: [reply] } })).toEqual(expected);
  });

  it.each<readonly [string, object]>([
    ['cannot be decoded', { patchType: 'JSONPatch', patch: Buffer.from('x').toString('base64') }],
    ['is of another type', { ...label('a', 'b'), patchType: 'Merge' }],
  ])('a patch that %s is ignored if failures are', async (_, reply) => {
    expect(await mutated({ mutating: [hook('a', ignoring)], replies: { a: [reply] } })).toBeUndefined();
  });

  const internal = (why: string) => [500, `Internal error occurred: ${why}`];
  it.each<readonly [string, object, string]>([
    [
      'removes what is not there',
      { op: 'remove', path: '/data/a' },
      "error in remove for path: '/data/a': Unable to remove nonexistent key: a: missing value",
    ],
    [
      'replaces below what is not there',
      { op: 'replace', path: '/data/a/b', value: 1 },
      'replace operation does not apply: doc is missing key: /data/a/b: missing value',
    ],
    [
      'adds below what is not there',
      { op: 'add', path: '/data/a', value: 1 },
      'add operation does not apply: doc is missing path: "/data/a": missing value',
    ],
    [
      'tests for another value',
      { op: 'test', path: '/metadata/name', value: 'y' },
      'applying operation 0 of the JSON patch: ',
    ],
  ])('a patch that %s fails, also if failures are ignored', async (_, operation, why) => {
    const [code, message] = (await mutated({
      mutating: [hook('a', ignoring)],
      replies: { a: [patchOf(operation)] },
    })) as readonly [number, string];
    expect(code).toBe(500);
    expect(message.startsWith(internal(why)[1] as string)).toBe(true);
  });

  it('an object that is deleted cannot be changed', async () => {
    const one: Case = {
      mutating: [hook('a')],
      replies: { a: [label('a', 'b')] },
      operation: 'DELETE',
      object: undefined,
      before: { metadata: { name: 'x', namespace: 'shop' } },
    };
    expect(await mutated(one)).toEqual(
      internal('admission webhook "a" attempted to modify the object, which is not supported for this operation'),
    );
    expect(await mutated({ ...one, replies: { a: [patchOf()] } })).toBeUndefined();
  });

  it('what a patch makes of an object is read as a request is', async () => {
    const one: Case = {
      mutating: [hook('a')],
      replies: { a: [patchOf({ op: 'add', path: '/metadata/labels', value: 5 })] },
    };
    expect(await mutated(one)).toMatchObject([expect.any(Number), expect.stringContaining('labels')]);
  });
});
