import { describe, expect, it } from 'vitest';
import type { Admission, AdmissionRequest } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import type { Stored } from '../store/stored.ts';
import { openAdmission, outcome, serverCore } from '../testing/server-core.ts';
import { isFinalized, isUnchanged, putObject, updateObject, updateObjectNow } from './update.ts';
import type { UpdateOptions } from './update.ts';

const place = { name: 'x', namespace: 'shop' };

/** A server with the ConfigMap x and the Lease x in `shop`. */
function setting(admission: Admission = openAdmission) {
  const server = serverCore(admission);
  server.put('v1', 'namespaces', { metadata: { name: 'shop' } });
  const stored = server.create('v1', 'configmaps', {
    metadata: { ...place, uid: 'u', labels: { a: '1' } },
    data: { k: 'v' },
  });
  server.put('coordination.k8s.io/v1', 'leases', { metadata: { ...place, uid: 'l' }, spec: {} });
  const targetOf = (more: Partial<WriteTarget> = {}) => server.target('v1', 'configmaps', place, more);
  return { ...server, stored, targetOf, now: () => server.core.store.get('/configmaps', 'shop/x') };
}
const map = (more: object = {}, data: object = { k: 'v' }) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...place, ...more }, data }) as unknown as Stored;

const managersOf = ({ metadata }: Stored) =>
  ((metadata.managedFields ?? []) as readonly { readonly manager: string }[]).map(({ manager }) => manager);

/** A value that other writes and admission give an object. */
const valueOf = (object: Stored | undefined) => (object?.['data'] as { readonly k?: string } | undefined)?.k;

describe('a PUT', () => {
  it('replaces the object, and keeps what the server has set', async () => {
    const { core, targetOf, now } = setting();
    const { object, created } = await putObject(core, targetOf(), map({ uid: '' }, { k: 'w' }));
    expect([created, valueOf(object), object.metadata.uid, object.metadata.labels]).toEqual([
      false,
      'w',
      'u',
      undefined,
    ]);
    expect(now()?.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
  });

  it('that changes nothing writes nothing', async () => {
    const { core, targetOf, stored, now } = setting();
    const version = core.store.resourceVersion;
    const { object } = await putObject(core, targetOf({ fieldManager: 'other' }), map({ labels: { a: '1' } }));
    expect([object.metadata.resourceVersion, core.store.resourceVersion]).toEqual([
      stored.metadata.resourceVersion,
      version,
    ]);
    expect(now()).toBe(stored);
  });

  it('in a dry run answers what would be, and writes nothing', async () => {
    const { core, targetOf, stored, now } = setting();
    const { object } = await putObject(core, targetOf({ dryRun: true }), map({}, { k: 'w' }));
    expect(valueOf(object)).toBe('w');
    expect(now()).toBe(stored);
  });

  const precondition = (uid: string, found: string) =>
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
  it.each<readonly [string, Stored, readonly unknown[]]>([
    ['of another name', map({ name: 'y' }), [400, 'the name of the object (y) does not match the name on the URL (x)']],
    [
      'of another Namespace',
      map({ namespace: 'bank' }),
      [400, 'the namespace of the provided object does not match the namespace sent on the request'],
    ],
    [
      'of another object of this name',
      map({ uid: 'w' }),
      [
        409,
        `Operation cannot be fulfilled on configmaps "x": StorageError: invalid object, Code: 4, Key: /registry/configmaps/shop/x, ResourceVersion: 0, AdditionalErrorMsg: ${precondition('w', 'u')}`,
      ],
    ],
    [
      'of an earlier version',
      map({ resourceVersion: '1' }),
      [
        409,
        'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
      ],
    ],
  ])('%s is rejected', async (_, given, expected) => {
    const { core, targetOf } = setting();
    expect(await outcome(() => putObject(core, targetOf(), given))).toEqual(expected);
  });

  it('is validated', async () => {
    const { core, targetOf } = setting();
    expect(await outcome(() => putObject(core, targetOf(), map({ labels: { 'a b': '' } })))).toEqual([
      422,
      expect.stringMatching(/^ConfigMap "x" is invalid: metadata\.labels: Invalid value: "a b": /),
    ]);
  });

  it('of an object that does not exist is an error', async () => {
    const { core, target } = setting();
    const missing = target('v1', 'configmaps', { name: 'y', namespace: 'shop' });
    expect(await outcome(() => putObject(core, missing, map({ name: 'y' })))).toEqual([
      404,
      'configmaps "y" not found',
    ]);
  });

  const lease = (more: object = {}) =>
    ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'y', namespace: 'shop', ...more },
      spec: {},
    }) as unknown as Stored;
  it.each<readonly [string, object, Partial<WriteTarget>, unknown]>([
    ['creates it', {}, {}, true],
    ['creates it, whatever its version', { resourceVersion: '5' }, {}, true],
    [
      'does not create it under a uid',
      { uid: 'w' },
      {},
      [
        409,
        `Operation cannot be fulfilled on leases.coordination.k8s.io "y": StorageError: invalid object, Code: 4, Key: /registry/leases/shop/y, ResourceVersion: 0, AdditionalErrorMsg: ${precondition('w', '')}`,
      ],
    ],
    [
      'does not create it for a user who may only update',
      {},
      { user: { username: 'alice', groups: [] } },
      [
        403,
        'leases.coordination.k8s.io "y" is forbidden: User "alice" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "shop"',
      ],
    ],
    [
      'does not create it by a subresource',
      {},
      { subresource: 'status' },
      [404, 'leases.coordination.k8s.io "y" not found'],
    ],
  ])('of a Lease that does not exist %s', async (_, more, by, expected) => {
    const { core, target } = setting();
    const missing = target('coordination.k8s.io/v1', 'leases', { name: 'y', namespace: 'shop' }, by);
    expect(await outcome(async () => (await putObject(core, missing, lease(more))).created)).toEqual(expected);
  });
});

