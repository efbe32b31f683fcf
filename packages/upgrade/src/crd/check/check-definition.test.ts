import { sweepRuns } from '@isthmus/testkit';
import fc from 'fast-check';
import { canonicalJson } from '@isthmus/machinery';
import type { Json, JsonSchema } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { checkDefinition } from './check-definition.ts';
import type { CrdCheckOptions } from './check-definition.ts';
import { checkObjects } from '../objects/check-objects.ts';
import { compareSchemas } from '../compare/compare-schemas.ts';
import { viewOf } from '../definition-view.ts';
import type { ObjectsReport } from '../object-problem.ts';
import { readDefinition } from '../read-definition.ts';
import { findingsOf, plainOptions, schemaWith, waiverOf, widgets, withField } from '../testing/definitions.ts';

const text: JsonSchema = { type: 'string' };
const v = (name: string, more: object = {}) => ({ name, schema: schemaWith({ a: text }), ...more });

/** The report of the check of objects if `count` of `of` are affected at a field. */
function objectsReport(field: string, count: number, of: number): ObjectsReport {
  const first = Array.from({ length: Math.min(count, 5) }, (_, index) => `ns/w${index}`);
  const group = {
    crd: 'widgets.example.com',
    version: 'v1',
    effect: 'blocks-change' as const,
    field,
    message: '',
    count,
    first,
    namespaces: ['ns'],
    managers: [],
  };
  return { crd: 'widgets.example.com', objects: of, struck: count, groups: count === 0 ? [] : [group] };
}

const both = { type: 'string', enum: ['a', 'b'] } as const;
const one = { type: 'string', enum: ['a'] } as const;

