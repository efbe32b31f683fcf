import { sweepRuns } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemLine, readFile } from '../../read/read-file.ts';
import type { PolicyFile } from '../policy-file.ts';
import { policyProblems } from './policy-problems.ts';
import { policy } from '../policy.ts';
import { shippedPolicies } from '../shipped/shipped-policies.ts';

const head = (name: string) =>
  `apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: Policy\nmetadata: {name: ${name}}\nspec:\n  product: x\n`;

function file(name: string, spec: string): PolicyFile {
  const source = `${name}.yaml`;
  const result = readFile(policy, `${head(name)}${spec}`, source);
  if (result.kind !== 'read') throw new Error(result.problems.map(problemLine).join('\n'));
  return { policy: result.value, source, lineOf: result.lineOf };
}

const reported = (...files: readonly PolicyFile[]) => policyProblems(files).map(problemLine);

const skew = (id: string, more = '') =>
  `{id: ${id}, subject: a, reference: b, scope: cluster, newer: {minors: 0, patches: none}, older: {minors: 0, patches: none}, source: x${more}}`;
const within = (id: string, subject: string, reference: string, minors: number) =>
  `{id: ${id}, subject: ${subject}, reference: ${reference}, scope: cluster, newer: {minors: ${minors}}, older: {minors: ${minors}}, source: x}`;
const floor = (id: string, subject: string, range: string, more = '') =>
  `{id: ${id}, subject: ${subject}, range: "${range}", scope: cluster, source: x${more}}`;
const order = (id: string, first: string, next: string) =>
  `{id: ${id}, first: ${first}, next: ${next}, scope: cluster, source: x}`;

