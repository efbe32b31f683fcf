import { describe, expect, it } from 'vitest';
import type { WriteTarget } from '../core/target.ts';
import type { Stored } from '../store/stored.ts';
import { outcome, serverCore } from '../testing/server-core.ts';
import { changeOfPatch, patchObject, unknownFormat } from './patch.ts';

const place = { name: 'x', namespace: 'shop' };
const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;
const before = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...place, labels: { a: '1' } },
  data: { k: 'v' },
} as unknown as Stored;

/** The result of a patch, or the rejection; with the warnings of the target. */
async function patched(type: string, body: unknown, more: Partial<WriteTarget> = {}, object: Stored = before) {
  const server = serverCore();
  const target = server.target(object.apiVersion, object.kind === 'ConfigMap' ? 'configmaps' : 'services', place, more);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { method: 'PATCH', path: '/x', headers: { 'content-type': type }, body: text } as const;
  const result = await outcome(() => changeOfPatch(target, request)(object));
  return { result, warnings: target.warnings };
}
const resultOf = async (...given: Parameters<typeof patched>) => (await patched(...given)).result;
const data = async (...given: Parameters<typeof patched>) => {
  const result = await resultOf(...given);
  return Array.isArray(result) ? result : (result as Stored)['data'];
};
const invalidPatch = (shown: string, why: string) => [
  422,
  ` "" is invalid: patch: Invalid value: ${JSON.stringify(shown)}: ${why}`,
];

describe('a patch of any type', () => {
  it.each<readonly [string, unknown, object]>([
    [types.json, [{ op: 'add', path: '/data/l', value: 'w' }], { k: 'v', l: 'w' }],
    [`${types.json}; charset=utf-8`, [{ op: 'replace', path: '/data/k', value: 'w' }], { k: 'w' }],
    [types.merge, { data: { k: null, l: 'w' } }, { l: 'w' }],
    [types.strategic, { data: { l: 'w' } }, { k: 'v', l: 'w' }],
  ])('%s changes the object', async (type, body, expected) => {
    expect(await data(type, body)).toEqual(expected);
  });

  it.each([types.json, types.merge, types.strategic])('%s cannot change the name', async (type) => {
    const body =
      type === types.json ? [{ op: 'replace', path: '/metadata/name', value: 'y' }] : { metadata: { name: 'y' } };
    expect(await resultOf(type, body)).toEqual([
      400,
      'the name of the object (y) does not match the name on the URL (x)',
    ]);
  });

  it.each(['', 'text/plain', 'application/json'])('%j is not a type of patches', async (type) => {
    const { core, target } = serverCore();
    const request = { method: 'PATCH', path: '/x', headers: { 'content-type': type }, body: '{}' } as const;
    const at = target('v1', 'configmaps', place);
    expect(await outcome(() => patchObject(core, at, request))).toEqual([415, '415: Unsupported Media Type']);
    expect(await outcome(() => changeOfPatch(at, { method: 'PATCH', path: '/x' }))).toEqual([
      415,
      '415: Unsupported Media Type',
    ]);
  });

  it.each<readonly [string, readonly [number, string]]>([
    [types.json, [400, 'error decoding patch: unexpected end of JSON input']],
    [types.merge, [400, 'error decoding patch: unexpected end of JSON input']],
    [types.strategic, [400, 'unexpected end of JSON input']],
  ])('%s must be JSON', async (type, expected) => {
    expect(await resultOf(type, '{')).toEqual(expected);
  });

  it.each<readonly [string, unknown, unknown]>([
    [types.merge, null, [400, 'Invalid JSON Patch']],
    [
      types.merge,
      [],
      [400, 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ],
    [
      types.merge,
      true,
      [400, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
    ],
    [
      types.merge,
      5,
      [400, 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}'],
    ],
    [types.strategic, 'null', before],
    [types.strategic, [], [400, 'json: cannot unmarshal array into Go value of type map[string]interface {}']],
    [types.strategic, '"x"', [400, 'json: cannot unmarshal string into Go value of type map[string]interface {}']],
  ])('%s of %j: a patch must be an object', async (type, body, expected) => {
    expect(await resultOf(type, body)).toEqual(expected);
  });

  it.each([types.json, types.merge, types.strategic])('%s cannot be forced, as it never conflicts', async (type) => {
    const { core, target } = serverCore();
    const request = {
      method: 'PATCH',
      path: '/x',
      headers: { 'content-type': type },
      query: { force: 'true' },
      body: '{}',
    } as const;
    expect(await outcome(() => patchObject(core, target('v1', 'configmaps', place), request))).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ]);
  });
});