describe('the check of a CRD against the one that is live', () => {
  it('F33 · what rules cost together is reported of the schema; the compiler of rules knows what is unchanged, and where else something is wrong', () => {
    const ruled: JsonSchema = { type: 'string', 'x-kubernetes-validations': [{ rule: 'true' }] };
    const list: JsonSchema = { type: 'array', items: ruled };
    const odd = withField({ ...list, 'x-kubernetes-list-type': 'odd' } as unknown as JsonSchema);

    const known: unknown[] = [];
    const detail =
      'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by 1.5x';
    const compileRules: CrdCheckOptions['compileRules'] = (_, given) => {
      const isSound = (at: string) => given?.isSound(`.properties[spec].properties[${at}]`);
      known.push([given?.isAsItWas, isSound('a'), isSound('b')]);
      const problems = [{ path: '', type: 'Forbidden' as const, value: '', detail }];
      return { problems, judge: () => ({ errors: [], forgiven: [] }) };
    };
    const found = findingsOf(withField(text), withField(ruled), { compileRules });
    expect(found.filter(({ rule }) => rule === 'F33')).toMatchObject([
      { severity: 'X', pointer: '/spec/versions/0/schema/openAPIV3Schema', message: expect.stringContaining(detail) },
    ]);
    findingsOf(withField(ruled), withField(ruled), { compileRules });
    findingsOf(withField(ruled), odd, { compileRules });
    expect(known).toEqual([
      [false, true, true],
      [true, true, true],
      [false, false, true],
    ]);
  });

  it('a required field that 3 of 10 objects lack blocks and names the 3, and with a default is a note', () => {
    const next = withField(text, { required: ['a'] });
    const [finding] = findingsOf(withField(text), next, { objects: objectsReport('spec.a', 3, 10) });
    expect(finding).toMatchObject({
      rule: 'F05',
      severity: 'B',
      field: 'spec.a',
      hits: { count: 3, of: 10, first: ['ns/w0', 'ns/w1', 'ns/w2'] },
    });
    const withDefault = findingsOf(withField(text), withField({ type: 'string', default: 'x' }, { required: ['a'] }));
    expect(withDefault.map(({ rule, severity }) => [rule, severity])).toEqual([
      ['F19', 'R'],
      ['F06', 'I'],
    ]);
  });

  it('a required field that may no longer be null blocks on every server, because a null counts as missing', () => {
    const [old, next] = [
      withField({ ...text, nullable: true }, { required: ['a'] }),
      withField(text, { required: ['a'] }),
    ];
    const server = { minor: '1.36' };
    expect(findingsOf(old, next, { server })).toMatchObject([
      { rule: 'F05', severity: 'B', field: 'spec.a' },
      { rule: 'F17', severity: 'R' },
    ]);
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { a: null } };
    const objects = checkObjects(old, next, [object], { server });
    expect(findingsOf(old, next, { server, objects })).toMatchObject([
      { rule: 'F05', severity: 'B', hits: { count: 1 } },
      { rule: 'F17', severity: 'B', hits: { count: 1 } },
    ]);
  });

  it('a required field inside a new optional struct is only noted', () => {
    const next = withField(text, {
      properties: { a: text, o: { type: 'object', required: ['x'], properties: { x: text } } },
    });
    expect(findingsOf(withField(text), next).map(({ severity }) => severity)).toEqual(['I', 'I']);
  });

  it.each([
    ['no object uses it', { objects: objectsReport('spec.a', 0, 10) }, 'R', /unused: affects none/],
    ['one uses it', { objects: objectsReport('spec.a', 1, 10) }, 'B', undefined],
    ['no objects are given', {}, 'B', undefined],
    ['server 1.28', { server: { minor: '1.28' } }, 'B', undefined],
    ['server 1.29', { server: { minor: '1.29' } }, 'B', undefined],
    ['server 1.30', { server: { minor: '1.30' } }, 'R', /ratcheted/],
    [
      'server 1.31, one uses it',
      { server: { minor: '1.31' }, objects: objectsReport('spec.a', 1, 10) },
      'R',
      /ratcheted/,
    ],
    ['server 2.0', { server: { minor: '2.0' } }, 'R', /ratcheted/],
  ] as const)('an enum value that is removed, %s', (_, options, severity, note) => {
    const found = findingsOf(withField(both), withField(one), options);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ rule: 'F09', severity });
    if (note === undefined) expect(found[0]?.note).toBeUndefined();
    else expect(found[0]?.note).toMatch(note);
  });

  it.each([
    ['F09', both, one],
    ['F11', { type: 'integer' }, { type: 'integer', minimum: 1 }],
    ['F12', { type: 'string' }, { type: 'string', maxLength: 1 }],
    ['F13', { type: 'integer', minimum: 1 }, { type: 'integer', minimum: 1, exclusiveMinimum: true }],
    ['F16', text, { type: 'string', format: 'date-time' }],
    ['F17', { type: 'string', nullable: true }, text],
    ['F24', { 'x-kubernetes-int-or-string': true }, text],
    ['F30', text, { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() > 1' }] }],
  ] as const satisfies readonly (readonly [string, JsonSchema, JsonSchema])[])(
    '%s blocks before 1.30 and where the server is not known, and needs a look from 1.30 on',
    (rule, old, next) => {
      const severity = (minor: string | undefined) =>
        findingsOf(withField(old), withField(next), { server: { minor } }).find((finding) => finding.rule === rule)
          ?.severity;
      expect(['1.20', '1.29', undefined, '1.30', '1.36'].map(severity)).toEqual(['B', 'B', 'B', 'R', 'R']);
    },
  );

  it.each([
    ['F01', { type: 'object', properties: { x: text } }, { type: 'object' }],
    ['F03', text, { type: 'boolean' }],
    ['F05', { type: 'object', properties: { x: text } }, { type: 'object', properties: { x: text }, required: ['x'] }],
    ['F21', { type: 'object', additionalProperties: text }, { type: 'object' }],
    ['F23', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, { type: 'object' }],
    ['F26', { type: 'array', items: text }, { type: 'array', items: text, 'x-kubernetes-list-type': 'set' }],
  ] as const satisfies readonly (readonly [string, JsonSchema, JsonSchema])[])(
    '%s blocks on every server',
    (rule, old, next) => {
      const severity = (minor: string | undefined) =>
        findingsOf(withField(old), withField(next), { server: { minor } }).find((finding) => finding.rule === rule)
          ?.severity;
      expect(['1.29', undefined, '1.33'].map(severity)).toEqual(['B', 'B', 'B']);
    },
  );

  it.each([
    [
      'a rule, where no CEL is given',
      text,
      { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() > 1' }] },
      'v1',
    ],
    ['a format that API servers alone check', text, { type: 'string', format: 'email' }, 'v1'],
    ['a version at which no object was looked at', both, one, 'v2'],
  ] as const satisfies readonly (readonly [string, JsonSchema, JsonSchema, string])[])(
    'still blocks by %s, though no object was found that breaks it',
    (_, old, next, version) => {
      const objects = { ...objectsReport('spec.a', 0, 10), judged: [{ version, objects: 10 }] };
      expect(findingsOf(withField(old), withField(next), { objects }).map(({ severity }) => severity)).toEqual(['B']);
    },
  );

  it.each([
    ['integer', undefined, 'int32', 'F16', 'B'],
    ['integer', 'int64', 'int32', 'F16', 'B'],
    ['integer', 'int32', 'int64', 'F15', 'I'],
    ['integer', undefined, 'int64', 'F16', 'I'],
    ['number', undefined, 'float', 'F16', 'B'],
    ['number', 'float', 'double', 'F15', 'I'],
    ['string', undefined, 'int32', 'F16', 'I'],
    ['integer', undefined, 'ipv4', 'F16', 'I'],
  ] as const)(
    'of %s from format %s to %s: %s %s, by what the API server checks of the type',
    (type, had, has, rule, severity) => {
      const of = (format: string | undefined) => withField({ type, ...(format !== undefined && { format }) });
      expect(findingsOf(of(had), of(has)).map((one) => [one.rule, one.severity])).toEqual([[rule, severity]]);
    },
  );

  it.each([
    ['of all versions', [v('v1', { schema: schemaWith({ a: { type: 'string', default: 3 } }) })], 0],
    ['of one version', [v('v1'), v('v2', { schema: schemaWith({ a: { type: 'string', default: 3 } }) })], 1],
  ] as const)('points at what the API server refuses in the CRD as it was given: the schema %s', (_, versions, at) => {
    const [finding] = findingsOf(undefined, widgets([...versions]));
    const pointer = `/spec/versions/${at}/schema/openAPIV3Schema/properties/spec/properties/a/default`;
    expect(finding).toMatchObject({ rule: 'F20', severity: 'X', field: 'spec.a', pointer });
  });

  it('G26 · rejects labels, annotations and finalizers that an API server rejects, such as templates of a chart', () => {
    const metadata = { labels: { 'app.kubernetes.io/name': '{{ .Release.Name }}' }, annotations: { 'a b': 'c' } };
    const next = widgets([v('v1')]);
    const found = findingsOf(undefined, {
      ...next,
      metadata: { ...next.metadata, ...metadata, finalizers: ['not qualified/x/y'] },
    });
    expect(found.map(({ rule, severity, pointer }) => [rule, severity, pointer])).toEqual([
      ['G26', 'X', '/metadata/annotations'],
      ['G26', 'X', '/metadata/finalizers'],
      ['G26', 'X', '/metadata/labels'],
    ]);
    expect(found[2]?.message).toContain('metadata.labels: Invalid value: "{{ .Release.Name }}": a valid label must be');
    expect(findingsOf(undefined, { ...next, metadata: { ...next.metadata, labels: { app: 'x' } } })).toEqual([]);
  });

  it('points at a webhook in the CRD as it was given', () => {
    const found = findingsOf(undefined, widgets([v('v1')], { conversion: { strategy: 'Webhook' } }));
    expect(found.map(({ rule, pointer }) => [rule, pointer])).toEqual([
      ['G14', '/spec/conversion/webhook/conversionReviewVersions'],
      ['G26', '/spec/conversion/webhook/clientConfig'],
    ]);
  });

  it('an added maxItems of 10 blocks where an object has 12 items', () => {
    const next = withField({ type: 'array', items: text, maxItems: 10 });
    const found = findingsOf(withField({ type: 'array', items: text }), next, {
      objects: objectsReport('spec.a', 1, 4),
    });
    expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([['F12', 'B']]);
  });

  it('a changed pattern needs a look, and blocks where an object does not match', () => {
    const [old, next] = [withField({ type: 'string', pattern: 'a' }), withField({ type: 'string', pattern: 'b' })];
    expect(findingsOf(old, next).map(({ severity }) => severity)).toEqual(['R']);
    expect(findingsOf(old, next, { objects: objectsReport('spec.a', 1, 2) })).toMatchObject([
      { severity: 'B', ruleSeverity: 'R' },
    ]);
  });

  it('a dropped version that objects are still stored in is rejected by the API server, so a migration comes before the CRD', () => {
    const old = widgets([v('v1beta1'), v('v1alpha1')], {}, { status: { storedVersions: ['v1alpha1', 'v1beta1'] } });
    const report = checkDefinition(old, widgets([v('v1beta1')]), plainOptions);
    expect(report.migration).toEqual({
      crd: 'widgets.example.com',
      from: ['v1alpha1'],
      to: 'v1beta1',
      when: 'before-crd',
    });
    expect(report.findings[0]).toMatchObject({ rule: 'G05', severity: 'X', version: 'v1alpha1' });
    expect(report.findings[0]?.message).toContain(
      'must remain in spec.versions until a storage migration ensures no data remains persisted in v1alpha1',
    );
  });

  it('dropping the current storage version blocks, asks for an intermediate release and plans no migration', () => {
    const report = checkDefinition(widgets([v('v1beta1'), v('v1')]), widgets([v('v1')]), plainOptions);
    expect(report.findings[0]).toMatchObject({ rule: 'G06', severity: 'X', version: 'v1beta1' });
    expect(report.findings[0]?.hint).toContain('Upgrade to a release first that has both v1beta1 and v1');
    expect(report.findings.map(({ rule }) => rule)).not.toContain('G05');
    expect(report.migration).toBeUndefined();
  });

  it('blocks where a version goes that objects are written in, or were by a manager, and names them', () => {
    const [old, next] = [widgets([v('v1'), v('v1beta1')]), widgets([v('v1'), v('v1beta1', { served: false })])];
    const object = (name: string, written: string, manager: string) => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { namespace: 'ns', name, managedFields: [{ manager, apiVersion: `example.com/${written}` }, 5] },
      spec: {},
    });
    const found = (...objects: readonly ReturnType<typeof object>[]) =>
      findingsOf(old, next, {
        objects: checkObjects(old, next, objects as readonly KubernetesObject[], { server: {} }),
      });
    expect(found(object('a', 'v1', 'kubectl'), object('b', 'v1beta1', 'helm'))).toMatchObject([
      {
        rule: 'G07',
        severity: 'B',
        ruleSeverity: 'C',
        note: 'in use: objects are written in it, last by helm',
        hits: { count: 1, of: 2, first: ['ns/b'] },
      },
    ]);
    expect(found(object('a', 'v1', 'kubectl'))).toMatchObject([{ rule: 'G07', severity: 'C' }]);
    expect(findingsOf(old, next)).toMatchObject([{ rule: 'G07', severity: 'C' }]);
  });

  it('a conversion webhook whose Service is neither in the manifests nor in the cluster blocks', () => {
    const conversion = {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { caBundle: 'Cg==', service: { namespace: 'system', name: 'hook' } },
        conversionReviewVersions: ['v1'],
      },
    };
    const next = widgets([v('v1')], { conversion });
    expect(findingsOf(undefined, next)).toMatchObject([{ rule: 'G13', severity: 'B', new: 'system/hook' }]);
    const service = {
      kind: 'Service',
      metadata: { namespace: 'system', name: 'hook' },
      spec: { ports: [{ port: 443 }] },
    };
    expect(findingsOf(undefined, next, { companions: [service] })).toEqual([]);
  });

  it('a list that becomes a set while an object has duplicates blocks even on 1.33', () => {
    const [old, next] = [
      withField({ type: 'array', items: text }),
      withField({ type: 'array', items: text, 'x-kubernetes-list-type': 'set' }),
    ];
    expect(findingsOf(old, next, { server: { minor: '1.33' }, objects: objectsReport('spec.a', 1, 1) })).toMatchObject([
      { rule: 'F26', severity: 'B' },
    ]);
  });

  it('a storage version that was not served before is a point of no return, and does not block', () => {
    const found = findingsOf(widgets([v('v1')]), widgets([v('v2'), v('v1')]));
    expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([
      ['G08', 'R'],
      ['G09', 'R'],
      ['F37', 'I'],
    ]);
    expect(found[1]?.message).toContain('the live CRD cannot be applied again');
  });

  it('names the fields that are lost where the storage version changes without conversion, and only those', () => {
    const [v1, v2] = [schemaWith({ a: text, b: text, c: both }), schemaWith({ a: text, c: one, d: text })];
    const found = findingsOf(
      widgets([v('v1', { schema: v1 }), v('v2', { schema: v2 })]),
      widgets([v('v2', { schema: v2 }), v('v1', { schema: v1 })]),
    );
    const [lost] = found.filter(({ rule }) => rule === 'G10');
    expect(lost).toMatchObject({ severity: 'B', message: expect.stringMatching(/what v2 does not have: spec\.b$/) });
    const wider = schemaWith({ a: text, b: text, c: both, d: text });
    const grown = findingsOf(
      widgets([v('v1', { schema: v1 })]),
      widgets([v('v2', { schema: wider }), v('v1', { schema: v1 })]),
    );
    expect(grown.map(({ rule }) => rule)).not.toContain('G10');
  });

  it('names the fields of a served version that are lost when they are written, because the storage version lacks them', () => {
    const [less, more] = [schemaWith({ a: text }), schemaWith({ a: text, b: text })];
    const one = widgets([v('v1', { schema: less })]);
    const both = widgets([v('v1', { schema: less }), v('v2', { schema: more })]);
    const [lost] = findingsOf(one, both).filter(({ rule }) => rule === 'G27');
    expect(lost).toMatchObject({ severity: 'C', version: 'v2' });
    expect(lost?.message).toMatch(/what is written at v2 is pruned of what v1 does not have: spec\.b$/);
    // It was so before; or the other version stores it; or a webhook converts.
    const silent = [
      [both, both],
      [one, widgets([v('v1', { schema: more }), v('v2', { schema: less })])],
      [
        one,
        widgets([v('v1', { schema: less }), v('v2', { schema: more })], {
          conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } },
        }),
      ],
    ] as const;
    for (const [old, next] of silent) expect(findingsOf(old, next).map(({ rule }) => rule)).not.toContain('G27');
  });

  it('a version that goes while nobody knows what is stored in it is not judged, and a waiver lets it pass', () => {
    const [old, next] = [widgets([v('v1'), v('v1beta1')]), widgets([v('v1')])];
    const waivers = [waiverOf('G05', '2027-01-01')];
    const found = findingsOf(old, next, { waivers });
    expect(found.filter(({ rule }) => rule === 'G05')).toMatchObject([
      { severity: 'R', version: 'v1beta1', message: expect.stringMatching(/^not judged: /), waivedBy: { rule: 'G05' } },
    ]);
    const known = widgets([v('v1'), v('v1beta1')], {}, { status: { storedVersions: ['v1'] } });
    expect(findingsOf(known, next).map(({ rule }) => rule)).not.toContain('G05');
    expect(findingsOf(old, old)).toEqual([]);
  });

  it('a webhook that was there before is a note; one that moves, or is new, blocks', () => {
    const hook = (name: string, more: object = {}) =>
      widgets([v('v1')], {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { service: { namespace: 'system', name }, ...more },
            conversionReviewVersions: ['v1'],
          },
        },
      });
    const of = (...[old, next]: Parameters<typeof findingsOf>) =>
      findingsOf(old, next).flatMap(({ rule, severity, pointer }) =>
        rule === 'G13' ? [`${severity} ${pointer.replace(/^.*\//, '')}`] : [],
      );
    expect(of(undefined, hook('a'))).toEqual(['B caBundle', 'B service']);
    expect(of(hook('b'), hook('a'))).toEqual(['B caBundle', 'B service']);
    expect(of(hook('a'), hook('a'))).toEqual(['I caBundle', 'I service']);
    expect(of(hook('a', { caBundle: 'Cg==' }), hook('a'))).toEqual(['R caBundle', 'I service']);
    expect(of(hook('a'), hook('a', { caBundle: 'Cg==' }))).toEqual(['I service']);
  });

  it('a rule that is not judged is reported as such, and a waiver lets it pass', () => {
    const ruled: JsonSchema = { type: 'string', 'x-kubernetes-validations': [{ rule: 'semver(self).major() == 1' }] };
    const path = '.properties[spec].properties[a].x-kubernetes-validations[0].rule';
    const compileRules: CrdCheckOptions['compileRules'] = () => ({
      problems: [{ path, type: 'Invalid', value: '', detail: 'compilation failed', isNotJudged: true }],
      judge: () => ({ errors: [], forgiven: [] }),
    });
    const waivers = [waiverOf('F39', '2027-01-01', { path: 'spec.a' })];
    expect(findingsOf(undefined, withField(ruled), { compileRules, waivers })).toMatchObject([
      {
        rule: 'F39',
        severity: 'R',
        field: 'spec.a',
        message: expect.stringMatching(/^not judged: /),
        waivedBy: { rule: 'F39' },
      },
    ]);
  });

  it('only descriptions change: a note', () => {
    const found = findingsOf(withField(text, { description: 'x' }), withField({ type: 'string', description: 'y' }));
    expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([['G21', 'I']]);
  });

  it('an expired waiver does not count, on its last day it does, and findings of the API server are never waived', () => {
    const [old, next] = [withField(both), withField(one)];
    const check = (until: string) =>
      checkDefinition(old, next, { ...plainOptions, waivers: [waiverOf('F09', until, { path: 'spec.a' })] });
    expect(check('2026-11-20').findings[0]?.waivedBy).toBeUndefined();
    expect(check('2026-11-20').idleWaivers).toMatchObject([{ why: 'it expired after 2026-11-20' }]);
    expect(check('2026-11-21').findings[0]?.waivedBy).toMatchObject({ rule: 'F09' });
    expect(check('2026-11-21').idleWaivers).toEqual([]);
    const refused = checkDefinition(old, withField({ type: 'string', default: 3 }), {
      ...plainOptions,
      waivers: [waiverOf('F20', '2027-01-01')],
    });
    expect(refused.findings[0]).toMatchObject({ rule: 'F20', severity: 'X' });
    expect(refused.findings[0]?.waivedBy).toBeUndefined();
    expect(refused.idleWaivers).toMatchObject([{ why: 'rejections by the API server cannot be waived' }]);
    const idle = checkDefinition(old, old, { ...plainOptions, waivers: [waiverOf('F09', '2027-01-01')] });
    expect(idle.idleWaivers).toMatchObject([{ why: 'it matches no finding' }]);
  });

  it('a CRD of 400 kB passes with server-side apply and is blocked with client-side apply, whose annotation cannot hold it', () => {
    const next = withField({ type: 'string', description: 'x'.repeat(400_000) });
    expect(findingsOf(undefined, next)).toEqual([]);
    expect(findingsOf(undefined, next, { clientSideApply: true })).toMatchObject([{ rule: 'G23', severity: 'X' }]);
  });

  it('what two versions differ in ratchets as the rest does: an update compares with the stored object as the version reads it', () => {
    const [wide, narrow] = [
      v('v1beta1', { schema: schemaWith({ a: both }) }),
      v('v1', { schema: schemaWith({ a: one }) }),
    ];
    const pairs = (minor: '1.29' | '1.30') =>
      findingsOf(widgets([wide]), widgets([wide, narrow]), { server: { minor } })
        .filter(({ comparedWith }) => comparedWith !== undefined)
        .map(({ rule, severity, version }) => [rule, severity, version]);
    expect(pairs('1.29')).toEqual([['F09', 'B', 'v1']]);
    expect(pairs('1.30')).toEqual([['F09', 'R', 'v1']]);
  });

  it('reports what the storage versions differ in once: as two served versions where both are, by itself where one is not', () => {
    const [v1, v2] = [v('v1'), v('v2', { schema: schemaWith({ b: text }) })];
    const pairs = (next: readonly object[]) =>
      findingsOf(widgets([v1, v2]), widgets(next as Parameters<typeof widgets>[0])).filter(
        ({ rule, comparedWith }) => rule === 'F01' && comparedWith !== undefined,
      );
    expect(pairs([v2, v1])).toEqual([]);
    expect(pairs([v2, { ...v1, served: false }])).toMatchObject([{ version: 'v2', comparedWith: 'v1' }]);
  });

  it.each([
    [
      'a limit of the name',
      {},
      { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
      [['F12', 'B', 'metadata.name']],
    ],
    [
      'a limit of the name that goes',
      { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
      {},
      [['F15', 'I', 'metadata.name']],
    ],
    [
      'apiVersion, kind and metadata that are listed',
      {},
      { apiVersion: text, kind: text, metadata: { type: 'object' } },
      [['G21', 'I', undefined]],
    ],
    [
      'apiVersion, kind and metadata that are not listed any more',
      { apiVersion: text, kind: text, metadata: { type: 'object' } },
      {},
      [['G21', 'I', undefined]],
    ],
  ] as const satisfies readonly (readonly [string, object, object, object])[])(
    'knows that every object has a name: %s',
    (_, had, has, reported) => {
      const of = (properties: object, more: object = {}) =>
        widgets([
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' }, ...properties }, ...more },
            },
          },
        ]);
      const found = findingsOf(of(had), of(has));
      expect(found.map(({ rule, severity, field }) => [rule, severity, field])).toEqual(reported);
      const required = findingsOf(of(had), of(has, { required: ['metadata', 'kind'] }));
      expect(required.map(({ rule }) => rule)).toEqual(found.map(({ rule }) => rule));
    },
  );

  it('reports a default that a required field lived by, though what is required stays', () => {
    const [old, next] = [{ type: 'string', default: 'x' }, text] as const;
    const found = findingsOf(withField(old, { required: ['a'] }), withField(next, { required: ['a'] }));
    expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([
      ['F05', 'B'],
      ['F19', 'R'],
    ]);
    expect(findingsOf(withField(old), withField(next)).map(({ rule }) => rule)).toEqual(['F19']);
  });

  it('refuses a CRD of more than 1 MiB however it is applied', () => {
    const large = (length: number) => withField({ type: 'string', description: 'x'.repeat(length) });
    expect(findingsOf(undefined, large(1024 * 1024))).toMatchObject([{ rule: 'G23', severity: 'X' }]);
    expect(findingsOf(undefined, large(1000 * 1024))).toEqual([]);
  });

  it('reports an object that is removed once, at its top', () => {
    const inner: JsonSchema = {
      type: 'object',
      properties: { x: text, y: { type: 'object', properties: { z: text } } },
    };
    const found = findingsOf(withField(text, { properties: { a: text, o: inner } }), withField(text));
    const pointer = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/o';
    expect(found).toMatchObject([{ rule: 'F01', pointer, field: 'spec.o' }]);
    const second = findingsOf(
      widgets([v('v2'), v('v1')]),
      widgets([v('v2'), v('v1', { schema: schemaWith({ a: { type: 'string', title: 'x' } }) })]),
    );
    expect(second).toMatchObject([
      { version: 'v1', pointer: '/spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/a/title' },
    ]);
  });

  it('reports what two served versions differ in only where the old CRD did not', () => {
    const other = { schema: schemaWith({ a: text, b: text }) };
    const [v1, v2] = [v('v1'), v('v1beta1', other)];
    expect(findingsOf(widgets([v1, v2]), widgets([v1, v2]))).toEqual([]);
    const grown = findingsOf(widgets([v1, v('v1beta1')]), widgets([v1, v2]));
    expect(grown.map(({ rule, version, comparedWith }) => [rule, version, comparedWith])).toEqual([
      ['F01', 'v1', 'v1beta1'],
      ['F37', 'v1beta1', undefined],
    ]);
  });

  it('compares a version that is served from now on, though the live CRD had it already', () => {
    const v2 = v('v2', { schema: schemaWith({ b: text }) });
    const live = widgets([v('v1'), { ...v2, served: false }]);
    expect(findingsOf(live, widgets([v('v1'), v2])).map(({ rule, comparedWith }) => [rule, comparedWith])).toEqual([
      ['F01', 'v1'],
      ['G27', undefined],
      ['F37', undefined],
    ]);
  });

  it('counts the versions that objects are stored in where a webhook no longer converts them', () => {
    const webhook = { clientConfig: { url: 'https://hook.example.com' }, conversionReviewVersions: ['v1'] };
    const versions = [v('v1'), v('v1beta1', { served: false, schema: schemaWith({ b: text }) })];
    const severities = (status: object) =>
      findingsOf(widgets(versions, { conversion: { strategy: 'Webhook', webhook } }, { status }), widgets(versions))
        .filter(({ rule }) => rule === 'G12')
        .map(({ severity }) => severity);
    expect(severities({ storedVersions: ['v1beta1', 'v1'] })).toEqual(['B']);
    expect(severities({})).toEqual(['B']);
    expect(severities({ storedVersions: ['v1'] })).toEqual(['I']);
  });

  it.each([
    ["self == 'a' // not oldSelf", 'F30'],
    ["self == r'\\' || self == 'x oldSelf'", 'F30'],
    ["self == '''it's oldSelf'''", 'F30'],
    ['has(self.oldSelf) && self.?oldSelf.hasValue()', 'F30'],
    ['self == oldSelf // a comment', 'F31'],
    ['self.x == oldSelf.oldSelf', 'F31'],
  ])('a rule compares with the old value only where it uses the variable: %s', (rule, expected) => {
    const next = withField({ ...text, 'x-kubernetes-validations': [{ rule }] });
    expect(findingsOf(withField(text), next).map((one) => one.rule)).toEqual([expected]);
  });

  it.each<[string, JsonSchema, JsonSchema, Json, string | undefined, string, string]>([
    [
      'a field where anything was kept',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { x: { type: 'integer' } } },
      { x: 'a' },
      '1.36',
      'F37',
      'B',
    ],
    [
      'a default that an alternative does not allow',
      { type: 'object', properties: { x: text, y: text }, oneOf: [{ required: ['x'] }, { required: ['y'] }] },
      {
        type: 'object',
        properties: { x: { ...text, default: 'a' }, y: text },
        oneOf: [{ required: ['x'] }, { required: ['y'] }],
      },
      { y: 'b' },
      '1.36',
      'F19',
      'B',
    ],
    [
      'a new field with a default where fields are counted',
      { type: 'object', properties: { x: text }, maxProperties: 1 },
      { type: 'object', properties: { x: text, y: { ...text, default: 'a' } }, maxProperties: 1 },
      { x: 'b' },
      undefined,
      'F37',
      'B',
    ],
    [
      'an object within the object that becomes a plain one',
      { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { x: text } },
      { type: 'object', properties: { x: text } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
      '1.36',
      'F36',
      'B',
    ],
  ])(
    '%s needs a look, and blocks where an object does not survive it',
    (_, before, after, value, minor, rule, severity) => {
      const [old, next] = [withField(before), withField(after)];
      const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { a: value } };
      const server = { minor };
      const of = (objects?: ObjectsReport) =>
        findingsOf(old, next, { server, objects }).map((one) => [one.rule, one.severity]);
      expect(of()).toContainEqual([rule, 'R']);
      expect(of(checkObjects(old, next, [object], { server }))).toContainEqual([rule, severity]);
      const without = { ...object, spec: {} };
      expect(of(checkObjects(old, next, [without], { server }))).toContainEqual([rule, 'R']);
    },
  );

  it('reports something wherever two schemas differ, and nothing where they do not', () => {
    fc.assert(
      fc.property(anySchema(2), anySchema(2), fc.infiniteStream(fc.boolean()), (old, other, takes) => {
        const taken = Object.entries(other).filter(() => takes.next().value === true);
        const next: JsonSchema = { ...old, ...Object.fromEntries(taken) };
        const found = compareSchemas(old, next);
        expect(found.length > 0).toBe(canonicalJson(old) !== canonicalJson(next));
        expect(compareSchemas(old, next)).toEqual(found);
      }),
      { numRuns: sweepRuns(500, { oneIn: 8 }), seed: 1 },
    );
  });

  it('reports something wherever two CRDs differ', () => {
    const base = JSON.parse(JSON.stringify(widgets([v('v1', { subresources: { status: {} } }), v('v2')]).spec)) as Json;
    const old = widgets([]);
    const places = pathsOf(base).filter((path) => path.length > 0);
    const read = (spec: Json) => readDefinition({ ...old, spec });
    const values = fc.oneof(
      fc.boolean(),
      fc.constantFrom<Json>('v3', 'other', 'Webhook'),
      fc.constant(undefined),
      fc.jsonValue(),
    );
    const runs = sweepRuns(500, { oneIn: 8 });
    let compared = 0;
    fc.assert(
      fc.property(fc.constantFrom(...places), values, (place, value) => {
        const [before, after] = [read(base), read(withValueAt(base, place, value as Json))];
        if (before.kind === 'refused' || after.kind === 'refused') return;
        const [a, b] = [before, after].map(({ definition }) => canonicalJson(viewOf(definition).definition.spec));
        compared += 1;
        expect(
          findingsOf(before.definition, after.definition).length >
            findingsOf(before.definition, before.definition).length,
        ).toBe(a !== b);
      }),
      { numRuns: runs, seed: 2 },
    );
    expect(compared).toBeGreaterThan(runs / 10);
  });

  it('reads whatever JSON is given as a CRD: problems with their paths, or a report, and never throws', () => {
    const base = JSON.parse(JSON.stringify(widgets([v('v1', { subresources: { status: {} } }), v('v2')]))) as Json;
    const places = pathsOf(base);
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 4 }), (place, value) => {
        const mutated = withValueAt(base, place, value as Json);
        const reading = readDefinition(mutated);
        if (reading.kind === 'refused') expect(reading.problems.length).toBeGreaterThan(0);
        else checkDefinition(widgets([v('v1')]), reading.definition, plainOptions);
      }),
      { numRuns: sweepRuns(1000, { oneIn: 8 }), seed: 3 },
    );
    fc.assert(fc.property(fc.jsonValue(), (value) => readDefinition(value).kind === 'refused'));
  });

  it('refuses what is nested too deep to be judged', () => {
    let deep: JsonSchema = text;
    for (let level = 0; level < 300; level++) deep = { type: 'object', properties: { a: deep } };
    const value = {
      ...widgets([v('v1')]),
      spec: { ...widgets([v('v1')]).spec, versions: [{ name: 'v1', schema: { openAPIV3Schema: deep } }] },
    };
    expect(readDefinition(value)).toMatchObject({ kind: 'refused' });
  });
});