describe('policies are refused', () => {
  it.each<readonly [string, string, readonly string[]]>([
    [
      'for an id given twice in different lists',
      `  skew:\n    - ${skew('x.one')}\n  floors:\n    - ${floor('x.one', 'a', '>=1')}\n`,
      ['p.yaml:9: spec.floors[0].id: rule x.one is already defined in p.yaml'],
    ],
    [
      'for a sequence that nobody has',
      `  skew:\n    - ${skew('x.one', ', sequence: gone')}\n`,
      ['p.yaml:7: spec.skew[0].sequence: rule x.one uses sequence gone, which no policy defines'],
    ],
    [
      'for a sequence with a minor twice',
      '  sequences:\n    - {name: s, minors: ["1.0", "1.1", "1.0"]}\n',
      ['p.yaml:7: spec.sequences[0].minors[2]: minor 1.0 is in the sequence twice'],
    ],
    [
      'for a circle in the order, drawn',
      `  order:\n    - ${order('x.one', 'a', 'b')}\n    - ${order('x.two', 'b', 'c')}\n    - ${order('x.three', 'c', 'a')}\n`,
      ['p.yaml:9: spec.order[2]: an order that cannot be met: a → b → c → a'],
    ],
    [
      'for a component before itself',
      `  order:\n    - ${order('x.one', 'a', 'a')}\n`,
      ['p.yaml:7: spec.order[0]: an order that cannot be met: a → a'],
    ],
    [
      'for a range in which no version lies',
      `  floors:\n    - ${floor('x.one', 'a', '>=2 <1')}\n`,
      ['p.yaml:7: spec.floors[0].range: no version is in ">=2 <1": its bounds exclude each other'],
    ],
    [
      'for least versions that exclude each other',
      `  floors:\n    - ${floor('x.one', 'a', '>=2.0.0')}\n    - ${floor('x.two', 'a', '<1.5.0')}\n`,
      ['p.yaml:8: spec.floors[1]: no version of a meets x.one (>=2.0.0) and x.two (<1.5.0)'],
    ],
    [
      'for a pair that must be equal, and least versions that keep them apart',
      `  skew:\n    - ${skew('x.same')}\n  floors:\n    - ${floor('x.one', 'a', '>=2.0.0')}\n    - ${floor('x.two', 'b', '<2.0.0')}\n`,
      ['p.yaml:7: spec.skew[0]: no versions of a and b meet x.same, x.one (>=2.0.0), x.two (<2.0.0) together'],
    ],
    [
      'for a chain of three that is too short for its ends',
      `  skew:\n    - ${within('x.ab', 'a', 'b', 1)}\n    - ${within('x.cb', 'c', 'b', 1)}\n    - ${within('x.cd', 'c', 'd', 1)}\n` +
        `  floors:\n    - ${floor('x.d', 'd', '>=1.0.0')}\n    - ${floor('x.a', 'a', '<1.7.0')}\n    - ${floor('x.c', 'c', '>=1.9.0 <2.0.0')}\n`,
      [
        'p.yaml:13: spec.floors[2]: no versions of a, b, c meet x.ab, x.cb, x.a (<1.7.0), x.c (>=1.9.0 <2.0.0) together',
      ],
    ],
    [
      'for an order that no upgrade can keep, as both must be equal on the way, too',
      `  skew:\n    - ${skew('x.same')}\n  order:\n    - ${order('x.first', 'b', 'a')}\n`,
      [
        'p.yaml:9: spec.order[0]: no upgrade can meet this order: b is upgraded before a, but by x.same it may never be newer, not even during the upgrade (holds: settled would allow it)',
      ],
    ],
    [
      'for a sequence that goes back',
      '  sequences:\n    - {name: s, minors: ["1.1", "1.0"]}\n',
      ['p.yaml:7: spec.sequences[0].minors[1]: minor 1.0 comes after 1.1: list the oldest first'],
    ],
    [
      'for what is gone before it is deprecated',
      '  removedApis:\n    - {group: x, version: v1, kind: K, deprecatedIn: "1.30", removedIn: "1.9"}\n',
      ['p.yaml:7: spec.removedApis[0].removedIn: K was removed in 1.9, before it was deprecated in 1.30'],
    ],
    [
      'for a Kubernetes window without Kubernetes',
      '  kubernetes:\n    - {id: x.one, subject: a, lists: {"1.0": [], v2: ["1.30"]}, source: x}\n',
      [
        'p.yaml:7: spec.kubernetes[0].lists: "v2" is not a minor such as 1.31',
        'p.yaml:7: spec.kubernetes[0].lists: rule x.one supports no Kubernetes minor for 1.0',
      ],
    ],
    [
      'for shares of waves that do not rise',
      '  waves: {shares: [50, 25]}\n',
      ['p.yaml:6: spec.waves.shares: 25 is not greater than 50: each share includes the earlier ones'],
    ],
    [
      'for stages of a feature that go back',
      '  features:\n    - {name: F, component: a, stages: [{stage: alpha, since: 1.2.0}, {stage: beta, since: 1.1.0}, {stage: ga, since: soon}], source: x}\n',
      [
        'p.yaml:7: spec.features[0].stages[1].since: feature F has a stage before the one above it',
        'p.yaml:7: spec.features[0].stages[2].since: "soon" is not a version with major, minor and patch',
      ],
    ],
  ])('%s', (_what, spec, problems) => {
    expect(reported(file('p', spec))).toEqual(problems);
  });

  it('for what only several of them do together', () => {
    const one = file('one', `  roleOrder: [leader, member]\n  order:\n    - ${order('x.one', 'a', 'b')}\n`);
    const two = file('two', `  roleOrder: [member, leader]\n  order:\n    - ${order('x.one', 'b', 'a')}\n`);
    expect(reported(one, two)).toEqual([
      'two.yaml:6: spec.roleOrder[1]: an order that cannot be met: leader → member → leader',
      'two.yaml:8: spec.order[0].id: rule x.one is already defined in one.yaml',
      'two.yaml:8: spec.order[0]: an order that cannot be met: a → b → a',
    ]);
    expect(reported(file('one', '  waves: {canary: 2}\n'), file('two', '  waves: {canary: 3}\n'))).toEqual([
      'two.yaml:6: spec.waves: waves are already defined in one.yaml',
    ]);
    expect(reported(one, file('one', ''))).toEqual([
      'one.yaml:3: metadata.name: policy one is already defined in one.yaml',
    ]);
  });

  it('for no hop at all, which reading finds', () => {
    expect(() => file('p', '  hops: [{id: x.one, subject: a, maxMinors: 0, source: x}]\n')).toThrow(
      /p.yaml:6: spec.hops\[0\].maxMinors/,
    );
  });
});

