import { describe, expect, it } from 'vitest';
import { adjusted, ratchets } from './adjust.ts';
import type { CrdFinding } from './crd-finding.ts';
import type { CrdRuleId } from './crd-rule.ts';
import type { ObjectProblemGroup, ObjectsReport } from './object-problem.ts';
import { crdRule } from './rules.ts';

const finding = (rule: CrdRuleId, more: Partial<CrdFinding> = {}): CrdFinding => ({
  rule,
  severity: crdRule(rule).severity,
  crd: 'widgets.example.com',
  version: 'v1',
  pointer: '',
  field: 'spec.a',
  message: '',
  hint: '',
  ...more,
});
const group = (more: Partial<ObjectProblemGroup> = {}): ObjectProblemGroup => ({
  crd: 'widgets.example.com',
  version: 'v1',
  effect: 'blocks-change',
  field: 'spec.a',
  message: '',
  count: 2,
  first: ['n/a', 'n/b'],
  namespaces: ['n'],
  managers: [],
  ...more,
});
const report = (groups: readonly ObjectProblemGroup[], more: Partial<ObjectsReport> = {}): ObjectsReport => ({
  crd: 'widgets.example.com',
  objects: 5,
  struck: 0,
  groups,
  ...more,
});
const ratcheting = { minor: '1.30' };
const note = 'ratcheted: API servers from 1.30 on accept updates that leave this part unchanged';

interface Case {
  readonly of: CrdFinding;
  readonly minor?: string;
  readonly objects?: ObjectsReport;
  readonly hasRules?: boolean;
}
/** The severity, with that of the rule where it was another one, the hits, and the note. */
function said({ of, minor, objects, hasRules = false }: Case) {
  const result = adjusted(of, {
    server: minor === undefined ? {} : { minor },
    objects,
    ...(hasRules && { compileRules: () => undefined }),
  });
  const { severity, ruleSeverity, hits, note: text } = result;
  return [
    ruleSeverity === undefined ? severity : `${severity} (${ruleSeverity})`,
    ...(hits === undefined ? [] : [`${hits.count} of ${hits.of}`]),
    ...(text === undefined ? [] : [text]),
  ];
}

describe('servers that forgive what an update leaves as it was', () => {
  it.each([
    ['1.29', false],
    ['1.30', true],
    ['1.100', true],
    ['2.0', true],
    ['0.40', false],
    [undefined, false],
  ])('of Kubernetes %s: %s', (minor, expected) => {
    expect(ratchets({ minor })).toBe(expected);
  });
});