describe('a change of an object', () => {
  const patch: UpdateOptions = { options: 'PatchOptions' };
  const toW = (before: Stored): Stored => ({ ...before, data: { k: 'w' } });

  it('begins again where another write comes between', async () => {
    const { core, targetOf, put } = setting();
    const seen: unknown[] = [];
    const change = async (before: Stored) => {
      seen.push((before['data'] as { readonly other?: string }).other);
      if (seen.length === 1) put('v1', 'configmaps', { metadata: { ...place, uid: 'u' }, data: { other: 'o' } });
      return { ...before, data: { ...(before['data'] as object), k: 'w' } };
    };
    const { object } = await updateObject(core, targetOf(), change, patch);
    expect(seen).toEqual([undefined, 'o']);
    expect(object['data']).toEqual({ other: 'o', k: 'w' });
  });

  it.each<readonly [string, UpdateOptions, string | undefined]>([
    ['a PUT: the metadata that the client has sent', { options: 'UpdateOptions' }, undefined],
    ['a patch: the metadata of the result', patch, 'u'],
  ])('is seen by mutating admission: %s', async (_, options, uid) => {
    const seen: (AdmissionRequest | undefined)[] = [];
    const { core, targetOf } = setting({
      ...openAdmission,
      mutate: (_core, request) => {
        seen.push(request);
        return Promise.resolve(request.object);
      },
    });
    // A client need not repeat the Namespace of the path.
    await updateObject(core, targetOf(), () => map({ namespace: undefined }, { k: 'w' }), options);
    expect(seen.map((one) => [one?.operation, one?.object?.metadata.uid, one?.object?.metadata.namespace])).toEqual([
      ['UPDATE', uid, 'shop'],
    ]);
    expect(seen[0]?.before?.metadata.uid).toBe('u');
  });

  it.each<readonly [UpdateOptions['options']]>([['UpdateOptions'], ['PatchOptions']])(
    'with %s is stored as mutating admission leaves it, with the metadata of the server',
    async (options) => {
      const { core, targetOf } = setting({
        ...openAdmission,
        mutate: (_, { object }) => Promise.resolve(object && { ...object, data: { k: 'admitted' } }),
      });
      const change = options === 'UpdateOptions' ? () => map({}, { k: 'w' }) : toW;
      const { object } = await updateObject(core, targetOf(), change, { options });
      expect(object).toMatchObject({ data: { k: 'admitted' }, metadata: { uid: 'u' } });
      expect(managersOf(object)).toEqual(['test']);
    },
  );

  it.each<readonly [UpdateOptions['options']]>([['UpdateOptions'], ['PatchOptions']])(
    'with %s is rejected where mutating admission changes what cannot change',
    async (options) => {
      const { core, targetOf } = setting({
        ...openAdmission,
        mutate: (_, { object }) =>
          Promise.resolve(object && { ...object, metadata: { ...object.metadata, uid: 'other' } }),
      });
      expect(await outcome(() => updateObject(core, targetOf(), toW, { options }))).toEqual([
        422,
        'ConfigMap "x" is invalid: metadata.uid: Invalid value: "other": field is immutable',
      ]);
    },
  );

  it('is not stored where validating admission rejects it', async () => {
    const refusal = new Error('no');
    const { core, targetOf, stored, now } = setting({ ...openAdmission, validate: () => Promise.reject(refusal) });
    await expect(updateObject(core, targetOf(), toW, patch)).rejects.toBe(refusal);
    expect(now()).toBe(stored);
  });

  it('has an admission of its own where it is given', async () => {
    const refusal = new Error('no');
    const { core, targetOf } = setting({ ...openAdmission, validate: () => Promise.reject(refusal) });
    const { object } = await updateObject(core, targetOf(), toW, { ...patch, admission: openAdmission });
    expect(valueOf(object)).toBe('w');
  });

  it.each<readonly [string, Partial<UpdateOptions>, readonly string[]]>([
    ['has a manager', {}, ['test']],
    ['has those that it brings', { tracked: true }, ['own']],
  ])('%s', async (_, more, managers) => {
    const { core, targetOf } = setting();
    const managed = (before: Stored) => ({
      ...toW(before),
      metadata: {
        ...before.metadata,
        managedFields: [{ manager: 'own', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
      },
    });
    const change = more.tracked === true ? managed : toW;
    const { object } = await updateObject(core, targetOf(), change, { ...patch, ...more });
    expect(managersOf(object)).toEqual(managers);
  });

  it('of an object that does not exist creates it where that is wanted', async () => {
    const { core, target } = setting();
    const missing = target('v1', 'configmaps', { name: 'y', namespace: 'shop' });
    const createFrom = () => map({ name: 'y' });
    expect(await outcome(() => updateObject(core, missing, toW, patch))).toEqual([404, 'configmaps "y" not found']);
    const { object, created } = await updateObject(core, missing, toW, { ...patch, createFrom });
    expect([created, object.metadata.name]).toEqual([true, 'y']);
  });

  it.each<readonly [boolean, readonly string[]]>([
    [true, ['own']],
    [false, ['test']],
  ])('that creates it keeps the managers that it brings: %s', async (tracked, managers) => {
    const { core, target } = setting();
    const missing = target('v1', 'configmaps', { name: 'y', namespace: 'shop' });
    const own = { manager: 'own', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} };
    const createFrom = () => map({ name: 'y', ...(tracked && { managedFields: [own] }) });
    const { object } = await updateObject(core, missing, toW, { ...patch, createFrom, tracked });
    expect(managersOf(object)).toEqual(managers);
  });
});

describe('a deployment', () => {
  const apps = 'apps/v1';
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
  };
  function web() {
    const server = setting();
    const made = server.create(apps, 'deployments', {
      metadata: place,
      spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
    });
    server.put(apps, 'deployments', {
      ...made,
      metadata: { ...made.metadata, generation: 3 },
      status: { replicas: 1 },
    });
    const at = (subresource?: string) => server.target(apps, 'deployments', place, { subresource });
    const change = (before: Stored): Stored => ({
      ...before,
      metadata: { ...before.metadata, labels: { a: 'b' }, generation: 9 },
      spec: { ...(before['spec'] as object), replicas: 2 },
      status: { replicas: 5 },
    });
    return { core: server.core, at, change };
  }

  it.each<readonly [string, string | undefined, object]>([
    [
      'itself: the spec changes, and with it the generation',
      undefined,
      { metadata: { labels: { a: 'b' }, generation: 4 }, spec: { replicas: 2 }, status: { replicas: 1 } },
    ],
    [
      'by its status: the status changes, and nothing else',
      'status',
      { metadata: { generation: 3 }, spec: { replicas: 1 }, status: { replicas: 5 } },
    ],
  ])('%s', async (_, subresource, expected) => {
    const { core, at, change } = web();
    const { object } = await updateObject(core, at(subresource), change, { options: 'PatchOptions' });
    expect(object).toMatchObject(expected);
  });

  it('is validated by the rules of its status there', async () => {
    const { core, at } = web();
    const change = (before: Stored) => ({ ...before, status: { replicas: -1 } });
    expect(await outcome(() => updateObject(core, at('status'), change, { options: 'PatchOptions' }))).toEqual([
      422,
      expect.stringContaining('status.replicas: Invalid value: -1'),
    ]);
  });
});

