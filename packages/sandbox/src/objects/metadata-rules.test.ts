import type { FieldError } from '@isthmus/schema';
import type { ObjectMeta } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { builtInResources } from '../builtin/built-in-resources.ts';
import type { Stored } from '../store/stored.ts';
import { metadataErrors, metadataUpdateErrors, updatedMetadata } from './metadata-rules.ts';

function resourceOf(kind: string) {
  const found = builtInResources.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no built-in kind ${kind}`);
  return found;
}
const object = (metadata: object): Stored => ({ apiVersion: 'v1', kind: 'X', metadata: metadata as ObjectMeta });
const shown = (errors: readonly FieldError[]) => errors.map(({ path, type }) => `${path} ${type}`);

describe('the metadata of a new object', () => {
  const named = { name: 'a', namespace: 'shop' };

  it.each<readonly [string, object, readonly string[]]>([
    ['ConfigMap', named, []],
    ['ConfigMap', { name: '', namespace: 'shop' }, ['metadata.name Required']],
    ['ConfigMap', { name: 'A_', namespace: 'shop' }, ['metadata.name Invalid']],
    ['ConfigMap', { name: 'a', generateName: 'A_', namespace: 'shop' }, ['metadata.generateName Invalid']],
    [
      'ConfigMap',
      { name: '', generateName: 'A_', namespace: 'shop' },
      ['metadata.generateName Invalid', 'metadata.name Required'],
    ],
    ['ConfigMap', { ...named, finalizers: ['mine'] }, ['metadata.finalizers[0] Invalid']],
    ['ConfigMap', { ...named, finalizers: ['orphan', 'example.io/mine'] }, []],
    ['Lease', { ...named, finalizers: ['mine'] }, []],
    ['Event', { ...named, finalizers: ['mine'] }, []],
    ['ConfigMap', { ...named, labels: { a: '*' } }, ['metadata.labels Invalid']],
    ['ConfigMap', { name: 'a' }, ['metadata.namespace Required']],
    ['Namespace', named, ['metadata.namespace Forbidden']],
  ])('of a %s %j has the errors %j', (kind, metadata, errors) => {
    expect(shown(metadataErrors(resourceOf(kind), object(metadata)))).toEqual(errors);
  });
});

describe('the metadata of an update', () => {
  const before: ObjectMeta = {
    name: 'a',
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '5',
    generation: 2,
    creationTimestamp: '2026-11-21T00:00:00Z',
    labels: { old: 'yes' },
  };
  const deleted: ObjectMeta = {
    ...before,
    deletionTimestamp: '2026-11-21T00:01:00Z',
    deletionGracePeriodSeconds: 30,
  };

  it.each<readonly [string, ObjectMeta, ObjectMeta, ObjectMeta]>([
    [
      'keeps what the server sets, and drops labels that are left out',
      before,
      { name: 'a' },
      { ...withoutLabels(before), name: 'a' },
    ],
    [
      'does not take these fields from the client',
      before,
      { ...before, generation: 9, creationTimestamp: '2020-01-01T00:00:00Z', resourceVersion: '1' },
      before,
    ],
    [
      'takes the uid and the Namespace for the checks that follow',
      before,
      { name: 'a', namespace: 'bank', uid: 'other' },
      { ...withoutLabels(before), uid: 'other' },
    ],
    ['takes an empty uid for none', before, { name: 'a', uid: '' }, withoutLabels(before)],
    ['keeps the deletion', deleted, { name: 'a' }, withoutLabels(deleted)],
    [
      'keeps the time of the deletion, and takes its grace period for the checks that follow',
      deleted,
      { name: 'a', deletionTimestamp: '2026-11-21T09:00:00Z', deletionGracePeriodSeconds: 5 },
      { ...withoutLabels(deleted), deletionGracePeriodSeconds: 5 },
    ],
    [
      'drops the Namespace of a body for a cluster-wide kind',
      { name: 'a', uid: 'u' },
      { name: 'a', namespace: 'shop' },
      { name: 'a', uid: 'u' },
    ],
  ])('%s', (_, had, given, expected) => {
    expect(updatedMetadata(had, given)).toEqual(expected);
  });

  it.each(['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)(
    'cannot change %s',
    (field) => {
      const change = {
        [field]: field === 'deletionGracePeriodSeconds' ? 9 : field === 'deletionTimestamp' ? 'x' : 'b',
      };
      const errors = metadataUpdateErrors(
        { resource: resourceOf('EndpointSlice'), subresource: undefined },
        object(before),
        object({ ...before, ...change }),
      );
      expect(errors.filter(({ detail }) => detail === 'field is immutable').map(({ path }) => path)).toEqual([
        `metadata.${field}`,
      ]);
    },
  );

  it('cannot add finalizers to an object that is deleted, but may remove them', () => {
    const update = (had: readonly string[], given: readonly string[]) =>
      metadataUpdateErrors(
        { resource: resourceOf('EndpointSlice'), subresource: undefined },
        object({ ...deleted, finalizers: had }),
        object({ ...deleted, finalizers: given }),
      );
    expect(update(['a/x'], ['a/x', 'a/y', 'a/z'])).toEqual([
      {
        path: 'metadata.finalizers',
        type: 'Forbidden',
        value: '',
        detail:
          'no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/y", "a/z"}',
      },
    ]);
    expect(update(['a/x', 'a/y'], ['a/x'])).toEqual([]);
  });

  it.each<readonly [string, string | undefined, readonly string[]]>([
    ['EndpointSlice', undefined, ['labels', 'uid', 'labels']],
    ['ConfigMap', undefined, ['labels', 'uid', 'labels', 'uid', 'labels', 'finalizers[0]']],
    ['Lease', undefined, ['labels', 'uid', 'labels', 'uid', 'labels']],
    [
      'RoleBinding',
      undefined,
      ['labels', 'uid', 'labels', 'labels', 'finalizers[0]', 'uid', 'labels', 'finalizers[0]'],
    ],
    ['Role', 'status', ['labels', 'uid', 'labels', 'uid', 'labels', 'finalizers[0]']],
  ])('of a %s (subresource %s) reports the errors in the order of the real server', (kind, subresource, order) => {
    const next = { ...before, uid: 'other', labels: { a: '*' }, finalizers: ['mine'] };
    const target = { resource: resourceOf(kind), subresource };
    const errors = metadataUpdateErrors(target, object(before), object(next));
    expect(errors.map(({ path }) => path.replace('metadata.', ''))).toEqual(order);
  });
});

function withoutLabels({ labels: _labels, ...metadata }: ObjectMeta): ObjectMeta {
  return metadata;
}