describe('a finding about stored values', () => {
  const unused = 'unused: affects none of 5 objects';

  it.each<readonly [string, Case, readonly string[]]>([
    ['without objects', { of: finding('F09') }, ['B']],
    ['without objects, of servers that forgive', { of: finding('F09'), ...ratcheting }, ['R (B)', note]],
    ['without objects, of a rule that none forgives', { of: finding('F01'), ...ratcheting }, [crdRule('F01').severity]],
    ['that no object breaks', { of: finding('F09'), objects: report([]) }, ['R (B)', '0 of 5', unused]],
    ['that objects break', { of: finding('F09'), objects: report([group()]) }, ['B', '2 of 5']],
    [
      'that objects break, of servers that forgive',
      { of: finding('F09'), ...ratcheting, objects: report([group()]) },
      ['R (B)', '2 of 5', note],
    ],
    [
      'that objects break in a way that no server forgives',
      { of: finding('F05'), ...ratcheting, objects: report([group({ effect: 'blocks-any-write', rules: ['F05'] })]) },
      ['B', '2 of 5'],
    ],
    [
      'that objects break in a way that is not forgiven, by another rule',
      { of: finding('F09'), ...ratcheting, objects: report([group({ effect: 'blocks-any-write', rules: ['F05'] })]) },
      ['R (B)', '0 of 5', unused],
    ],
    [
      'that objects break in a way whose rule is not known',
      { of: finding('F09'), ...ratcheting, objects: report([group({ effect: 'blocks-any-write' })]) },
      ['R (B)', '2 of 5', note],
    ],
    [
      'that objects break inside the field',
      { of: finding('F09'), objects: report([group({ field: 'spec.a.b' })]) },
      ['B', '2 of 5'],
    ],
    [
      'that objects break in an item of it',
      { of: finding('F09'), objects: report([group({ field: 'spec.a[].b' })]) },
      ['B', '2 of 5'],
    ],
    [
      'that objects break at a field of a longer name',
      { of: finding('F09'), objects: report([group({ field: 'spec.ab' })]) },
      ['R (B)', '0 of 5', unused],
    ],
    [
      'that objects break at the object around',
      { of: finding('F09'), objects: report([group({ field: 'spec' })]) },
      ['R (B)', '0 of 5', unused],
    ],
    [
      'about the whole object',
      { of: finding('F09', { field: undefined }), objects: report([group()]) },
      ['B', '2 of 5'],
    ],
    [
      'that objects of another version break',
      { of: finding('F09'), objects: report([group({ version: 'v2' })]) },
      ['R (B)', '0 of 5', unused],
    ],
    [
      'that objects break by another rule',
      { of: finding('F09'), objects: report([group({ rules: ['F12'] })]) },
      ['R (B)', '0 of 5', unused],
    ],
    [
      'that objects break by this rule and another',
      { of: finding('F09'), objects: report([group({ rules: ['F12', 'F09'] })]) },
      ['B', '2 of 5'],
    ],
    [
      'of a version at which some were looked at',
      { of: finding('F09'), objects: report([], { judged: [{ version: 'v1', objects: 3 }] }) },
      ['R (B)', '0 of 3', 'unused: affects none of 3 objects'],
    ],
    [
      'of a version at which none was looked at',
      { of: finding('F09'), objects: report([], { judged: [{ version: 'v2', objects: 3 }] }) },
      ['B'],
    ],
    [
      'that is milder than its rule already',
      { of: finding('F09', { severity: 'I' }), objects: report([group()]) },
      ['I'],
    ],
    [
      'of a rule that is about no values',
      { of: finding('G08'), objects: report([group()]) },
      [crdRule('G08').severity],
    ],
  ])('%s', (_, one, expected) => {
    expect(said(one)).toEqual(expected);
  });

  it.each<readonly [string, Case, readonly string[]]>([
    ['no object breaks', { of: finding('F14'), objects: report([]) }, [crdRule('F14').severity, '0 of 5']],
    ['objects break', { of: finding('F14'), objects: report([group()]) }, [`B (${crdRule('F14').severity})`, '2 of 5']],
    [
      'objects break, of servers that forgive',
      { of: finding('F14'), ...ratcheting, objects: report([group()]) },
      [`R (${crdRule('F14').severity})`, '2 of 5', note],
    ],
  ])('that the schemas do not decide, and that %s', (_, one, expected) => {
    const result = said(one);
    // Where the rule itself is R, the adjusted one is not told apart.
    expect(result.map((text) => text.replace('R (R)', 'R'))).toEqual(
      expected.map((text) => text.replace('R (R)', 'R')),
    );
  });

  it('counts the objects of several groups once, and names the first five', () => {
    const groups = [
      group({ count: 3, first: ['n/c', 'n/a'] }),
      group({ count: 4, first: ['n/a', 'n/d', 'n/b', 'n/e', 'n/f'], field: 'spec.a.b' }),
    ];
    expect(adjusted(finding('F09'), { server: {}, objects: report(groups) }).hits).toEqual({
      count: 5,
      of: 5,
      first: ['n/a', 'n/b', 'n/c', 'n/d', 'n/e'],
    });
    const large = [group({ count: 9 })];
    expect(adjusted(finding('F09'), { server: {}, objects: report(large) }).hits?.count).toBe(9);
  });

  it.each<readonly [string, CrdFinding, boolean, boolean]>([
    ['a rule of CEL, without an engine', finding('F30'), false, false],
    ['a rule of CEL, with an engine', finding('F30'), true, true],
    ['a format of numbers', finding('F16', { new: 'int32' }), false, true],
    ['a format of numbers with fractions', finding('F16', { new: 'float' }), false, true],
    ['a format of texts', finding('F16', { new: 'ipv4' }), false, true],
    ['a format that API servers alone check', finding('F16', { new: 'odd' }), false, false],
    ['a format that is not known', finding('F16'), false, false],
  ])('is unused only where its breach would have been found: %s', (_, of, hasRules, isDecided) => {
    const [severity] = said({ of, hasRules, objects: report([]) });
    expect(severity?.startsWith('R (B)')).toBe(isDecided && crdRule(of.rule).severity === 'B');
    if (!isDecided) expect(severity).toBe(crdRule(of.rule).severity);
  });
});

