/**
 * For each rule a change that it reports, and a similar one that it does not report. The pages and
 * tests of the rules use them.
 */
import type { CustomResourceDefinition, JsonSchema } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import type { CrdCheckOptions } from '../check/check-definition.ts';
import type { CrdRuleId } from '../crd-rule.ts';
import { schemaWith, widgets, withField } from './definitions.ts';

export interface Change {
  readonly old?: CustomResourceDefinition | undefined;
  readonly next: CustomResourceDefinition;
  readonly options?: Partial<CrdCheckOptions> | undefined;
}

interface Example {
  readonly tells: Change;
  readonly silent: Change;
}

const text: JsonSchema = { type: 'string' };
const list = (more: JsonSchema = {}): JsonSchema => ({ type: 'array', items: text, ...more });
const keyed = (keys: readonly string[], more: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: { type: 'object', required: ['k', 'l'], properties: { k: text, l: text }, ...more },
});
const v = (name: string, more: object = {}) => ({ name, schema: schemaWith({ a: text }), ...more });
const plain = withField(text);
/** The same CRD with another word for it. */
const named = widgets([v('v1')], { names: { kind: 'Widget', plural: 'widgets', categories: ['all'] } });
/** The same field with a description of its own. */
const reported = (schema: JsonSchema): JsonSchema => ({ ...schema, description: 'The note.' });

/**
 * A change from one schema of `spec.a` to another, and to a third for which the rule reports
 * nothing.
 */
function field(
  old: JsonSchema,
  next: JsonSchema,
  harmless: JsonSchema,
  spec: readonly [JsonSchema?, JsonSchema?, JsonSchema?] = [],
): Example {
  const before = withField(old, spec[0]);
  return {
    tells: { old: before, next: withField(next, spec[1]) },
    silent: { old: before, next: withField(harmless, spec[2] ?? spec[1]) },
  };
}

/** A change from one CRD to another, and to a third for which the rule reports nothing. */
function whole(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  harmless: CustomResourceDefinition,
  options: Partial<CrdCheckOptions> = {},
): Example {
  return { tells: { old, next, options }, silent: { old, next: harmless, options } };
}

/** A schema that is refused, and one that is not. */
function refused(next: JsonSchema, harmless: JsonSchema): Example {
  return whole(plain, withField(next), withField(harmless));
}

const stored = (versions: readonly string[]) => ({ status: { storedVersions: versions } });
const webhook = (more: object = {}, versions: readonly string[] = ['v1']) => ({
  conversion: {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { caBundle: 'Cg==', service: { namespace: 'system', name: 'hook', port: 443 }, ...more },
      conversionReviewVersions: versions,
    },
  },
});
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'system', name: 'hook' },
  spec: { ports: [{ port: 443 }] },
};
const withHook: Partial<CrdCheckOptions> = { companions: [service] };
const gadgets = {
  ...widgets([{}], { names: { kind: 'Gadget', plural: 'gadgets', shortNames: ['wd'] } }),
  metadata: { name: 'gadgets.example.com' },
} as KubernetesObject;
const scale = (path: string) => ({
  subresources: { scale: { specReplicasPath: path, statusReplicasPath: '.status.replicas' } },
});
const managed = (...managers: readonly string[]) => ({
  metadata: {
    name: 'widgets.example.com',
    managedFields: managers.map((manager) => ({ manager, fieldsV1: { 'f:spec': { 'f:group': {} } } })),
  },
});
const described = (length: number) => withField({ type: 'string', description: 'x'.repeat(length) });
const badRule = (rule: string): JsonSchema => ({ type: 'string', 'x-kubernetes-validations': [{ rule }] });

