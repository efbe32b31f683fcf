import type { CustomResourceDefinition, FieldError, JsonSchema, RuleErrors } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { viewOf } from '../definition-view.ts';
import { schemaWith, widgets, withField } from '../testing/definitions.ts';
import { faults, refusals } from './definition-faults.ts';

const text: JsonSchema = { type: 'string' };
const v = (name: string, more: object = {}) => ({ name, schema: schemaWith({ a: text }), ...more });
const plain = widgets([v('v1')]);
const stored = (...versions: readonly string[]) => ({ status: { storedVersions: versions } });
const noRules: RuleErrors = () => [];

const refused = (next: CustomResourceDefinition, old?: CustomResourceDefinition, ruleErrors = noRules) =>
  refusals(old === undefined ? undefined : viewOf(old), viewOf(next), ruleErrors);
/** Rule, version and pointer of each error. */
const placesOf = (found: ReturnType<typeof refusals>) =>
  found.map(({ rule, version, pointer }) => [rule, version ?? '', pointer].join(' '));

describe('what an API server rejects', () => {
  const inSchema = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a';
  const listOf = (more: object): JsonSchema => ({ type: 'array', items: text, ...more });

  it.each<readonly [string, CustomResourceDefinition, CustomResourceDefinition | undefined, readonly string[]]>([
    ['nothing of a plain CRD', plain, undefined, []],
    ['nothing of the same CRD', plain, plain, []],
    [
      'another plural: the name and the names',
      widgets([v('v1')], { names: { kind: 'Widget', plural: 'widgetz' } }),
      plain,
      ['G01  /metadata/name', 'G01  /spec/names/plural'],
    ],
    [
      'another kind of a live CRD',
      widgets([v('v1')], { names: { kind: 'Gizmo', plural: 'widgets' } }),
      plain,
      ['G02  /spec/names/kind'],
    ],
    [
      'a kind that is no name: this is about names alone',
      widgets([v('v1')], { names: { kind: 'Wid get', plural: 'widgets' } }),
      undefined,
      ['G26  /spec/names/singular', 'G26  /spec/names/kind', 'G26  /spec/names/listKind'],
    ],
    ['another scope of a live CRD', widgets([v('v1')], { scope: 'Cluster' }), plain, ['G03  /spec/scope']],
    ['two storage versions', widgets([v('v1'), v('v2', { storage: true })]), undefined, ['G04  /spec/versions']],
    [
      'a version that is gone, and in which objects are stored',
      plain,
      widgets([v('v1'), v('v0')], {}, stored('v0', 'v1')),
      ['G05 v0 /status/storedVersions/0'],
    ],
    [
      'labels that are no labels, but neither the name nor the Namespace a second time',
      widgets([v('v1')], {}, { metadata: { name: 'widgets.example.com', namespace: 'x', labels: { 'a b': '' } } }),
      undefined,
      ['G26  /metadata/labels'],
    ],
    [
      'a webhook that answers no known review',
      widgets([v('v1')], {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { service: { namespace: 'n', name: 'h' } },
            conversionReviewVersions: ['v9'],
          },
        },
      }),
      undefined,
      ['G14  /spec/conversion/webhook/conversionReviewVersions'],
    ],
    [
      'a version without a schema',
      widgets([v('v1'), { name: 'v2', schema: {} }]),
      undefined,
      ['G18 v2 /spec/versions/1/schema/openAPIV3Schema'],
    ],
    ['a default of another type', withField({ type: 'string', default: 3 }), undefined, [`F20  ${inSchema}/default`]],
    [
      'keys of a list that are not required',
      withField({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: text } },
      }),
      undefined,
      [`F29  ${inSchema}/items/properties/k/default`],
    ],
    [
      'what structural schemas forbid',
      withField(listOf({ uniqueItems: true })),
      undefined,
      [`F35  ${inSchema}/uniqueItems`],
    ],
    ['a field without a type', withField({}), undefined, [`G18  ${inSchema}/type`]],
  ])('%s', (_, next, old, expected) => {
    expect(placesOf(refused(next, old))).toEqual(expected);
  });

  it('counts stored versions of the CRD itself where none is live', () => {
    expect(placesOf(refused(widgets([v('v1')], {}, stored('v0', 'v1'))))).toEqual(['G05 v0 /status/storedVersions/0']);
  });

  it('names the version that is in the way, and what to do first', () => {
    const [found] = refused(plain, widgets([v('v1'), v('v0')], {}, stored('v0', 'v1')));
    expect(found).toEqual({
      rule: 'G05',
      pointer: '/status/storedVersions/0',
      version: 'v0',
      old: 'v0',
      message:
        'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
      hint: 'Before this CRD is applied: rewrite all objects under the live CRD, then remove the version from status.storedVersions.',
    });
  });

  it('leaves schemas and lists of versions out of its words', () => {
    const [found] = refused(widgets([v('v1'), v('v2', { storage: true })]));
    expect(found?.message).toBe(
      'spec.versions: Invalid value: must have exactly one version marked as storage version',
    );
  });

  it.each<readonly [string, string | undefined]>([
    ['spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[a/b].items', 'spec.a/b[]'],
    ['spec.versions[1].schema.openAPIV3Schema.properties[spec].additionalProperties.pattern', 'spec[*]'],
    ['spec.versions[1].schema.openAPIV3Schema.items', '[]'],
    ['spec.versions[1].schema.openAPIV3Schema.type', undefined],
    ['spec.versions[1].schema.openAPIV3Schema', undefined],
  ])('at %s is about the field %s', (path, field) => {
    const next = widgets([v('v1'), { name: 'v2', schema: schemaWith({}) }]);
    const error: FieldError = { path, type: 'Invalid', value: '', detail: 'odd' };
    const found = refused(next, undefined, (_, at) => (at.includes('[1]') ? [error] : []));
    expect(found.map((one) => [one.version, one.field])).toEqual([['v2', field]]);
  });

  it.each<readonly [string, string]>([
    ['spec.validation', '/spec/versions/0/schema'],
    ['spec.validation.openAPIV3Schema', '/spec/versions/0/schema/openAPIV3Schema'],
    ['spec.validations', '/spec/validations'],
    ['spec.subresources.scale', '/spec/versions/0/subresources/scale'],
    ['spec.additionalPrinterColumns[2].type', '/spec/versions/0/additionalPrinterColumns/2/type'],
    ['spec.selectableFields[0]', '/spec/versions/0/selectableFields/0'],
    ['spec.conversion.webhookClientConfig.url', '/spec/conversion/webhook/clientConfig/url'],
    ['spec.conversion.conversionReviewVersions[0]', '/spec/conversion/webhook/conversionReviewVersions/0'],
    ['spec.versions[0].name', '/spec/versions/0/name'],
    ['metadata.annotations[a~b/c]', '/metadata/annotations/a~0b~1c'],
  ])('at %s of the server is %s of the file', (path, pointer) => {
    const error: FieldError = { path, type: 'Invalid', value: '', detail: 'odd' };
    expect(refused(plain, undefined, () => [error]).map((one) => one.pointer)).toEqual([pointer]);
  });

  const rules = 'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule';
  const schema = 'spec.validation.openAPIV3Schema';
  it.each<readonly [Partial<FieldError> & { readonly path: string }, string]>([
    [{ path: rules }, 'F33'],
    [{ path: rules, isNotJudged: true }, 'F39'],
    [{ path: schema, detail: 'estimated rule cost total is too high' }, 'F33'],
    [{ path: 'spec.group' }, 'G01'],
    [{ path: 'spec.names.kind', detail: 'field is immutable' }, 'G02'],
    [{ path: 'spec.names.kind' }, 'G26'],
    [{ path: 'spec.scope', detail: 'field is immutable' }, 'G03'],
    [{ path: 'spec.scope' }, 'G26'],
    [{ path: 'spec.versions' }, 'G26'],
    [{ path: 'spec.conversion.conversionReviewVersions' }, 'G14'],
    [{ path: schema, type: 'Required' }, 'G18'],
    [{ path: schema, type: 'Forbidden' }, 'F35'],
    [{ path: `${schema}.properties[a].default` }, 'F20'],
    [{ path: `${schema}.properties[a].default.b` }, 'F20'],
    [{ path: `${schema}.properties[a].default[0]` }, 'F20'],
    [{ path: `${schema}.properties[a].defaults` }, 'G18'],
    [{ path: `${schema}.properties[a].default`, detail: 'x-kubernetes-list-map-keys' }, 'F29'],
    [{ path: `${schema}.properties[a].nullable`, type: 'Forbidden' }, 'F35'],
    [{ path: `${schema}.metadata` }, 'F35'],
    [{ path: `${schema}.properties[a].items` }, 'F35'],
    [{ path: `${schema}.properties[a].type`, type: 'Required' }, 'G18'],
  ])('%j is rule %s', (error, rule) => {
    const whole: FieldError = { type: 'Invalid', value: '', detail: '', ...error };
    expect(refused(plain, undefined, () => [whole]).map((one) => one.rule)).toEqual([rule]);
  });

  it.each<readonly [string, Partial<FieldError>, string, string]>([
    [
      'what cannot be judged',
      { isNotJudged: true, detail: 'odd' },
      `not judged: ${rules}: Invalid value: "": odd`,
      'Ask an API server of your version: `kubectl apply --server-side --dry-run=server -f FILE`.',
    ],
    [
      'the cost of rules',
      { detail: 'exceeds budget by 2x' },
      `${rules}: Invalid value: "": exceeds budget by 2x`,
      'Limit the lists, maps and strings that the rules evaluate (maxItems, maxProperties, maxLength), or simplify the rules; a new limit is checked like any other change.',
    ],
    [
      'the cost of rules in other words',
      { detail: 'exceeding cost limit' },
      `${rules}: Invalid value: "": exceeding cost limit`,
      'Limit the lists, maps and strings that the rules evaluate (maxItems, maxProperties, maxLength), or simplify the rules; a new limit is checked like any other change.',
    ],
    [
      'anything else',
      { detail: 'odd' },
      `${rules}: Invalid value: "": odd`,
      'The API server rejects the CRD until this is fixed.',
    ],
  ])('has a hint for %s', (_, error, message, hint) => {
    const whole: FieldError = { path: rules, type: 'Invalid', value: '', detail: '', ...error };
    expect(refused(plain, undefined, () => [whole])).toMatchObject([{ message, hint }]);
  });
});

