import { describe, expect, it } from 'vitest';
import type { Admission } from '../core/core.ts';
import type { DeleteOptions } from '../options/delete-options.ts';
import { openAdmission, outcome, serverCore } from '../testing/server-core.ts';
import { checkPreconditions, deleteObject, deleteObjectNow, finalizersFor } from './delete.ts';

const place = { name: 'x', namespace: 'shop' };
const time = '2026-11-21T00:00:00Z';

interface Case {
  readonly of?: readonly [apiVersion: string, plural: string];
  readonly object?: { readonly metadata?: object; readonly spec?: object; readonly status?: object };
  readonly options?: DeleteOptions;
  readonly dryRun?: boolean;
}

/** Deletes an object: whether it is gone, its last metadata, and what is stored of it. */
function deleted({ of = ['v1', 'configmaps'], object = {}, options = {}, dryRun = false }: Case) {
  const server = serverCore();
  const at = of[1] === 'namespaces' ? { name: 'shop' } : place;
  const stored = server.put(...of, { ...object, metadata: { ...at, uid: 'u', ...object.metadata } });
  const target = server.target(...of, at, { dryRun });
  const result = deleteObjectNow(server.core, target, options);
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers, generation } = result.object.metadata;
  const now = server.core.store.get(target.resource.storageKey, of[1] === 'namespaces' ? 'shop' : 'shop/x');
  return {
    gone: result.gone,
    marks: { deletionTimestamp, deletionGracePeriodSeconds, finalizers, generation },
    phase: (result.object['status'] as { readonly phase?: string } | undefined)?.phase,
    kept: now !== undefined,
    written: now !== stored,
  };
}
const pods = ['v1', 'pods'] as const;
const namespaces = ['v1', 'namespaces'] as const;
const finalizer = { finalizers: ['example.org/f'] };