describe('an object that is being deleted', () => {
  const going = { deletionTimestamp: '2026-11-21T00:00:00Z', finalizers: ['example.org/f'] };

  it.each<readonly [string, boolean, boolean]>([
    ['is removed when it loses its last finalizer', false, true],
    ['stays in a dry run', true, false],
  ])('%s', async (_, dryRun, isGone) => {
    const { core, put, targetOf, now } = setting();
    put('v1', 'configmaps', { metadata: { ...place, uid: 'u', ...going }, data: {} });
    const version = core.store.resourceVersion;
    const change = ({ metadata: { finalizers: _f, ...metadata }, ...rest }: Stored) =>
      ({ ...rest, metadata }) as Stored;
    const { object } = await updateObject(core, targetOf({ dryRun }), change, { options: 'PatchOptions' });
    expect(object.metadata.finalizers).toBeUndefined();
    expect([now() === undefined, core.store.resourceVersion > version]).toEqual([isGone, isGone]);
  });

  it.each<readonly [string, object, object, boolean]>([
    ['is marked, and nothing holds it', { deletionTimestamp: 't' }, {}, true],
    ['is not marked', {}, {}, false],
    ['has a finalizer', { deletionTimestamp: 't', finalizers: ['f'] }, {}, false],
    ['has an empty list of finalizers', { deletionTimestamp: 't', finalizers: [] }, {}, true],
    ['has time left', { deletionTimestamp: 't', deletionGracePeriodSeconds: 5 }, {}, false],
    ['has no time left', { deletionTimestamp: 't', deletionGracePeriodSeconds: 0 }, {}, true],
    [
      'is a Namespace that is not empty',
      { deletionTimestamp: 't' },
      { apiVersion: 'v1', kind: 'Namespace', spec: { finalizers: ['kubernetes'] } },
      false,
    ],
    [
      'is a Namespace that is empty',
      { deletionTimestamp: 't' },
      { apiVersion: 'v1', kind: 'Namespace', spec: { finalizers: [] } },
      true,
    ],
    [
      'is of another kind of this name',
      { deletionTimestamp: 't' },
      { apiVersion: 'example.org/v1', kind: 'Namespace', spec: { finalizers: ['kubernetes'] } },
      true,
    ],
  ])('that %s is at its end: %#', (_, metadata, rest, expected) => {
    expect(isFinalized({ ...map(metadata), ...rest })).toBe(expected);
  });
});