it('a patch that is not forced changes the stored object', async () => {
  const { core, target, put } = serverCore();
  put('v1', 'configmaps', { metadata: { ...place, uid: 'u' }, data: { k: 'v' } });
  const headers = { 'content-type': types.merge };
  const request = { method: 'PATCH', path: '/x', headers, body: JSON.stringify({ data: { l: 'w' } }) } as const;
  const { object } = await patchObject(core, target('v1', 'configmaps', place), request);
  expect(object['data']).toEqual({ k: 'v', l: 'w' });
  expect(core.store.get('/configmaps', 'shop/x')?.['data']).toEqual({ k: 'v', l: 'w' });
});

describe('the kind in a patch', () => {
  it.each<readonly [string, object, unknown]>([
    ['may be removed', { apiVersion: null, kind: null }, { k: 'v' }],
    ['may be the same', { apiVersion: 'v1', kind: 'ConfigMap' }, { k: 'v' }],
    ['may not be another', { kind: 'Secret' }, [422, expect.stringContaining('no kind')]],
    ['may not be of another version', { apiVersion: 'v2' }, [422, expect.stringContaining('no kind')]],
    ['may not be a number', { kind: 5 }, [422, expect.stringContaining('cannot unmarshal number')]],
  ])('%s', async (_, body, expected) => {
    const result = await data(types.merge, body);
    if (!Array.isArray(expected)) expect(result).toEqual(expected);
    else expect(result).toMatchObject(expected);
  });
});

describe('what is not known of a patch', () => {
  const unknown = { data: { k: 'v' }, odd: 1 };
  const twice = '{"data":{"k":"v"},"data":{"k":"w"}}';

  it.each<readonly [string, unknown, 'Ignore' | 'Warn' | 'Strict', readonly string[], unknown]>([
    [types.merge, unknown, 'Ignore', [], undefined],
    [types.merge, unknown, 'Warn', ['unknown field "odd"'], undefined],
    [types.merge, unknown, 'Strict', [], [422, expect.stringContaining('strict decoding error: unknown field "odd"')]],
    [types.merge, twice, 'Warn', ['duplicate field "data"'], undefined],
    [types.merge, twice, 'Strict', [], [400, 'error decoding patch: strict decoding error: duplicate field "data"']],
    [types.strategic, unknown, 'Warn', ['unknown field "odd"'], undefined],
    [
      types.strategic,
      unknown,
      'Strict',
      [],
      [422, expect.stringContaining('strict decoding error: unknown field "odd"')],
    ],
    [types.json, [{ op: 'test', path: '/kind', value: 'ConfigMap', odd: 1 }], 'Ignore', [], undefined],
    [
      types.json,
      [{ op: 'test', path: '/kind', value: 'ConfigMap', odd: 1 }],
      'Strict',
      [],
      [400, 'error decoding patch: strict decoding error: json patch unknown field "[0].odd"'],
    ],
  ])('%s of %j, where it is asked to %s', async (type, body, fieldValidation, warnings, rejected) => {
    const { result, warnings: told } = await patched(type, body, { fieldValidation });
    expect(told).toEqual(warnings);
    if (rejected === undefined) expect(result).toMatchObject({ kind: 'ConfigMap' });
    else expect(result).toEqual(rejected);
  });
});