describe('a DELETE', () => {
  it.each<readonly [string, Case, object]>([
    ['removes an object', {}, { gone: true, kept: false, marks: {} }],
    ['removes nothing in a dry run', { dryRun: true }, { gone: true, kept: true, written: false }],
    [
      'marks an object with a finalizer',
      { object: { metadata: finalizer } },
      {
        gone: false,
        kept: true,
        written: true,
        marks: { deletionTimestamp: time, deletionGracePeriodSeconds: 0, ...finalizer },
      },
    ],
    [
      'marks nothing in a dry run',
      { object: { metadata: finalizer }, dryRun: true },
      { gone: false, written: false, marks: { deletionTimestamp: time, ...finalizer } },
    ],
    [
      'counts a generation, where the object has one',
      { of: ['apps/v1', 'deployments'], object: { metadata: { ...finalizer, generation: 3 } } },
      { gone: false, marks: { generation: 4, ...finalizer } },
    ],
    [
      'leaves an object that is marked already',
      {
        object: {
          metadata: { ...finalizer, deletionTimestamp: '2026-11-20T00:00:00Z', deletionGracePeriodSeconds: 0 },
        },
      },
      { gone: false, written: false, marks: { deletionTimestamp: '2026-11-20T00:00:00Z' } },
    ],
    [
      'removes the finalizer of another policy, and with it the object',
      { object: { metadata: { finalizers: ['orphan'] } }, options: { propagationPolicy: 'Background' } },
      { gone: true, kept: false },
    ],
    [
      'holds an object by a policy',
      { options: { propagationPolicy: 'Foreground' } },
      { gone: false, marks: { finalizers: ['foregroundDeletion'] } },
    ],
  ])('%s', (_, one, expected) => {
    expect(deleted(one)).toMatchObject(expected);
  });

  const running = { spec: { nodeName: 'n1', terminationGracePeriodSeconds: 30 }, status: { phase: 'Running' } };
  const later = (seconds: number) => new Date(Date.parse(time) + seconds * 1000).toISOString().replace('.000', '');
  const going = { deletionTimestamp: later(30), deletionGracePeriodSeconds: 30 };
  it.each<readonly [string, Case, object]>([
    [
      'is marked for its own time',
      { object: running },
      { gone: false, kept: true, marks: { deletionTimestamp: later(30), deletionGracePeriodSeconds: 30 } },
    ],
    [
      'is marked for the time of the request',
      { object: running, options: { gracePeriodSeconds: 5 } },
      { gone: false, marks: { deletionTimestamp: later(5), deletionGracePeriodSeconds: 5 } },
    ],
    [
      'is removed at once where no time is wanted',
      { object: running, options: { gracePeriodSeconds: 0 } },
      { gone: true, kept: false, marks: { deletionTimestamp: time, deletionGracePeriodSeconds: 0 } },
    ],
    [
      'has no time below nothing',
      { object: running, options: { gracePeriodSeconds: -1 } },
      { gone: true, marks: { deletionGracePeriodSeconds: 0 } },
    ],
    [
      'on no Node is removed at once, whatever time is wanted',
      { object: { ...running, spec: {} }, options: { gracePeriodSeconds: 5 } },
      { gone: true, kept: false },
    ],
    [
      'that waits is left alone',
      { object: { ...running, metadata: going } },
      { gone: false, written: false, marks: going },
    ],
    [
      'that waits gets no more time',
      { object: { ...running, metadata: going }, options: { gracePeriodSeconds: 60 } },
      { gone: false, written: false, marks: going },
    ],
    [
      'that waits gets less time',
      { object: { ...running, metadata: going }, options: { gracePeriodSeconds: 5 } },
      { gone: false, written: true, marks: { deletionTimestamp: later(5), deletionGracePeriodSeconds: 5 } },
    ],
    [
      'that waits is removed where no time is wanted',
      { object: { ...running, metadata: going }, options: { gracePeriodSeconds: 0 } },
      { gone: true, kept: false },
    ],
    [
      'that waits and has a finalizer has no time left',
      { object: { ...running, metadata: { ...going, ...finalizer } }, options: { gracePeriodSeconds: 0 } },
      { gone: false, kept: true, marks: { deletionGracePeriodSeconds: 0, ...finalizer } },
    ],
    [
      'ends with a generation more, where it was not marked before',
      { object: { ...running, metadata: { generation: 1 } }, options: { gracePeriodSeconds: 0 } },
      { gone: true, marks: { generation: 2 } },
    ],
    [
      'ends with its generation, where it was marked before',
      { object: { ...running, metadata: { generation: 1, ...going } }, options: { gracePeriodSeconds: 0 } },
      { gone: true, marks: { generation: 1 } },
    ],
  ])('of a Pod: it %s', (_, one, expected) => {
    expect(deleted({ of: pods, ...one })).toMatchObject(expected);
  });

  const marked = { deletionTimestamp: time };
  it.each<readonly [string, Case, object]>([
    [
      'is marked while it has content',
      { object: { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } } },
      { gone: false, marks: { deletionTimestamp: time, deletionGracePeriodSeconds: undefined }, phase: 'Terminating' },
    ],
    [
      'that is marked stays while it has content',
      { object: { metadata: marked, spec: { finalizers: ['kubernetes'] } } },
      { gone: false, written: false },
    ],
    ['that is marked and empty is removed', { object: { metadata: marked } }, { gone: true, kept: false }],
    [
      'that is marked and empty is held by its finalizer',
      { object: { metadata: { ...marked, ...finalizer } } },
      { gone: false, kept: true, marks: { deletionGracePeriodSeconds: 0, ...finalizer } },
    ],
  ])('of a Namespace: it %s', (_, one, expected) => {
    expect(deleted({ of: namespaces, ...one })).toMatchObject(expected);
  });

  it('of an object that does not exist is an error', async () => {
    const server = serverCore();
    const target = server.target('v1', 'configmaps', place);
    const expected = [404, 'configmaps "x" not found'];
    expect(await outcome(() => deleteObjectNow(server.core, target, {}))).toEqual(expected);
    expect(await outcome(() => deleteObject(server.core, target, {}))).toEqual(expected);
  });
});

