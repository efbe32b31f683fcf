import { formatFieldError } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mutatedJson } from '../testing/mutations.ts';
import { parseVersion } from '../version/parse-version.ts';
import { featuresAt } from './features-at.ts';
import { policyProblems } from './policy-problems.ts';
import { policy } from './policy.ts';
import { releaseNotes } from './release-notes.ts';
import { shippedPolicyFiles } from './shipped/shipped-policies.ts';
import { fleet, inShop } from './testing/fleet.ts';
import { startViolations, violationsOf } from './violations.ts';

const state = fleet(
  [inShop('north', 'leader'), inShop('east', 'member')],
  'north/mc-leader v2.6.0',
  'north/isthmus-leader v0.1.0',
  'east/mc-member v2.5.0-rc.1',
  'east/isthmus-member latest',
  'east/eks-anywhere v0.19.0+build.4',
  'antctl v1.5.0',
);

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
    const whole = shippedPolicyFiles().filter((_, at) => [0, 2].includes(at)) as readonly { readonly spec: object }[];
    const verdicts = new Map<string, number>();
    const spoilt = fc
      .nat(whole.length - 1)
      .chain((at) => mutatedJson(whole[at]?.spec).map((spec) => ({ ...whole[at], spec })));
    fc.assert(
      fc.property(spoilt, (file) => {
        const verdict = demandVerdict(file);
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }),
      { numRuns: 100, seed: 10 },
    );
    // Neither way is idle. That what can never be met is found, the examples of `policyProblems` show: chance makes too little of it.
    expect([...verdicts.keys()]).toEqual(expect.arrayContaining(['refused', 'taken']));
  });
});