describe('a finding between two versions of one CRD', () => {
  it.each<readonly [string, Case, readonly string[]]>([
    ['is not a matter of objects', { of: finding('F09', { comparedWith: 'v2' }), objects: report([group()]) }, ['B']],
    ['is forgiven like others', { of: finding('F09', { comparedWith: 'v2' }), ...ratcheting }, ['R (B)', note]],
    [
      'is not forgiven where its rule is not',
      { of: finding('F21', { comparedWith: 'v2' }), ...ratcheting },
      [crdRule('F21').severity],
    ],
    [
      'stays where nobody could foresee it',
      { of: finding('F37', { comparedWith: 'v2' }), objects: report([group({ effect: 'data-loss' })]) },
      [crdRule('F37').severity],
    ],
  ])('%s', (_, one, expected) => {
    expect(said(one)).toEqual(expected);
  });
});

describe('a finding about what nobody can foresee', () => {
  const severity = (rule: CrdRuleId) => crdRule(rule).severity;
  const struck = (rule: CrdRuleId, ...groups: readonly Partial<ObjectProblemGroup>[]): Case => ({
    of: finding(rule, rule === 'F19' ? { new: 'x' } : {}),
    objects: report(groups.map(group)),
  });
  const b = (rule: CrdRuleId) => [`B (${severity(rule)})`, '2 of 5'];
  const r = (rule: CrdRuleId) => [`R (${severity(rule)})`, '2 of 5', note];

  it.each<readonly [string, Case, readonly string[]]>([
    ['without objects', { of: finding('F37') }, [severity('F37')]],
    ['that no object breaks', struck('F37'), [severity('F37')]],
    ['a new field: objects break inside it', struck('F37', { field: 'spec.a.b' }), b('F37')],
    ['a new field: objects break it itself', struck('F37', { field: 'spec.a' }), b('F37')],
    ['a new field: objects lose values inside it', struck('F37', { field: 'spec.a.b', effect: 'data-loss' }), b('F37')],
    ['a new field: objects break elsewhere', struck('F37', { field: 'spec.b' }), [severity('F37')]],
    ['a new field of another version', struck('F37', { version: 'v2' }), [severity('F37')]],
    [
      'a new field: nobody knows what a webhook makes of it',
      struck('F37', { effect: 'unknown-conversion' }),
      [severity('F37')],
    ],
    ['a new field without a default: objects break around it', struck('F37', { field: 'spec' }), [severity('F37')]],
    [
      'a new field with a default: objects break around it',
      { of: finding('F37', { new: { default: '1' } }), objects: report([group({ field: 'spec' })]) },
      r('F37'),
    ],
    [
      'a new field with a default: objects lose values around it, which is another matter',
      {
        of: finding('F37', { new: { default: '1' } }),
        objects: report([group({ field: 'spec', effect: 'data-loss' })]),
      },
      [severity('F37')],
    ],
    ['a default: objects break around it', struck('F19', { field: 'spec' }), r('F19')],
    [
      'a default: objects break at it, which its own schema does not allow',
      struck('F19', { field: 'spec.a' }),
      [severity('F19')],
    ],
    [
      'a default that is gone: objects break around it',
      { of: finding('F19'), objects: report([group({ field: 'spec' })]) },
      [severity('F19')],
    ],
    ['a rule about updates: objects break it', struck('F31', { rules: ['F31'] }), b('F31')],
    ['a rule about updates: objects break another', struck('F31', { rules: ['F30'] }), [severity('F31')]],
    ['a rule about updates: which one is not known', struck('F31', {}), [severity('F31')]],
    ['anything else: objects lose values', struck('F36', { effect: 'data-loss' }), b('F36')],
    ['anything else: objects break', struck('F36', {}), [severity('F36')]],
  ])('%s', (_, one, expected) => {
    expect(said(one)).toEqual(expected);
  });
});

describe('a version that is no longer served', () => {
  const used = (managers: readonly string[], version = 'v1') =>
    report([], { users: [{ version, objects: 3, first: ['n/a'], managers }] });
  const severity = crdRule('G07').severity;

  it.each<readonly [string, ObjectsReport | undefined, readonly string[]]>([
    ['without objects', undefined, [severity]],
    ['without users', report([]), [severity]],
    ['with users of another one', used([], 'v2'), [severity]],
    ['in files alone', used([]), [`B (${severity})`, '3 of 5', 'in use: objects are written in it']],
    [
      'by managers',
      used(['helm', 'kubectl']),
      [`B (${severity})`, '3 of 5', 'in use: objects are written in it, last by helm, kubectl'],
    ],
  ])('%s', (_, objects, expected) => {
    expect(said({ of: finding('G07'), ...(objects && { objects }) })).toEqual(expected);
  });
});
