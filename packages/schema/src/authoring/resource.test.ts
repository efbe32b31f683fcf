import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ObjectMeta, ObjectOf, ResourceType } from '@isthmus/machinery';
import { s } from './authoring.ts';
import { compileResource } from './compile-resource.ts';
import { compilePattern } from '../pattern/pattern.ts';
import { defineConfigKind } from './config-kind.ts';
import { crdOf } from './crd.ts';
import { formatFieldError } from '../field-error.ts';
import { ageColumn, column, defineResource } from './resource.ts';

const spec = s.object({
  size: s.int32().min(1),
  tags: s.setOf(s.string()).optional(),
  colour: s.oneOf('red', 'blue').default('red'),
});
const widgets = defineResource({
  group: 'example.com',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['wd'],
  scope: 'Namespaced',
  docs: 'A widget.',
  labels: { app: 'widgets' },
  versions: [
    {
      name: 'v1',
      deprecationWarning: 'use v2',
      schema: s.object({ size: s.string().optional() }),
      columns: [ageColumn],
    },
    {
      name: 'v2',
      storage: true,
      schema: s.object({ spec: spec.optional(), status: s.object({ used: s.int32().min(0) }).optional() }),
      columns: [column('Size', '.spec.size', { type: 'integer' }), ageColumn],
      status: true,
    },
  ],
});
const Widget = widgets.version('v2');
type Widget = ObjectOf<typeof Widget>;

const widget = (fields: object): unknown => ({
  apiVersion: 'example.com/v2',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'b' },
  ...fields,
});

describe('a resource defined once', () => {
  it('gives per version a resource type with the type of its objects', () => {
    expectTypeOf(Widget).toExtend<ResourceType<Widget>>();
    expectTypeOf<Widget['metadata']>().toEqualTypeOf<ObjectMeta>();
    expectTypeOf<Widget['spec']>().toEqualTypeOf<
      | {
          readonly size: number;
          readonly tags?: readonly string[] | undefined;
          readonly colour?: 'red' | 'blue' | undefined;
        }
      | undefined
    >();
    expectTypeOf<ObjectOf<ReturnType<typeof old>>['size']>().toEqualTypeOf<string | undefined>();
    function old() {
      return widgets.version('v1');
    }
    // @ts-expect-error there is no such version
    expect(() => widgets.version('v3')).toThrow('Widget has no version v3; it has v1, v2');
    expect(Widget).toMatchObject({
      group: 'example.com',
      version: 'v2',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
      statusSubresource: true,
    });
    expect(widgets.version('v1')).toMatchObject({
      version: 'v1',
      storage: false,
      served: true,
      deprecationWarning: 'use v2',
      statusSubresource: false,
    });
  });

  it('gives a CustomResourceDefinition', () => {
    const crd = crdOf(widgets);
    expect(crd.metadata).toEqual({ name: 'widgets.example.com', labels: { app: 'widgets' } });
    expect(crd.spec.names).toEqual({
      kind: 'Widget',
      listKind: 'WidgetList',
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['wd'],
    });
    expect(crd.spec.versions.map(({ schema: _schema, ...version }) => version)).toEqual([
      {
        name: 'v1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'use v2',
        additionalPrinterColumns: [ageColumn],
      },
      {
        name: 'v2',
        served: true,
        storage: true,
        additionalPrinterColumns: Widget.columns,
        subresources: { status: {} },
      },
    ]);
    expect(crd.spec.versions[1]?.schema?.openAPIV3Schema).toEqual(Widget.schema);
    expect(Object.keys(crd.spec.versions[1]?.schema?.openAPIV3Schema ?? {})).toEqual([
      'description',
      'type',
      'properties',
    ]);
  });

  it('must store exactly one version and name none twice', () => {
    const version = { name: 'v1', schema: s.object({}), columns: [] };
    const define =
      (...versions: { name: string; storage?: boolean; schema: typeof version.schema; columns: [] }[]) =>
      () =>
        defineResource({ group: 'g', kind: 'K', plural: 'ks', singular: 'k', scope: 'Cluster', docs: '', versions });
    expect(define({ ...version, columns: [] })).toThrow('exactly one version must be stored, not 0');
    expect(
      define({ ...version, columns: [], storage: true }, { ...version, columns: [], name: 'v2', storage: true }),
    ).toThrow('not 2');
    expect(define({ ...version, columns: [], storage: true }, { ...version, columns: [] })).toThrow('defined twice');
  });
});