describe('a patch that leaves no object of the kind', () => {
  it('shows the whole object, with sorted keys, where it is merged into JSON', async () => {
    const [code, message] = (await resultOf(types.merge, { data: 5 })) as readonly [number, string];
    expect(code).toBe(422);
    const shown = JSON.stringify({ apiVersion: 'v1', data: 5, kind: 'ConfigMap', metadata: before.metadata });
    expect(message).toContain(JSON.stringify(shown).slice(1, -3));
    expect(message).toContain(
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string',
    );
  });

  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: place,
    spec: { type: 'ClusterIP', ports: [{ port: 80 }], publishNotReadyAddresses: false },
  } as unknown as Stored;
  it.each<readonly [object, string, string]>([
    [{ spec: { selector: 5 } }, 'map[spec:map[selector:5]]', 'cannot restore map from int64'],
    [{ spec: { selector: 'a' } }, 'map[spec:map[selector:a]]', 'cannot restore map from string'],
    [{ spec: { externalIPs: 'a' } }, 'map[spec:map[externalIPs:a]]', 'cannot restore slice from string'],
    [{ spec: { type: 5 } }, 'map[spec:map[type:5]]', 'cannot convert int64 to v1.ServiceType'],
    [{ spec: { type: 1.5 } }, 'map[spec:map[type:1.5]]', 'unrecognized type: string'],
    [{ spec: { type: true } }, 'map[spec:map[type:true]]', 'unrecognized type: string'],
    [{ spec: { type: [] } }, 'map[spec:map[type:[]]]', 'unrecognized type: string'],
    [{ spec: { type: {} } }, 'map[spec:map[type:map[]]]', 'unrecognized type: string'],
    [
      { spec: { publishNotReadyAddresses: 'x' } },
      'map[spec:map[publishNotReadyAddresses:x]]',
      'unrecognized type: bool',
    ],
    [{ spec: { healthCheckNodePort: 'x' } }, 'map[spec:map[healthCheckNodePort:x]]', 'unrecognized type: int32'],
    [
      { spec: { healthCheckNodePort: 1.5 } },
      'map[spec:map[healthCheckNodePort:1.5]]',
      'cannot convert float64 to int32',
    ],
    [{ spec: { healthCheckNodePort: true } }, 'map[spec:map[healthCheckNodePort:true]]', 'unrecognized type: int32'],
    [{ spec: { publishNotReadyAddresses: 5 } }, 'map[spec:map[publishNotReadyAddresses:5]]', 'unrecognized type: bool'],
    [
      { spec: { publishNotReadyAddresses: [] } },
      'map[spec:map[publishNotReadyAddresses:[]]]',
      'unrecognized type: bool',
    ],
    [{ spec: 'x' }, 'map[spec:x]', 'cannot restore struct from: string'],
    [{ spec: [] }, 'map[spec:[]]', 'cannot restore struct from: slice'],
    [{ spec: 5 }, 'map[spec:5]', 'cannot restore struct from: int64'],
    [
      { spec: { b: null, a: ['x', 1], selector: 5 } },
      'map[spec:map[a:[x 1] b:<nil> selector:5]]',
      'cannot restore map from int64',
    ],
  ])('%j shows itself as a Go map, where it is merged into the struct', async (body, shown, why) => {
    const [code, message] = (await resultOf(types.strategic, body, {}, service)) as readonly [number, string];
    expect([code, message]).toEqual(invalidPatch(shown, why));
  });

  it.each<readonly [string, unknown, unknown]>([
    ['is no list', {}, [400, expect.stringContaining('cannot unmarshal')]],
    ['does not apply', [{ op: 'test', path: '/kind', value: 'Secret' }], [422, expect.stringContaining('')]],
  ])('in JSON %s', async (_, body, expected) => {
    expect(await resultOf(types.json, body)).toMatchObject(expected as object);
  });
});

describe('the types of patches', () => {
  const all =
    'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml';
  it.each<readonly ['built-in' | 'custom', string]>([
    ['built-in', all],
    ['custom', all.replace('application/strategic-merge-patch+json, ', '')],
  ])('of a %s kind are listed', (origin, list) => {
    const at = serverCore().target('v1', 'configmaps', place);
    expect(unknownFormat({ ...at, resource: { ...at.resource, origin } }).message).toBe(
      `the body of the request was in an unknown format - accepted media types include: ${list}`,
    );
  });

  it('of a custom kind have no strategic merge', async () => {
    const at = serverCore().target('v1', 'configmaps', place);
    const custom = { ...at, resource: { ...at.resource, origin: 'custom' as const } };
    const request = { method: 'PATCH', path: '/x', headers: { 'content-type': types.strategic }, body: '{}' } as const;
    expect(await outcome(() => changeOfPatch(custom, request))).toEqual([415, unknownFormat(custom).message]);
  });
});
