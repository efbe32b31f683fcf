import { describe, expect, it } from 'vitest';
import { apply } from './apply.ts';
import type { ApplyOptions } from './apply.ts';
import type { JsonObject } from './shape.ts';
import { configMapType } from './testing/config-map-type.ts';

const options: ApplyOptions = {
  manager: 'a',
  time: '2026-01-01T00:00:00Z',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  type: configMapType,
  force: false,
};
const empty: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap' };

/**
 * The messages are those of a kube-apiserver 1.36; its answers to whole applies are in
 * `ownership.test.ts`.
 */
describe('an apply', () => {
  it.each<readonly [JsonObject, number, string]>([
    [{ apiVersion: 'v1', kind: 'Secret' }, 400, 'invalid object type: /v1, Kind=Secret'],
    [{ apiVersion: 'v2', kind: 'ConfigMap' }, 400, 'invalid object type: /v2, Kind=ConfigMap'],
    [{ kind: 'ConfigMap' }, 400, 'invalid object type: /, Kind=ConfigMap'],
    [{ apiVersion: 'v1' }, 400, 'invalid object type: /v1, Kind='],
    [{}, 400, 'invalid object type: /, Kind='],
    [{ apiVersion: 'apps/v1', kind: 'Deployment' }, 400, 'invalid object type: apps/v1, Kind=Deployment'],
    [{ ...empty, metadata: { managedFields: [] } }, 400, 'metadata.managedFields must be nil'],
    [
      { ...empty, metadata: { managedFields: 'x' } },
      500,
      'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.managedFields: expected list, got &{x}',
    ],
    [
      { ...empty, metadata: 'x' },
      500,
      'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata: expected map, got &{x}',
    ],
  ])('of %j is refused with %d', (configuration, code, message) => {
    expect(apply(empty, configuration, options)).toEqual({ kind: 'refused', code, message });
  });

  it('to an object whose managed fields cannot be read is refused', () => {
    const live = { ...empty, metadata: { managedFields: [{ operation: 'Frob' }] } };
    expect(apply(live, empty, options)).toMatchObject({
      code: 500,
      message: 'failed to decode managed fields: operation must be `Apply` or `Update`',
    });
  });

  it('takes keys such as __proto__ and constructor for data', () => {
    const configuration = JSON.parse(
      '{"apiVersion":"v1","kind":"ConfigMap","data":{"__proto__":"x","constructor":"y"}}',
    ) as JsonObject;
    const first = apply(empty, configuration, options);
    expect(first.kind === 'applied' && JSON.stringify(first.object['data'])).toBe(
      '{"__proto__":"x","constructor":"y"}',
    );
    expect(first).toMatchObject({
      managedFields: [{ fieldsV1: { 'f:data': { 'f:__proto__': {}, 'f:constructor': {} } } }],
    });
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('leaves its arguments as they were', () => {
    const live = Object.freeze({ ...empty, data: Object.freeze({ a: '1' }) });
    const configuration = Object.freeze({ ...empty, data: Object.freeze({ b: '2' }) });
    expect(apply(live, configuration, options)).toMatchObject({ object: { data: { a: '1', b: '2' } } });
    expect([live.data, configuration.data]).toEqual([{ a: '1' }, { b: '2' }]);
  });
});