/** A stand-in for CEL that refuses the rule `broken`, and does not know what `foreign` is. */
const compileRules: CrdCheckOptions['compileRules'] = (schema) => {
  const rule = schema.properties?.['spec']?.properties?.['a']?.['x-kubernetes-validations']?.[0]?.rule;
  const path = '.properties[spec].properties[a].x-kubernetes-validations[0].rule';
  const problem = { path, type: 'Invalid' as const, value: rule, detail: 'compilation failed' };
  const problems =
    rule === 'broken' ? [problem] : rule === 'foreign' ? [{ ...problem, isNotJudged: true as const }] : [];
  return rule === undefined ? undefined : { problems, judge: () => ({ errors: [], forgiven: [] }) };
};

const anything: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const status = (a: JsonSchema, b: JsonSchema = text) =>
  widgets([{ schema: schemaWith({ b }, {}, { properties: { status: { type: 'object', properties: { a } } } }) }]);

/** By the id of the rule. Missing: P01–P05, which a policy judges and not this check. */
export const examples: Partial<Readonly<Record<CrdRuleId, Example>>> = {
  G01: whole(plain, widgets([v('v1')], { names: { kind: 'Widget', plural: 'widgetz' } }), named),
  G02: whole(plain, widgets([v('v1')], { names: { kind: 'Gizmo', plural: 'widgets' } }), named),
  G03: whole(plain, widgets([v('v1')], { scope: 'Cluster' }), named),
  G04: whole(plain, widgets([v('v1'), v('v2', { storage: true })]), widgets([v('v1'), v('v2')])),
  G05: whole(
    widgets([v('v1'), v('v1beta1')], {}, stored(['v1beta1', 'v1'])),
    widgets([v('v1')]),
    widgets([v('v1'), v('v1beta1', { served: false })]),
  ),
  G06: whole(widgets([v('v1'), v('v2')]), widgets([v('v2')]), widgets([v('v2'), v('v1')])),
  G07: whole(
    widgets([v('v1'), v('v2')]),
    widgets([v('v1'), v('v2', { served: false })]),
    widgets([v('v1'), v('v2', { deprecated: true })]),
  ),
  G08: whole(widgets([v('v1'), v('v2')]), widgets([v('v2'), v('v1')]), widgets([v('v1'), v('v3'), v('v2')])),
  G09: whole(widgets([v('v1'), v('v2', { served: false })]), widgets([v('v2'), v('v1')]), widgets([v('v1'), v('v2')])),
  G10: whole(
    widgets([v('v1'), v('v2')]),
    widgets([v('v2', { schema: schemaWith({ b: text }) }), v('v1')]),
    widgets([v('v2'), v('v1')]),
  ),
  G11: whole(plain, widgets([v('v1')], webhook()), plain, withHook),
  G12: {
    tells: {
      old: widgets([v('v1'), v('v2')], webhook()),
      next: widgets([v('v1'), v('v2', { schema: schemaWith({}) })]),
    },
    silent: {
      old: widgets([v('v1'), v('v2')], webhook()),
      next: widgets([v('v1'), v('v2', { schema: schemaWith({}) })], webhook()),
      options: withHook,
    },
  },
  G13: {
    tells: { next: widgets([v('v1')], webhook()) },
    silent: { next: widgets([v('v1')], webhook()), options: withHook },
  },
  G14: whole(
    undefined,
    widgets([v('v1')], webhook({}, ['v2'])),
    widgets([v('v1')], webhook({}, ['v2', 'v1'])),
    withHook,
  ),
  G15: whole(
    widgets([v('v1', { subresources: { status: {} } })]),
    plain,
    widgets([v('v1', { subresources: { status: {}, ...scale('.spec.a').subresources } })]),
  ),
  G16: whole(
    widgets([v('v1', scale('.spec.a'))]),
    widgets([v('v1', scale('.spec.b'))]),
    widgets([v('v1', { subresources: { status: {}, ...scale('.spec.a').subresources } })]),
  ),
  G17: whole(
    widgets([v('v1')], { preserveUnknownFields: true }),
    plain,
    widgets([v('v1', { schema: schemaWith({ a: reported(text) }) })], { preserveUnknownFields: true }),
  ),
  G18: whole(plain, widgets([v('v1', { schema: {} })]), withField(reported(text))),
  G19: whole(
    undefined,
    widgets([v('v1')], { names: { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] } }),
    plain,
    { companions: [gadgets] },
  ),
  G20: whole(
    widgets([v('v1', { selectableFields: [{ jsonPath: '.spec.a' }] })]),
    plain,
    widgets([
      v('v1', {
        schema: schemaWith({ a: text, b: text }),
        selectableFields: ['.spec.b', '.spec.a'].map((jsonPath) => ({ jsonPath })),
      }),
    ]),
  ),
  G21: field(text, { type: 'string', description: 'new' }, { type: 'string', maxLength: 3 }),
  G22: whole(plain, widgets([v('v1', { deprecated: true })]), named),
  G23: whole(undefined, described(300_000), described(200_000), { clientSideApply: true }),
  G24: whole(widgets([v('v1'), v('v2')]), widgets([v('v1')]), widgets([v('v1'), v('v3')])),
  G25: {
    tells: { old: widgets([v('v1')], {}, managed('kubectl', 'other')), next: plain },
    silent: { old: widgets([v('v1')], {}, managed('kubectl')), next: plain },
  },
  G26: whole(undefined, widgets([{ ...v('1st') }]), plain),
  G27: whole(
    widgets([v('v1')]),
    widgets([v('v1'), v('v2', { schema: schemaWith({ a: text, b: text, c: text }) })]),
    widgets([v('v1'), v('v2')]),
  ),
  F01: field(text, text, text, [
    { properties: { a: text, b: text } },
    { properties: { a: text } },
    { properties: { a: text, b: text, c: text } },
  ]),
  F02: field(text, text, text, [
    { properties: { fooBar: text } },
    { properties: { foobar: text } },
    { properties: { fooBar: text, foobar: text } },
  ]),
  F03: field(text, { type: 'boolean' }, { 'x-kubernetes-int-or-string': true }),
  F04: field({ type: 'integer' }, { type: 'number' }, { type: 'integer', minimum: 1 }),
  F05: field(text, text, { type: 'string', default: 'x' }, [{}, { required: ['a'] }]),
  F06: field(text, { type: 'string', default: 'x' }, text, [{}, { required: ['a'] }]),
  F07: field(text, text, text, [
    {},
    { properties: { a: text, o: { type: 'object', required: ['x'], properties: { x: text } } } },
    { properties: { a: text, o: { type: 'object', properties: { x: text } } } },
  ]),
  F08: field(
    { type: 'array', items: { type: 'object', properties: { x: text } } },
    { type: 'array', items: { type: 'object', properties: { x: text }, required: ['x'] } },
    { type: 'array', items: { type: 'object', properties: { x: { type: 'string', default: 'y' } }, required: ['x'] } },
  ),
  F09: field(
    { type: 'string', enum: ['a', 'b'] },
    { type: 'string', enum: ['a'] },
    { type: 'string', enum: ['b', 'a', 'c'] },
  ),
  F10: field({ type: 'string', enum: ['a'] }, { type: 'string', enum: ['a', 'b'] }, text),
  F11: field({ type: 'integer', minimum: 1 }, { type: 'integer', minimum: 2 }, { type: 'integer', minimum: 0 }),
  F12: field(
    { type: 'array', items: text },
    { type: 'array', items: text, maxItems: 10 },
    { type: 'array', items: text, minItems: 0 },
  ),
  F13: field(
    { type: 'integer', minimum: 1 },
    { type: 'integer', minimum: 1, exclusiveMinimum: true },
    { type: 'integer', minimum: 1, exclusiveMinimum: false },
  ),
  F14: field(
    { type: 'string', pattern: '^a$' },
    { type: 'string', pattern: '^b$' },
    { type: 'string', pattern: '^(?:a)$' },
  ),
  F15: field({ type: 'string', maxLength: 3 }, text, { type: 'string', maxLength: 2 }),
  F16: field(text, { type: 'string', format: 'ipv4' }, reported(text)),
  F17: field({ type: 'string', nullable: true }, text, reported({ type: 'string', nullable: true })),
  F18: field(text, { type: 'string', nullable: true }, { type: 'string', nullable: false }),
  F19: field(text, { type: 'string', default: 'x' }, reported(text)),
  F20: refused({ type: 'string', default: 3 }, { type: 'string', default: '3' }),
  F21: field(
    { type: 'object', additionalProperties: text },
    { type: 'object' },
    { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
  ),
  F22: field({ type: 'object', additionalProperties: true }, { type: 'object', additionalProperties: text }, anything),
  F23: field(anything, { type: 'object' }, { ...anything, properties: { x: text } }),
  F24: field(
    { 'x-kubernetes-int-or-string': true },
    { type: 'integer' },
    { 'x-kubernetes-int-or-string': true, nullable: true },
  ),
  F25: field(anything, { ...anything, 'x-kubernetes-embedded-resource': true }, reported(anything)),
  F26: field(list(), list({ 'x-kubernetes-list-type': 'set' }), list({ 'x-kubernetes-list-type': 'atomic' })),
  F27: field(keyed(['k']), keyed(['k', 'l']), keyed(['k'], { maxProperties: 3 })),
  F28: field(list({ 'x-kubernetes-list-type': 'set' }), list(), list({ 'x-kubernetes-list-type': 'set', maxItems: 3 })),
  F29: refused(keyed(['k'], { required: [] }), keyed(['k'])),
  F30: field(text, badRule('self.size() > 1'), badRule('oldSelf == self')),
  F31: field(text, badRule('oldSelf == self'), badRule("self != 'oldSelf'")),
  F32: field(badRule('self.size() > 1'), text, badRule(' self.size() > 1 ')),
  F33: whole(plain, withField(badRule('broken')), withField(badRule('true')), { compileRules }),
  F39: whole(plain, withField(badRule('foreign')), withField(badRule('true')), { compileRules }),
  F34: field({ type: 'string', anyOf: [{ minLength: 1 }] }, { type: 'string', anyOf: [{ minLength: 2 }] }, text),
  F35: refused(list({ uniqueItems: true }), list()),
  F36: field(text, { type: 'string', $ref: '#/x' } as JsonSchema, { type: 'string', title: 'x' }),
  F37: field(text, text, text, [{}, { properties: { a: text, b: text } }, { properties: { a: reported(text) } }]),
  F38: {
    tells: { old: status(text), next: status({ type: 'boolean' }) },
    silent: { old: status(text), next: status({ type: 'boolean' }, { type: 'integer' }) },
  },
  ...lintExamples(),
};

