import fc from 'fast-check';
import type { JsonSchema } from '@isthmus/schema';
import { rulesEngine } from '@isthmus/schema/cel';
import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { checkDefinition } from '../check/check-definition.ts';
import { checkObjects } from './check-objects.ts';
import { fieldOf } from './field-of.ts';
import { findingsOf, plainOptions, schemaWith, widgets, withField } from '../testing/definitions.ts';
import type { VersionParts } from '../testing/definitions.ts';

const text: JsonSchema = { type: 'string' };
const unknownServer = { server: {} };
const ratcheting = { server: { minor: '1.33' } };

function widget(
  name: string,
  spec: object,
  { version = 'v1', ...more }: { readonly version?: string; readonly managedFields?: readonly unknown[] } = {},
): KubernetesObject {
  const object = {
    apiVersion: `example.com/${version}`,
    kind: 'Widget',
    metadata: { namespace: 'ns', name, ...more },
    spec,
  };
  return object;
}

describe('the check of stored objects', () => {
  it('all objects that lack a required field without a default are reported by name', () => {
    const objects = Array.from({ length: 10 }, (_, index) => widget(`w${index}`, index < 3 ? {} : { a: 'x' }));
    const report = checkObjects(withField(text), withField(text, { required: ['a'] }), objects, unknownServer);
    expect(report).toMatchObject({ objects: 10, struck: 3 });
    expect(report.groups).toMatchObject([
      {
        effect: 'blocks-any-write',
        field: 'spec.a',
        message: 'Required value',
        count: 3,
        first: ['ns/w0', 'ns/w1', 'ns/w2'],
      },
    ]);
    const withDefault = withField({ type: 'string', default: 'y' }, { required: ['a'] });
    expect(checkObjects(withField(text), withDefault, objects, unknownServer).groups).toEqual([]);
  });

  it.each([
    ['1.28', 'blocks-any-write'],
    ['1.31', 'blocks-change'],
    [undefined, 'blocks-any-write'],
  ])('a value that the enum lost, on %s: %s', (minor, effect) => {
    const [old, next] = [withField({ type: 'string', enum: ['a', 'b'] }), withField({ type: 'string', enum: ['a'] })];
    const report = checkObjects(old, next, [widget('w', { a: 'b' }), widget('x', { a: 'a' })], { server: { minor } });
    expect(report.groups).toMatchObject([
      { effect, field: 'spec.a', count: 1, first: ['ns/w'], message: 'Unsupported value: supported values: "a"' },
    ]);
  });

  it.each([
    ['1.28', 'blocks-any-write'],
    ['1.36', 'blocks-change'],
  ])('a number that is too large for its format, on %s: %s', (minor, effect) => {
    const [old, next] = [withField({ type: 'integer' }), withField({ type: 'integer', format: 'int32' })];
    const { groups } = checkObjects(old, next, [widget('w', { a: 3e9 })], { server: { minor } });
    expect(groups).toMatchObject([{ effect, field: 'spec.a', count: 1 }]);
  });

  it.each([
    ['1.28', 'self > oldSelf'],
    ['1.36', 'self > oldSelf'],
    ['1.36', 'oldSelf.hasValue() && self > oldSelf.value()'],
  ])(
    'a rule that compares with the old value blocks every write where it does not allow the same, on %s: %s',
    (minor, rule) => {
      const optionalOldSelf = rule.includes('hasValue');
      const [old, next] = [
        withField({ type: 'integer' }),
        withField({ type: 'integer', 'x-kubernetes-validations': [{ rule, optionalOldSelf }] }),
      ];
      const options = { server: { minor }, compileRules: rulesEngine };
      const report = checkObjects(old, next, [widget('w', { a: 1 }), widget('x', {})], options);
      expect(report.groups).toMatchObject([{ effect: 'blocks-any-write', field: 'spec.a', count: 1, first: ['ns/w'] }]);
      const [found] = findingsOf(old, next, { ...options, objects: report });
      expect(found).toMatchObject({ rule: 'F31', severity: 'B', hits: { count: 1, of: 2 } });
      const [unused] = findingsOf(old, next, {
        ...options,
        objects: checkObjects(old, next, [widget('x', {})], options),
      });
      expect(unused).toMatchObject({ rule: 'F31', severity: 'C' });
    },
  );

  it('12 items where 10 are allowed are reported', () => {
    const [old, next] = [
      withField({ type: 'array', items: text }),
      withField({ type: 'array', items: text, maxItems: 10 }),
    ];
    const report = checkObjects(old, next, [widget('w', { a: Array.from({ length: 12 }, () => 'x') })], ratcheting);
    expect(report.groups).toMatchObject([
      { effect: 'blocks-change', field: 'spec.a', message: 'Too many: must have at most 10 items' },
    ]);
  });

  it('a removed field that 2 objects hold is reported as lost data, with the path and its field manager', () => {
    const old = withField(text, { properties: { a: text, b: { type: 'object', properties: { c: text } } } });
    const managedFields = [
      {
        manager: 'kubectl',
        operation: 'Apply',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:a': {} } },
      },
      {
        manager: 'operator',
        operation: 'Update',
        time: '2026-01-02T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:b': { 'f:c': {} } } },
      },
    ];
    const objects = [
      widget('w', { a: 'x', b: { c: 'y' } }, { managedFields }),
      widget('x', { b: {} }),
      widget('y', { a: 'z', odd: 1 }),
    ];
    const report = checkObjects(old, withField(text), objects, ratcheting);
    expect(report).toMatchObject({ objects: 3, struck: 2 });
    expect(report.groups).toMatchObject([
      { effect: 'data-loss', field: 'spec.b', count: 2, first: ['ns/w', 'ns/x'], managers: ['operator'] },
    ]);
    const finding = checkDefinition(old, withField(text), { ...plainOptions, objects: report }).findings[0];
    expect(finding).toMatchObject({ rule: 'F01', severity: 'B', hits: { count: 2, of: 3, first: ['ns/w', 'ns/x'] } });
  });

  it('duplicates where a list becomes a set block even on 1.33', () => {
    const [old, next] = [
      withField({ type: 'array', items: text }),
      withField({ type: 'array', items: text, 'x-kubernetes-list-type': 'set' }),
    ];
    const report = checkObjects(old, next, [widget('w', { a: ['x', 'x'] })], ratcheting);
    expect(report.groups).toMatchObject([{ effect: 'blocks-apply', field: 'spec.a[]', message: 'Duplicate value' }]);
    const finding = checkDefinition(old, next, { ...plainOptions, ...ratcheting, objects: report }).findings[0];
    expect(finding).toMatchObject({ rule: 'F26', severity: 'B', hits: { count: 1 } });
  });

  it('5,000 objects by pages of 500: ten pages, one at a time, every offender counted and five named', async () => {
    const pages: number[] = [];
    let held = 0;
    let most = 0;
    async function* source() {
      for (let page = 0; page < 10; page++) {
        pages.push(page);
        const objects = Array.from({ length: 500 }, (_, index) =>
          widget(`w${String(page * 500 + index).padStart(4, '0')}`, { a: 1 }),
        );
        held += 1;
        most = Math.max(most, held);
        yield* objects;
        held -= 1;
      }
    }
    const report = await checkObjects(withField({ type: 'integer' }), withField(text), source(), ratcheting);
    expect(pages).toHaveLength(10);
    expect(most).toBe(1);
    expect(report).toMatchObject({ objects: 5000, struck: 5000 });
    expect(report.groups).toHaveLength(1);
    expect(report.groups[0]).toMatchObject({
      count: 5000,
      first: ['ns/w0000', 'ns/w0001', 'ns/w0002', 'ns/w0003', 'ns/w0004'],
    });
  });

  it('keeps a bounded number of groups, whatever keys objects hold', () => {
    const open = withField({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
    const objects = Array.from({ length: 1500 }, (_, index) => widget(`w${index}`, { a: { [`key${index}`]: 1 } }));
    const report = checkObjects(open, withField({ type: 'object' }), objects, ratcheting);
    expect(report.groups.length).toBe(1001);
    expect(report.groups.reduce((sum, { count }) => sum + count, 0)).toBe(1500);
  });

  it.each([
    ['failed rule: self.isRight()', 'blocks-change'],
    ["type conversion error from 'string' to 'int' evaluating rule: int(self) > 1", 'blocks-any-write'],
  ])(
    'a rule blocks every write where it cannot be evaluated, and a change of its part where it is broken: %s',
    (detail, effect) => {
      const error = { path: 'spec.a', type: 'Invalid' as const, value: 'string', detail };
      const compileRules = () => ({ problems: [], judge: () => ({ errors: [error], forgiven: [] }) });
      const report = checkObjects(withField(text), withField(text), [widget('w', { a: 'x' })], {
        ...ratcheting,
        compileRules,
      });
      expect(report.groups.map((group) => group.effect)).toEqual([effect]);
    },
  );

  it('shows no values: neither of fields nor in messages that rules make', () => {
    const secret = 'hunter2';
    const compileRules = () => ({
      problems: [],
      judge: () => ({
        errors: [{ path: 'spec.a', type: 'Invalid' as const, value: secret, detail: `not ${secret}` }],
        forgiven: [],
      }),
    });
    const next = withField({ type: 'string', pattern: '^x$' });
    const report = checkObjects(withField(text), next, [widget('w', { a: secret })], { ...ratcheting, compileRules });
    expect(report.groups.map(({ message }) => message)).toHaveLength(2);
    expect(JSON.stringify(report)).not.toContain(secret);
  });

  it.each([
    ['a format', { type: 'string', format: 'ipv4' }, 'hunter2', 'spec.a in body must be of type ipv4'],
    ['a type', { type: 'integer' }, 'hunter2', 'spec.a in body must be of type integer: "string"'],
    [
      'the version of an object within the object',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      { apiVersion: 'hun/ter2/hunter2', kind: 'A' },
      'unexpected GroupVersion string',
    ],
  ] as const satisfies readonly (readonly [string, JsonSchema, unknown, string])[])(
    'shows no value where it is refused for %s',
    (_, schema, value, message) => {
      const report = checkObjects(undefined, withField(schema), [widget('w', { a: value })], ratcheting);
      expect(report.groups.map((group) => group.message)).toEqual([`Invalid value: ${message}`]);
    },
  );

  it('holds what it finds at a field against the rules that it may come of, and against no other', () => {
    const change = (a: JsonSchema, b: JsonSchema, spec: JsonSchema = {}) => [withField(a), withField(b, spec)] as const;
    const hits = ([old, next]: ReturnType<typeof change>, a: unknown) => {
      const report = checkObjects(old, next, [widget('w', a === undefined ? {} : { a })], unknownServer);
      const { findings } = checkDefinition(old, next, { ...plainOptions, objects: report });
      return Object.fromEntries(
        findings.flatMap((one) => (one.hits === undefined ? [] : [[one.rule, one.hits.count]])),
      );
    };
    const both = change({ type: 'string', enum: ['a', 'b'] }, { type: 'string', enum: ['a'] }, { required: ['a'] });
    expect(hits(both, 'b')).toEqual({ F05: 0, F09: 1 });
    expect(hits(both, undefined)).toEqual({ F05: 1, F09: 0 });
    const limits = change({ type: 'integer' }, { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 });
    expect(hits(limits, 0)).toEqual({ F11: 1, F12: 0, F13: 0 });
    expect(hits(limits, 10)).toEqual({ F11: 0, F12: 1, F13: 0 });
    expect(hits(limits, 3)).toEqual({ F11: 0, F12: 0, F13: 1 });
    const lists = change(
      { type: 'array', items: text },
      { type: 'array', items: { type: 'string', pattern: '^a' }, maxItems: 2, 'x-kubernetes-list-type': 'set' },
    );
    expect(hits(lists, ['ab', 'ac', 'ad'])).toEqual({ F12: 1, F14: 0, F26: 0 });
    expect(hits(lists, ['ab', 'ab'])).toEqual({ F12: 0, F14: 0, F26: 1 });
    expect(hits(lists, ['x'])).toEqual({ F12: 0, F14: 1, F26: 0 });
    const widths = change({ type: 'integer' }, { type: 'integer', format: 'int32' });
    expect(hits(widths, 2 ** 31)).toEqual({ F16: 1 });
    expect(hits(widths, 1)).toEqual({ F16: 0 });
  });

  it('reports the keys of a map that becomes something else as one field', () => {
    const old = withField({ type: 'object', additionalProperties: text });
    const objects = ['x', 'y', 'z'].map((key) => widget(key, { a: { [key]: '1' } }));
    const report = checkObjects(old, withField({ type: 'object', properties: { p: text } }), objects, ratcheting);
    expect(report.groups.map(({ field, count }) => [field, count])).toEqual([['spec.a[*]', 3]]);
  });

  it('names an object once among the first, however often it is given', () => {
    const report = checkObjects(undefined, withField(text), [widget('w', { a: 1 }), widget('w', { a: 1 })], ratcheting);
    expect(report.groups).toMatchObject([{ count: 2, first: ['ns/w'] }]);
  });

  it('distinguishes defaults from what is missing, and drops null where a default takes its place', () => {
    const next = withField({ type: 'string', default: 'x' });
    expect(
      checkObjects(withField({ type: 'string', nullable: true }), next, [widget('w', { a: null })], ratcheting).groups,
    ).toEqual([]);
  });

  it('asks for apiVersion and kind of objects within an object, with every write', () => {
    const open: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const next = withField({ ...open, 'x-kubernetes-embedded-resource': true });
    const report = checkObjects(withField(open), next, [widget('w', { a: { kind: 'Pod' } })], ratcheting);
    expect(report.groups).toMatchObject([{ effect: 'blocks-any-write', field: 'spec.a.apiVersion' }]);
  });

  it('judges by conversion None at the new storage version too, and not where the old CRD did not serve it (but for what is pruned)', () => {
    const [v1, v2] = [
      { name: 'v1', schema: schemaWith({ a: text, b: text }) },
      { name: 'v2', schema: schemaWith({ a: { type: 'integer' } }) },
    ];
    const object = widget('w', { a: 'x', b: 'y' });
    const effects = (old: readonly VersionParts[]) =>
      checkObjects(widgets(old), widgets([v2, v1]), [object], ratcheting).groups.map(({ version, effect, field }) => [
        version,
        effect,
        field,
      ]);
    expect(effects([v1, v2])).toEqual([
      ['v2', 'blocks-change', 'spec.a'],
      ['v2', 'data-loss', 'spec.b'],
    ]);
    expect(effects([v1])).toEqual([['v2', 'data-loss', 'spec.b']]);
  });

  it('judges by conversion None at all versions that both serve, and reports there only what the old schema did not reject', () => {
    const versions = (b: JsonSchema) => [
      { name: 'v1', schema: schemaWith({ a: text, b: text }) },
      { name: 'v2', schema: schemaWith({ a: { type: 'integer' }, b }) },
    ];
    const next = widgets(versions({ type: 'string', maxLength: 1 }));
    const report = checkObjects(widgets(versions(text)), next, [widget('w', { a: 'x', b: 'yy' })], ratcheting);
    expect(report.groups.map(({ version, field }) => [version, field])).toEqual([['v2', 'spec.b']]);
    expect(report.judged).toEqual([
      { version: 'v1', objects: 1 },
      { version: 'v2', objects: 1 },
    ]);
  });

  it.each([
    [['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'], 'first'],
    [['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'], 'second'],
  ] as const)('names the later of two writers of a field: %j', ([first, second], manager) => {
    const entry = (name: string, time: string) => ({ manager: name, time, fieldsV1: { 'f:spec': { 'f:a': {} } } });
    const managedFields = [entry('first', first), entry('second', second)];
    const report = checkObjects(
      undefined,
      withField({ type: 'integer' }),
      [widget('w', { a: 'x' }, { managedFields })],
      ratcheting,
    );
    expect(report.groups).toMatchObject([{ managers: [manager] }]);
  });

  it('reports that a webhook cannot be asked', () => {
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] },
    };
    const versions = [{ name: 'v1' }, { name: 'v2' }];
    const old = widgets(versions, { conversion });
    const next = widgets(versions.toReversed(), { conversion });
    expect(checkObjects(old, next, [widget('w', {})], ratcheting)).toMatchObject({
      struck: 0,
      groups: [{ effect: 'unknown-conversion' }],
    });
    expect(checkObjects(old, old, [widget('w', {})], ratcheting).groups).toEqual([]);
  });

  it('reports where no version is left by which an object can be read', () => {
    const report = checkObjects(widgets([{ name: 'v1' }]), widgets([{ name: 'v2' }]), [widget('w', {})], ratcheting);
    expect(report.groups.map(({ effect }) => effect)).toEqual(['read-breaks']);
  });

  it('passes over objects of other kinds', () => {
    const other: KubernetesObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
    expect(checkObjects(undefined, withField(text), [other], ratcheting)).toEqual({
      crd: 'widgets.example.com',
      objects: 0,
      struck: 0,
      judged: [],
      groups: [],
      users: [],
    });
  });

  it('judges whatever an object holds, and whatever managers it names', () => {
    const old = withField(text, { 'x-kubernetes-preserve-unknown-fields': true });
    const next = withField({
      type: 'array',
      items: { type: 'object', additionalProperties: text },
      'x-kubernetes-list-type': 'set',
    });
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (spec, managedFields) => {
        const report = checkObjects(old, next, [widget('w', spec as object, { managedFields })], ratcheting);
        expect(report.objects).toBe(1);
        expect(report.groups.every(({ count }) => count === 1)).toBe(true);
      }),
    );
  });

  it('writes fields without indexes and keys, and reads any path', () => {
    const schema: JsonSchema = { properties: { m: { additionalProperties: { properties: { l: { items: text } } } } } };
    expect(fieldOf('m.x.y.l[3]', schema, { m: { 'x.y': { l: [] } } })).toBe('m[*].l[]');
    expect(fieldOf('n[0].b', schema, { n: [{ b: 1 }] })).toBe('n[].b');
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (path, value) => typeof fieldOf(path, schema, value) === 'string'),
    );
  });
});