describe('policies are taken', () => {
  it('where least versions depend on components that need not run together', () => {
    const floors = [
      floor('x.one', 'a', '>=2.0.0', ', whenPresent: c'),
      floor('x.two', 'a', '<1.5.0', ', whenPresent: d'),
    ];
    expect(reported(file('p', `  floors:\n    - ${floors.join('\n    - ')}\n`))).toEqual([]);
  });

  it('where a least version leaves room for a pair', () => {
    const floors = [floor('x.one', 'a', '>=2.0.3'), floor('x.two', 'b', '<2.0.5')];
    expect(
      reported(file('p', `  skew:\n    - ${skew('x.same')}\n  floors:\n    - ${floors.join('\n    - ')}\n`)),
    ).toEqual([]);
  });

  it('where a chain bridges its ends, over minors that no rule names', () => {
    const chain = ['ab', 'bc', 'cd', 'de', 'ef'].map(([a = '', b = '']) => within(`x.${a}${b}`, a, b, 1));
    const floors = [floor('x.one', 'a', '>=1.6.0 <1.7.0'), floor('x.two', 'f', '>=1.11.0 <2.0.0')];
    const spec = (skews: readonly string[]) =>
      `  skew:\n    - ${skews.join('\n    - ')}\n  floors:\n    - ${floors.join('\n    - ')}\n`;
    expect(reported(file('p', spec(chain)))).toEqual([]);
    expect(reported(file('p', spec([...chain.slice(0, 4), within('x.ef', 'e', 'f', 0)])))).toHaveLength(1);
  });

  it('where the order is kept by what holds at the end alone', () => {
    const spec = `  skew:\n    - ${skew('x.same', ', holds: settled')}\n  order:\n    - ${order('x.first', 'b', 'a')}\n`;
    expect(reported(file('p', spec))).toEqual([]);
  });

  it('exactly where some choice of versions meets all rules about distances', () => {
    const names = ['a', 'b', 'c', 'd'] as const;
    const pair = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(2), fc.nat(2)).filter(([from, to]) => from !== to);
    const bound = fc.tuple(fc.nat(3), fc.nat(5), fc.nat(2));
    fc.assert(
      fc.property(
        fc.array(pair, { minLength: 1, maxLength: 5 }),
        fc.array(bound, { minLength: 1, maxLength: 4 }),
        (pairs, bounds) => {
          const skews = pairs.map(
            ([from, to, newer, older], at) =>
              `{id: s${at}, subject: ${names[from]}, reference: ${names[to]}, scope: cluster, newer: {minors: ${newer}}, older: {minors: ${older}}, source: x}`,
          );
          const floors = bounds.map(([of, low, more], at) =>
            floor(`f${at}`, names[of] ?? 'a', `>=1.${low}.0 <1.${low + more + 1}.0`),
          );
          const problems = reported(
            file('p', `  skew:\n    - ${skews.join('\n    - ')}\n  floors:\n    - ${floors.join('\n    - ')}\n`),
          );
          const isMet = (minors: readonly number[]) =>
            pairs.every(([from, to, newer, older]) => {
              const ahead = (minors[from] ?? 0) - (minors[to] ?? 0);
              return ahead <= newer && -ahead <= older;
            }) && bounds.every(([of, low, more]) => (minors[of] ?? 0) >= low && (minors[of] ?? 0) <= low + more);
          const range = Array.from({ length: 9 }, (_, minor) => minor);
          const some = range.some((a) => range.some((b) => range.some((c) => range.some((d) => isMet([a, b, c, d])))));
          expect(problems.length === 0).toBe(some);
        },
      ),
      { numRuns: sweepRuns(60, { oneIn: 8 }), seed: 1 },
    );
  });

  it('all of those that ship with isthmus, together', () => {
    const files = shippedPolicies().map((one) => ({ policy: one, source: one.metadata.name, lineOf: () => 1 }));
    expect(policyProblems(files)).toEqual([]);
  });
});

describe('a policy file', () => {
  const text = `${head('p')}  sequences: [{name: s, minors: ["1.0"]}]\n  skew:\n    - ${skew('x.one', ', sequence: s')}\n  order:\n    - ${order('x.two', 'a', 'b')}\n`;

  it('with one character changed is read or refused, and never throws', () => {
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom('', ' ', '"', '[', '}', ':', '-', '0', '9', 'a', '\n'),
        (at, by) => {
          const changed = text.slice(0, at) + by + text.slice(at + 1);
          const result = readFile(policy, changed, 'p.yaml');
          const problems =
            result.kind === 'read'
              ? policyProblems([{ policy: result.value, source: 'p.yaml', lineOf: result.lineOf }])
              : result.problems;
          return problems.every(({ line, message }) => line >= 1 && message !== '');
        },
      ),
      { numRuns: sweepRuns(100, { oneIn: 8 }), seed: 2 },
    );
  });
});