const service = (more: object = {}, ports: object = { ports: [{ port: 8443 }, { port: 443 }] }): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'system', name: 'hook', ...more },
    spec: ports,
  }) as KubernetesObject;

describe('what does not work beside other objects', () => {
  const hooked = (config: object = {}, more: object = {}) =>
    widgets(
      [v('v1')],
      {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { caBundle: 'Cg==', service: { namespace: 'system', name: 'hook' }, ...config },
            conversionReviewVersions: ['v1'],
          },
        },
      },
      more,
    );
  const annotated = (key: string) => ({
    metadata: { name: 'widgets.example.com', annotations: { [key]: 'x' } },
  });
  const found = (
    next: CustomResourceDefinition,
    {
      old,
      companions = [],
      bytes = 0,
      clientSideApply = false,
    }: {
      readonly old?: CustomResourceDefinition | undefined;
      readonly companions?: readonly KubernetesObject[];
      readonly bytes?: number;
      readonly clientSideApply?: boolean;
    },
  ) => faults(old === undefined ? undefined : viewOf(old), viewOf(next), { companions, bytes, clientSideApply });
  const said = (changes: ReturnType<typeof faults>) =>
    changes.map(({ rule, severity, message }) => `${rule}${severity === undefined ? '' : ` ${severity}`}: ${message}`);

  it('nothing is asked of a webhook that the conversion does not use', () => {
    const { spec, ...rest } = hooked();
    const unused = { ...rest, spec: { ...spec, conversion: { ...spec.conversion, strategy: 'None' } } };
    expect(found(unused as CustomResourceDefinition, {})).toEqual([]);
  });

  const nowhere = 'G13: the webhook is Service system/hook, which is neither in the manifests nor in the cluster';
  const noPort = 'G13: the webhook is port 443 of Service system/hook, which has no such port';
  it.each<readonly [string, object, readonly KubernetesObject[], readonly string[]]>([
    ['a Service with the port', {}, [service()], []],
    ['a URL', { service: undefined, url: 'https://hook.example/' }, [], []],
    ['no Service', {}, [], [nowhere]],
    ['a Service of another name', {}, [service({ name: 'other' })], [nowhere]],
    ['a Service of another Namespace', {}, [service({ namespace: 'other' })], [nowhere]],
    ['another kind of this name', {}, [{ ...service(), kind: 'Endpoints' }], [nowhere]],
    [
      'a Service without a Namespace, which is default',
      { service: { namespace: 'default', name: 'hook' } },
      [service({ namespace: undefined })],
      [],
    ],
    ['a Service without the port', {}, [service({}, { ports: [{ port: 80 }] })], [noPort]],
    ['a Service without ports', {}, [service({}, {})], [noPort]],
    [
      'another port, which the Service has',
      { service: { namespace: 'system', name: 'hook', port: 8443 } },
      [service()],
      [],
    ],
  ])('the webhook of a new CRD: %s', (_, config, companions, expected) => {
    expect(said(found(hooked(config), { companions }))).toEqual(expected);
  });

  it.each<readonly [string, object | undefined, string]>([
    [
      'at the same Service as before',
      {},
      'G13 I: the webhook is Service system/hook, as before; it is not in the given manifests, so it is not checked',
    ],
    ['at another Service before', { service: { namespace: 'system', name: 'other' } }, nowhere],
    ['at another port before', { service: { namespace: 'system', name: 'hook', port: 8443 } }, nowhere],
    ['that is new', undefined, nowhere],
  ])('a webhook %s, without its Service', (_, before, expected) => {
    const old = before === undefined ? plain : hooked(before);
    expect(said(found(hooked(), { old }))).toEqual([expected]);
  });

  it.each<readonly [string, object, string | undefined]>([
    [
      'a Service without the port',
      { ports: [{ port: 80 }, { port: 81 }] },
      'Name a port that the Service has (80, 81), or give it this one.',
    ],
    ['a Service without any port', {}, 'Name a port that the Service has, or give it this one.'],
  ])('the hint for %s', (_, spec, hint) => {
    expect(found(hooked(), { companions: [service({}, spec)] })).toMatchObject([
      { pointer: '/spec/conversion/webhook/clientConfig/service/port', new: 443, hint },
    ]);
  });

  const unknown =
    'G13: the certificate authority of the webhook is unknown: there is no caBundle, and no annotation of a certificate injector';
  const bare = { caBundle: undefined };
  it.each<readonly [string, CustomResourceDefinition, CustomResourceDefinition | undefined, readonly string[]]>([
    ['without an authority', hooked(bare), undefined, [unknown]],
    ['with an empty authority', hooked({ caBundle: '' }), undefined, [unknown]],
    ['with an annotation that is no injector', hooked(bare, annotated('example.com/inject')), undefined, [unknown]],
    ...[
      'cert-manager.io/inject-ca-from',
      'cert-manager.io/inject-ca-from-secret',
      'cert-manager.io/inject-apiserver-ca',
      'service.beta.openshift.io/inject-cabundle',
    ].map((key) => [`with ${key}`, hooked(bare, annotated(key)), undefined, []] as const),
    [
      'without an authority, as before',
      hooked(bare),
      hooked(bare),
      ['G13 I: the webhook has no caBundle, as before: a controller must write it, and no annotation names which one'],
    ],
    [
      'without the authority that it had',
      hooked(bare),
      hooked(),
      [
        'G13 R: the live CRD has a caBundle, and this one has none and no annotation of a certificate injector: the controller that wrote it must keep it',
      ],
    ],
    [
      'without the authority of another Service',
      hooked(bare),
      hooked({ service: { namespace: 'system', name: 'other' } }),
      [unknown],
    ],
  ])('a webhook %s', (_, next, old, expected) => {
    expect(said(found(next, { old, companions: [service()] }))).toEqual(expected);
  });

  const other = (names: object, more: object = {}, spec: object = {}): KubernetesObject =>
    ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'others.example.com' },
      spec: { group: 'example.com', names, ...spec },
      ...more,
    }) as unknown as KubernetesObject;
  it.each<readonly [string, KubernetesObject, readonly string[]]>([
    ['other names', other({ kind: 'Other', plural: 'others' }), []],
    [
      'its plural as a short name',
      other({ kind: 'Other', plural: 'others', shortNames: ['widgets'] }),
      ['resource widgets'],
    ],
    [
      'its plural as the singular',
      other({ kind: 'Other', plural: 'others', singular: 'widgets' }),
      ['resource widgets'],
    ],
    [
      'its kind, which is the singular in small letters and gives the kind of lists',
      other({ kind: 'Widget', plural: 'others' }),
      ['resource widget', 'kind Widget', 'kind WidgetList'],
    ],
    ['its kind of lists', other({ kind: 'Other', plural: 'others', listKind: 'WidgetList' }), ['kind WidgetList']],
    ['no names', other({}), []],
    ['its names in another group', other({ kind: 'Widget', plural: 'widgets' }, {}, { group: 'example.org' }), []],
    [
      'its names and its own name: the CRD itself',
      other({ kind: 'Widget', plural: 'widgets' }, { metadata: { name: 'widgets.example.com' } }),
      [],
    ],
    ['its names, and another kind of object', other({ kind: 'Widget', plural: 'widgets' }, { kind: 'ConfigMap' }), []],
  ])('another CRD with %s', (_, companion, names) => {
    const expected = names.join(', ');
    expect(found(plain, { companions: [companion] })).toEqual(
      names.length === 0
        ? []
        : [
            {
              rule: 'G19',
              pointer: '/spec/names',
              new: names,
              message: `${expected} is also a name of others.example.com`,
              hint: 'Choose other names; the CRD is not served until they are free.',
            },
          ],
    );
  });

  it.each<readonly [number, boolean, string | undefined]>([
    [1_048_576, false, undefined],
    [1_048_577, false, 'it has 1048577 bytes as JSON; the limit for stored objects is 1048576'],
    [1_048_577, true, 'it has 1048577 bytes as JSON; the limit for stored objects is 1048576'],
    [262_144, true, undefined],
    [
      262_145,
      true,
      'it has 262145 bytes as JSON; client-side apply writes it into an annotation, which is limited to 262144',
    ],
    [262_145, false, undefined],
  ])('a CRD of %s bytes, applied by the client: %s', (bytes, clientSideApply, message) => {
    expect(found(plain, { bytes, clientSideApply }).map((one) => [one.rule, one.new, one.message])).toEqual(
      message === undefined ? [] : [['G23', bytes, message]],
    );
  });
});