describe('a write of the server itself', () => {
  it('is checked and stored without admission', () => {
    const refusal = new Error('no');
    const { core, targetOf, now } = setting({
      mutate: () => Promise.reject(refusal),
      validate: () => Promise.reject(refusal),
    });
    const object = updateObjectNow(core, targetOf(), (before) => ({ ...before, data: { k: 'w' } }));
    expect([valueOf(object), valueOf(now())]).toEqual(['w', 'w']);
  });

  it.each<readonly [string, Partial<Stored['metadata']>, readonly unknown[]]>([
    ['of another version', { resourceVersion: '1' }, [409, expect.stringContaining('the object has been modified')]],
    ['of another object', { uid: 'w' }, [409, expect.stringContaining('UID in precondition: w')]],
  ])('%s is rejected', async (_, metadata, expected) => {
    const { core, targetOf } = setting();
    const change = (before: Stored) => ({ ...before, metadata: { ...before.metadata, ...metadata } });
    expect(await outcome(() => updateObjectNow(core, targetOf(), change))).toEqual(expected);
  });

  it('of an object that does not exist is an error', async () => {
    const { core, target } = setting();
    const missing = target('v1', 'configmaps', { name: 'y', namespace: 'shop' });
    expect(await outcome(() => updateObjectNow(core, missing, (before) => before))).toEqual([
      404,
      'configmaps "y" not found',
    ]);
  });
});

it.each<readonly [Stored, boolean]>([
  [map({ labels: { a: '1' } }), true],
  [map({ labels: { a: '2' } }), false],
])('%j leaves the stored object as it is: %s', (next, expected) => {
  expect(isUnchanged(map({ labels: { a: '1' } }), next)).toBe(expected);
});