describe('judging an object', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['that is right', widget({ spec: { size: 1 } }), []],
    [
      'of another kind: nothing else is looked at',
      { ...(widget({ spec: {} }) as object), kind: 'Gadget' },
      ['kind: Invalid value: "Gadget": must be Widget'],
    ],
    [
      'of another version',
      { ...(widget({}) as object), apiVersion: 'example.com/v1' },
      ['apiVersion: Invalid value: "example.com/v1": must be example.com/v2'],
    ],
    [
      'with bad metadata and a bad spec',
      widget({ metadata: { name: 'a' }, spec: { size: 0, tags: ['x', 'x'], colour: 'green' } }),
      [
        'metadata.namespace: Required value',
        'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
        'spec.colour: Unsupported value: "green": supported values: "red", "blue"',
        'spec.tags[1]: Duplicate value: "x"',
      ],
    ],
    [
      'that is no object',
      'text',
      ['kind: Invalid value: "": must be Widget', 'apiVersion: Invalid value: "": must be example.com/v2'],
    ],
  ])('%s', (_what, object, errors) => {
    expect(compileResource(Widget).validate(object).map(formatFieldError)).toEqual(errors);
  });

  it('a write of the status is judged by the status alone, in messages that begin there', () => {
    const compiled = compileResource(Widget);
    expect(
      compiled.validateStatus(widget({ spec: 'odd', status: { used: -1, extra: 1 } })).map(formatFieldError),
    ).toEqual(['status.used: Invalid value: -1: used in body should be greater than or equal to 0']);
    expect(compiled.validateStatus(widget({ status: { used: 2 ** 40 } })).map(formatFieldError)).toEqual([
      'status: Invalid value: "": Checked value must be of type integer with format int32 in used',
    ]);
    expect(compiled.validateStatus(widget({ spec: 'odd' }))).toEqual([]);
    expect(compiled.validateStatus({}).map(formatFieldError)).toHaveLength(2);
  });

  it('admitting prunes, then defaults, then validates', () => {
    const { object, unknownFields, errors } = compileResource(Widget).admit(
      widget({ spec: { size: 1, shape: 'round' } }),
    );
    expect(object.spec).toEqual({ size: 1, colour: 'red' });
    expect(unknownFields).toEqual(['spec.shape']);
    expect(errors).toEqual([]);
  });
});

describe('a kind of configuration file', () => {
  const kind = defineConfigKind({
    group: 'example.com',
    version: 'v1',
    kind: 'Config',
    docs: 'A file.',
    schema: s.object({ port: s.int32().max(65535).default(80), hosts: s.array(s.string()).optional() }),
  });

  it('is decoded with its defaults', () => {
    const decoded = kind.decode({ apiVersion: 'example.com/v1', kind: 'Config', hosts: ['a'] });
    expect(decoded).toEqual({
      value: { apiVersion: 'example.com/v1', kind: 'Config', hosts: ['a'], port: 80 },
      unknownFields: [],
      errors: [],
    });
    expectTypeOf(decoded.value.hosts).toEqualTypeOf<readonly string[] | undefined>();
  });

  it('names what reads its patterns, where it has any', () => {
    const schema = s.object({ host: s.string().pattern('^a') });
    const input = { group: 'example.com', version: 'v1', kind: 'Config', docs: '', schema };
    expect(() => defineConfigKind(input)).toThrow('the schema has the pattern ^a: set readPattern of the kind');
    const { decode } = defineConfigKind({ ...input, readPattern: compilePattern });
    expect(decode({ apiVersion: 'example.com/v1', kind: 'Config', host: 'b' }).errors).toHaveLength(1);
  });

  it.each<[string, unknown, readonly string[], readonly string[]]>([
    ['unknown fields', { apiVersion: 'example.com/v1', kind: 'Config', prot: 1 }, ['prot'], []],
    [
      'a wrong value',
      { apiVersion: 'example.com/v1', kind: 'Config', port: 70000 },
      [],
      ['port: Invalid value: 70000: port in body should be less than or equal to 65535'],
    ],
    [
      'another kind',
      { apiVersion: 'example.com/v2', kind: 'Other' },
      [],
      [
        'apiVersion: Unsupported value: "example.com/v2": supported values: "example.com/v1"',
        'kind: Unsupported value: "Other": supported values: "Config"',
      ],
    ],
    ['no kind', {}, [], ['apiVersion: Required value', 'kind: Required value']],
    ['no object', null, [], ['<nil>: Invalid value: null: must be an object of kind Config']],
  ])('reports %s', (_what, value, unknown, errors) => {
    const decoded = kind.decode(value);
    expect(decoded.unknownFields).toEqual(unknown);
    expect(decoded.errors.map(formatFieldError)).toEqual(errors);
  });
});
