import { formatFieldError } from '@isthmus/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mutatedJson } from '../../testing/mutations.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { featuresAt } from '../testing/features-at.ts';
import { policyProblems } from './policy-problems.ts';
import { policy } from '../policy.ts';
import { releaseNotes } from '../releases/release-notes.ts';
import { fleet, inShop } from '../testing/fleet.ts';
import { startViolations, violationsOf } from '../skew/violations.ts';

const state = fleet(
  [inShop('north', 'leader'), inShop('east', 'member')],
  'north/mc-leader v2.6.0',
  'north/isthmus-leader v0.1.0',
  'east/mc-member v2.5.0-rc.1',
  'east/isthmus-member latest',
  'east/eks-anywhere v0.19.0+build.4',
  'antctl v1.5.0',
);

const by = { scope: 'clusterset', source: 'a test' };
/** One rule of each kind that may be asked. */
const whole = {
  apiVersion: 'upgrade.isthmus.dev/v1alpha1',
  kind: 'Policy',
  metadata: { name: 'p' },
  spec: {
    product: 'x',
    sequences: [{ name: 's', minors: ['1.15', '2.0', '2.6'] }],
    roleOrder: ['leader', 'member'],
    order: [{ id: 'o', first: 'mc-leader', next: 'mc-member', ...by }],
    skew: [
      {
        id: 'k',
        subject: 'mc-member',
        reference: 'mc-leader',
        newer: { minors: 0 },
        older: { minors: 1 },
        sequence: 's',
        when: { subject: '>=1' },
        ...by,
      },
    ],
    floors: [{ id: 'f', subject: 'antctl', range: '>=1.6.0', whenPresent: 'mc-leader', ...by }],
    hops: [{ id: 'h', subject: 'mc-leader', maxMinors: 4, sequence: 's', when: '<2', source: 'a test' }],
    kubernetes: [{ id: 'w', subject: 'mc-leader', lists: { '2.6': ['1.35'] }, source: 'a test' }],
    features: [{ name: 'F', component: 'mc-member', stages: [{ stage: 'alpha', since: '1.5.0' }], source: 'a test' }],
    notes: [{ id: 'n', component: 'mc-leader', from: '<2', to: '>=2', text: 'x', source: 'a test' }],
  },
};

/** A policy file is refused with places, or all that asks policies can ask it. */
function demandVerdict(file: unknown): 'refused' | 'impossible' | 'taken' {
  const { value, unknownFields, errors } = policy.decode(JSON.parse(JSON.stringify(file)));
  if (unknownFields.length + errors.length > 0) {
    for (const error of errors) expect(formatFieldError(error)).not.toBe('');
    return 'refused';
  }
  const problems = policyProblems([{ policy: value, source: 'p.json', lineOf: () => 1 }]);
  for (const { line, message, path } of problems)
    expect([line > 0, message !== '', path !== '']).toEqual([true, true, true]);
  if (problems.length > 0) return 'impossible';
  const policies = [value];
  for (const { why, source } of [...violationsOf(state, policies, true), ...startViolations(state, policies)])
    expect([why !== '', source !== '']).toEqual([true, true]);
  featuresAt(parseVersion('v2.6.0'), 'mc-member', policies);
  releaseNotes(parseVersion('v1.5.0'), parseVersion('v2.6.0'), 'mc-leader', policies);
  return 'taken';
}

describe('a policy that a person or a machine has spoilt', () => {
  it('is refused with places, or can be asked everything', () => {
    const verdicts = new Map<string, number>();
    const spoilt = mutatedJson(whole.spec).map((spec) => ({ ...whole, spec }));
    fc.assert(
      fc.property(spoilt, (file) => {
        const verdict = demandVerdict(file);
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }),
      { numRuns: 250, seed: 7 },
    );
    // All three happen: no part of the check is idle.
    expect([...verdicts.keys()].toSorted()).toEqual(['impossible', 'refused', 'taken']);
  });
});
