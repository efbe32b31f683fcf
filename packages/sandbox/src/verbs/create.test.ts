import { describe, expect, it } from 'vitest';
import type { Admission } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import type { Stored } from '../store/stored.ts';
import { openAdmission, outcome, serverCore } from '../testing/server-core.ts';
import { createObject, createObjectNow, namespaceOf, refuseTakenName } from './create.ts';

const map = (metadata: object = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', ...metadata },
    data: { k: 'v' },
  }) as unknown as Stored;

function setting(admission: Admission = openAdmission) {
  const server = serverCore(admission);
  server.put('v1', 'namespaces', { metadata: { name: 'shop' } });
  server.put('v1', 'namespaces', { metadata: { name: 'going', deletionTimestamp: '2026-11-20T00:00:00Z' } });
  server.put('v1', 'configmaps', { metadata: { name: 'taken', namespace: 'shop', uid: 't' } });
  const targetOf = (more: Partial<WriteTarget> = {}) =>
    server.target('v1', 'configmaps', { name: '', namespace: 'shop' }, more);
  return { ...server, targetOf, now: (name = 'x') => server.core.store.get('/configmaps', `shop/${name}`) };
}

describe('a new object', () => {
  it('gets the metadata of the server, not those that the client has sent', async () => {
    const { core, targetOf, now } = setting();
    const given = map({
      uid: 'given',
      selfLink: '/x',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      labels: { a: 'b' },
    });
    const { metadata } = await createObject(core, targetOf(), given);
    expect(metadata).toMatchObject({
      name: 'x',
      namespace: 'shop',
      creationTimestamp: '2026-11-21T00:00:00Z',
      labels: { a: 'b' },
      managedFields: [
        { manager: 'test', operation: 'Update', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } } },
      ],
    });
    expect(metadata.uid).toMatch(/^[0-9a-f]{8}-[-0-9a-f]{27}$/);
    expect(metadata).not.toHaveProperty('deletionTimestamp');
    expect(metadata).not.toHaveProperty('selfLink');
    expect(now()?.metadata).toEqual(metadata);
  });

  it.each<readonly [string, string, string, number | undefined]>([
    ['without a generation', 'v1', 'configmaps', undefined],
    ['with a generation', 'policy/v1', 'poddisruptionbudgets', 1],
  ])('begins %s', async (_, apiVersion, plural, generation) => {
    const { core, target } = setting();
    const place = target(apiVersion, plural, { name: '', namespace: 'shop' });
    const given = { apiVersion, kind: place.resource.kind, metadata: { name: 'x' } } as Stored;
    expect((await createObject(core, place, given)).metadata.generation).toBe(generation);
  });

  it.each<readonly [string, Stored, Partial<WriteTarget>, readonly unknown[]]>([
    ['of a name that is taken', map({ name: 'taken' }), {}, [409, 'configmaps "taken" already exists']],
    [
      'of another Namespace than its path',
      map({ namespace: 'bank' }),
      {},
      [400, 'the namespace of the provided object does not match the namespace sent on the request'],
    ],
    ['of a Namespace that does not exist', map(), { namespace: 'bank' }, [404, 'namespaces "bank" not found']],
    [
      'of a Namespace that is going',
      map(),
      { namespace: 'going' },
      [
        403,
        'configmaps "x" is forbidden: unable to create new content in namespace going because it is being terminated',
      ],
    ],
    [
      'with a resourceVersion',
      map({ resourceVersion: '7' }),
      {},
      [500, 'resourceVersion should not be set on objects to be created'],
    ],
    [
      'that is not valid',
      map({ name: 'X' }),
      {},
      [422, expect.stringMatching(/^ConfigMap "X" is invalid: metadata\.name: Invalid value: "X": /)],
    ],
  ])('%s is rejected', async (_, given, more, expected) => {
    const { core, targetOf } = setting();
    const version = core.store.resourceVersion;
    expect(await outcome(() => createObject(core, targetOf(more), given))).toEqual(expected);
    expect(core.store.resourceVersion).toBe(version);
  });

  it.each<readonly [string, object, boolean]>([
    ['0, which is none', { resourceVersion: '0' }, false],
    ['one that is no number', { resourceVersion: 'x' }, false],
    ['one, in a dry run', { resourceVersion: '7' }, true],
  ])('may have a resourceVersion: %s', async (_, metadata, dryRun) => {
    const { core, targetOf } = setting();
    expect(await outcome(() => createObject(core, targetOf({ dryRun }), map(metadata)))).toMatchObject({
      metadata: { name: 'x' },
    });
  });

  it('is not stored in a dry run, and its name must be free', async () => {
    const { core, targetOf, now } = setting();
    expect((await createObject(core, targetOf({ dryRun: true }), map())).metadata.namespace).toBe('shop');
    expect(now()).toBeUndefined();
    expect(await outcome(() => createObject(core, targetOf({ dryRun: true }), map({ name: 'taken' })))).toEqual([
      409,
      'configmaps "taken" already exists',
    ]);
  });

  it('is as mutating admission leaves it, whose fields have no manager', async () => {
    const { core, targetOf, now } = setting({
      ...openAdmission,
      mutate: (_, { object }) => Promise.resolve(object && { ...object, data: { other: 'o' } }),
    });
    await createObject(core, targetOf(), map());
    expect(now()?.['data']).toEqual({ other: 'o' });
    expect(now()?.metadata).toMatchObject({ managedFields: [{ fieldsV1: { 'f:data': { 'f:k': {} } } }] });
  });

  it.each<readonly [string, 'validate' | 'mayCreate']>([
    ['where validating admission rejects it', 'validate'],
    ['by a user who may not', 'mayCreate'],
  ])('is not stored %s', async (_, step) => {
    const refusal = new Error('no');
    const refuse = () => Promise.reject(refusal);
    const { core, targetOf, now } = setting({ ...openAdmission, ...(step === 'validate' && { validate: refuse }) });
    const mayCreate = () => {
      throw refusal;
    };
    const created = createObject(core, targetOf(), map(), step === 'mayCreate' ? { mayCreate } : {});
    await expect(created).rejects.toBe(refusal);
    expect(now()).toBeUndefined();
  });

  it('keeps the managers that an apply has set', async () => {
    const { core, targetOf } = setting();
    const managedFields = [
      { manager: 'own', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
    ];
    const { metadata } = await createObject(core, targetOf(), map({ managedFields }), { isTracked: true });
    expect(metadata).toMatchObject({ managedFields: [{ manager: 'own' }] });
    expect(metadata['managedFields' as never]).toHaveLength(1);
  });

  it('of the server itself meets no admission', () => {
    const refuse = () => Promise.reject(new Error('no'));
    const { core, targetOf, now } = setting({ mutate: refuse, validate: refuse });
    createObjectNow(core, targetOf(), map());
    expect(now()?.['data']).toEqual({ k: 'v' });
  });
});

describe('the Namespace of a new object', () => {
  const refusal = [400, 'the namespace of the provided object does not match the namespace sent on the request'];

  it.each<readonly [string | undefined, string | undefined, unknown]>([
    ['shop', undefined, { name: 'x', namespace: 'shop' }],
    ['shop', 'shop', { name: 'x', namespace: 'shop' }],
    ['shop', 'bank', refusal],
    [undefined, 'bank', { name: 'x' }],
    [undefined, undefined, { name: 'x' }],
  ])('is that of the path, %s, where the body has %s', async (namespace, given, expected) => {
    const { targetOf } = setting();
    const object = map(given === undefined ? {} : { namespace: given });
    expect(await outcome(() => namespaceOf(targetOf({ namespace }), object))).toEqual(expected);
  });
});

it.each<readonly [string, unknown]>([
  ['free', undefined],
  ['taken', [409, 'configmaps "taken" already exists']],
])('a name that is %s', async (name, expected) => {
  const { core, targetOf } = setting();
  expect(await outcome(() => refuseTakenName(core, targetOf(), map({ name, namespace: 'shop' })))).toEqual(expected);
});