function pathsOf(value: Json): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, member]) => pathsOf(member).map((path) => [key, ...path]))];
}

function withValueAt(value: Json, [key, ...rest]: readonly string[], put: Json): Json {
  if (key === undefined) return put;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? withValueAt(item as Json, rest, put) : (item as Json)));
  const record = value as Readonly<Record<string, Json>>;
  return { ...record, [key]: withValueAt(record[key] ?? null, rest, put) };
}

/** Schemas of a few levels; they need not make sense as a whole. */
function anySchema(levels: number): fc.Arbitrary<JsonSchema> {
  const inner = levels === 0 ? fc.constant<JsonSchema>({}) : anySchema(levels - 1);
  return fc.record(
    {
      type: fc.constantFrom('object', 'array', 'string', 'integer', 'boolean'),
      format: fc.constantFrom('ipv4', 'odd', 'int32'),
      nullable: fc.boolean(),
      enum: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
      minimum: fc.integer({ min: -1, max: 1 }),
      exclusiveMinimum: fc.boolean(),
      maxItems: fc.integer({ min: 0, max: 2 }),
      minLength: fc.integer({ min: 0, max: 2 }),
      multipleOf: fc.integer({ min: 1, max: 4 }),
      pattern: fc.constantFrom('^a$', '^(a)$', 'b'),
      default: fc.constantFrom<Json>('a', 1, null),
      description: fc.constantFrom('x', 'y'),
      required: fc.subarray(['p', 'q']),
      anyOf: fc.array(fc.constantFrom<JsonSchema>({ minLength: 1 }, { required: ['p'] }), { maxLength: 2 }),
      allOf: fc.array(fc.constantFrom<JsonSchema>({ minLength: 1 }, { required: ['p'] }), { maxLength: 2 }),
      'x-kubernetes-preserve-unknown-fields': fc.constant(true),
      'x-kubernetes-int-or-string': fc.boolean(),
      'x-kubernetes-embedded-resource': fc.boolean(),
      'x-kubernetes-list-type': fc.constantFrom('atomic', 'set', 'map'),
      'x-kubernetes-list-map-keys': fc.subarray(['p', 'q']),
      'x-kubernetes-map-type': fc.constantFrom('atomic', 'granular'),
      'x-kubernetes-validations': fc.array(fc.record({ rule: fc.constantFrom('true', 'self == oldSelf') }), {
        maxLength: 2,
      }),
      $ref: fc.constantFrom('#/a', '#/b'),
      ...(levels > 0 && {
        properties: fc.dictionary(fc.constantFrom('p', 'q', 'P'), inner, { maxKeys: 3 }),
        additionalProperties: fc.oneof(fc.boolean(), inner),
        items: inner,
      }),
    },
    { requiredKeys: [] },
  );
}