function lintExamples(): Partial<Readonly<Record<CrdRuleId, Example>>> {
  const lints: Partial<CrdCheckOptions> = { lints: true };
  const conditions = (names: readonly string[], type: 'map' | 'atomic'): JsonSchema => ({
    properties: {
      conditions: {
        type: 'array',
        'x-kubernetes-list-type': type,
        ...(type === 'map' && { 'x-kubernetes-list-map-keys': ['type'] }),
        items: {
          type: 'object',
          required: ['type'],
          properties: Object.fromEntries(names.map((name) => [name, text])),
        },
      },
    },
  });
  const all = ['lastTransitionTime', 'message', 'reason', 'status', 'type'];
  const lint = (next: JsonSchema, spec: JsonSchema = {}): Example => ({
    tells: { old: plain, next: withField(next, spec), options: lints },
    silent: { old: withField(next, spec), next: withField(next, spec), options: lints },
  });
  return {
    L01: lint({ type: 'boolean' }),
    L02: lint({ type: 'number' }),
    L03: lint({ type: 'integer', format: 'uint32' }),
    L04: lint({ type: 'object', additionalProperties: text }),
    L05: {
      tells: { old: plain, next: status(text), options: lints },
      silent: { old: status(text), next: status(text), options: lints },
    },
    L06: lint(list()),
    L07: lint(text, conditions(all, 'atomic')),
    L08: lint(text, conditions(['type'], 'map')),
  };
}
