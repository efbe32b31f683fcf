import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '@isthmus/schema';
import { apply } from './apply.ts';
import type { ApplyOptions, ApplyResult } from './apply.ts';
import type { ManagedFieldsEntry } from './managers.ts';
import type { JsonObject } from './shape.ts';
import { trackUpdate, withManagedFields } from './track-update.ts';
import { typeOfSchema } from '../typed/type-of-schema.ts';

/**
 * A resource whose definition changes while objects exist: lists and maps become atomic, then its
 * older version is no longer served. Every expectation is the answer of a kube-apiserver 1.36 to
 * the same requests.
 */
describe('ownership when the definition of a resource changes', () => {
  const schemaOf = (form: 'granular' | 'atomic'): JsonSchema => ({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          m: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': form },
          s: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'string' } },
            'x-kubernetes-map-type': form,
          },
          l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': form === 'atomic' ? form : 'set' },
          n: { type: 'integer' },
        },
      },
    },
  });
  const entry = (manager: string, apiVersion: string, spec: JsonObject): ManagedFieldsEntry => ({
    manager,
    operation: manager === 'u' || manager === 'w' ? 'Update' : 'Apply',
    apiVersion,
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': spec as NonNullable<ManagedFieldsEntry['fieldsV1']> },
  });
  const granularEntries = [
    entry('a', 'g/v0', { 'f:l': { 'v:"x"': {} }, 'f:m': { 'f:k': {} }, 'f:n': {}, 'f:s': { 'f:a': {} } }),
    entry('b', 'g/v1', { 'f:l': { 'v:"y"': {} }, 'f:m': { 'f:k2': {} }, 'f:s': { 'f:b': {} } }),
    entry('u', 'g/v0', { 'f:m': { 'f:k3': {} } }),
  ];
  const spec = { l: ['x', 'y'], m: { k: 'v', k2: 'v', k3: 'w' }, n: 1, s: { a: '1', b: '1' } };
  const live = withManagedFields(
    { apiVersion: 'g/v1', kind: 'Ver', metadata: { name: 'x', uid: 'u' }, spec },
    granularEntries,
  );
  const optionsOf = (manager: string, served: readonly string[]): ApplyOptions => {
    const type = typeOfSchema(schemaOf('atomic'), { isResourceRoot: true });
    return {
      manager,
      time: '2026-01-01T00:00:00Z',
      apiVersion: 'g/v1',
      kind: 'Ver',
      type,
      force: false,
      isCustomResource: true,
      versions: {
        typeOf: (version) => (served.includes(version) ? type : undefined),
        convert: (object, apiVersion) => ({ ...object, apiVersion }),
      },
    };
  };
  const configuration = (applied: JsonObject): JsonObject => ({
    apiVersion: 'g/v1',
    kind: 'Ver',
    metadata: { name: 'x' },
    spec: applied,
  });
  const messageOf = (result: ApplyResult) => {
    return result.kind === 'conflicts'
      ? result.failure.message
      : result.kind === 'refused'
        ? result.message
        : 'applied';
  };

  it('gives the whole of what became atomic to all who owned a part', () => {
    const after = { ...live, spec: { ...spec, n: 2 } };
    expect(trackUpdate(live, after, optionsOf('w', ['g/v0', 'g/v1']))).toEqual([
      entry('a', 'g/v0', { 'f:l': {}, 'f:m': {}, 'f:s': {} }),
      entry('b', 'g/v1', { 'f:l': {}, 'f:m': {}, 'f:s': {} }),
      entry('u', 'g/v0', { 'f:m': {} }),
      entry('w', 'g/v1', { 'f:n': {} }),
    ]);
  });

  it('makes an apply of the whole a conflict with them', () => {
    const options = optionsOf('b', ['g/v0', 'g/v1']);
    expect(messageOf(apply(live, configuration({ m: { k2: 'v' } }), options))).toBe(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.m\nconflicts with "u" using g/v0:\n- .spec.m',
    );
    expect(apply(live, configuration({ m: { k2: 'v' } }), { ...options, force: true })).toMatchObject({
      object: { spec: { l: ['x', 'y'], m: { k2: 'v' }, n: 1, s: { a: '1', b: '1' } } },
      managedFields: [entry('a', 'g/v0', { 'f:l': {}, 'f:n': {}, 'f:s': {} }), entry('b', 'g/v1', { 'f:m': {} })],
    });
  });

  it('refuses to apply to a custom resource while an entry is of a version that is gone', () => {
    const result = apply(live, configuration({ n: 5 }), optionsOf('b', ['g/v1']));
    expect(result).toEqual({
      kind: 'refused',
      code: 500,
      message: 'request to convert CR to an invalid group/version: g/v0',
    });
  });

  it('drops all entries of a custom resource at an update while one is of a version that is gone', () => {
    const after = { ...live, spec: { ...spec, n: 3 } };
    expect(trackUpdate(live, after, optionsOf('w', ['g/v1']))).toBeUndefined();
  });
});