describe('a DELETE of a client', () => {
  function setting(admission: Admission = openAdmission) {
    const server = serverCore(admission);
    server.put('v1', 'configmaps', { metadata: { ...place, uid: 'u' } });
    return {
      ...server,
      target: server.target('v1', 'configmaps', place),
      now: () => server.core.store.get('/configmaps', 'shop/x'),
    };
  }

  it('is seen by admission, with the object and the options', async () => {
    const seen: unknown[] = [];
    const watch = (_: unknown, request: object) => {
      seen.push(request);
      return Promise.resolve(undefined);
    };
    const { core, target, now } = setting({ mutate: watch, validate: watch });
    await deleteObject(core, target, { gracePeriodSeconds: 5 });
    expect(seen).toHaveLength(2);
    for (const request of seen) {
      expect(request).toMatchObject({
        operation: 'DELETE',
        before: { metadata: { uid: 'u' } },
        options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 5 },
      });
      expect(request).not.toHaveProperty('object');
    }
    expect(now()).toBeUndefined();
  });

  it.each(['mutate', 'validate'] as const)('does not happen where admission rejects it: %s', async (step) => {
    const refusal = new Error('no');
    const { core, target, now } = setting({ ...openAdmission, [step]: () => Promise.reject(refusal) });
    await expect(deleteObject(core, target, {})).rejects.toBe(refusal);
    expect(now()).toBeDefined();
  });

  it('begins again where another write comes between', async () => {
    const seen: unknown[] = [];
    const server = setting({
      ...openAdmission,
      validate: (_, { before }) => {
        seen.push(before?.metadata.labels);
        if (seen.length === 1) server.put('v1', 'configmaps', { metadata: { ...place, uid: 'u', labels: { a: 'b' } } });
        return Promise.resolve();
      },
    });
    expect((await deleteObject(server.core, server.target, {})).gone).toBe(true);
    expect(seen).toEqual([undefined, { a: 'b' }]);
  });

  it.each(['default', 'kube-system', 'kube-public'])('of the Namespace %s is rejected', async (name) => {
    const server = serverCore();
    server.put('v1', 'namespaces', { metadata: { name } });
    expect(await outcome(() => deleteObject(server.core, server.target('v1', 'namespaces', { name }), {}))).toEqual([
      403,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    ]);
  });
});

describe('the finalizers of a policy', () => {
  const both = ['orphan', 'example.org/f', 'foregroundDeletion'];

  it.each<readonly [DeleteOptions, readonly string[]]>([
    [{}, both],
    [{ propagationPolicy: 'Orphan' }, ['example.org/f', 'orphan']],
    [{ propagationPolicy: 'Foreground' }, ['example.org/f', 'foregroundDeletion']],
    [{ propagationPolicy: 'Background' }, ['example.org/f']],
    [{ orphanDependents: true }, ['example.org/f', 'orphan']],
    [{ orphanDependents: false }, ['example.org/f']],
    [{ orphanDependents: false, propagationPolicy: 'Orphan' }, ['example.org/f', 'orphan']],
  ])('%j', (options, expected) => {
    expect(finalizersFor({ name: 'x', finalizers: both }, options)).toEqual(expected);
  });

  it('are none of an object without any', () => {
    expect(finalizersFor({ name: 'x' }, {})).toEqual([]);
  });
});

describe('preconditions', () => {
  const refused = (what: string, how: string) => [
    409,
    `Operation cannot be fulfilled on ConfigMap "x": the ${what}. The object might have been ${how}`,
  ];

  it.each<readonly [DeleteOptions['preconditions'], unknown]>([
    [undefined, undefined],
    [{}, undefined],
    [{ uid: 'u', resourceVersion: '2' }, undefined],
    [
      { uid: 'w' },
      refused('UID in the precondition (w) does not match the UID in record (u)', 'deleted and then recreated'),
    ],
    [
      { resourceVersion: '1' },
      refused('ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2)', 'modified'),
    ],
  ])('%j', async (preconditions, expected) => {
    const server = serverCore();
    const stored = server.put('v1', 'configmaps', { metadata: { ...place, uid: 'u' } });
    const target = server.target('v1', 'configmaps', place);
    const options = preconditions === undefined ? {} : { preconditions };
    expect(await outcome(() => checkPreconditions(target, stored, options))).toEqual(expected);
  });
});
