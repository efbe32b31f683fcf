import { createHash } from 'node:crypto';
import { formatFieldError } from '@isthmus/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundleOf } from '../bundle/testing/bundle-of.ts';
import { readRules } from '../policy/rule-set.ts';
import { shippedPolicies } from '../policy/shipped/shipped-policies.ts';
import { startViolations } from '../policy/skew/violations.ts';
import { mutatedJson } from '../testing/mutations.ts';
import { fingerprintOf } from './fingerprint.ts';
import { fleetProblems } from './fleet-problems.ts';
import { fleetSnapshot } from './fleet-snapshot.ts';
import { stateOf } from './state-of.ts';

const whole = {
  apiVersion: 'upgrade.isthmus.dev/v1alpha1',
  kind: 'FleetSnapshot',
  metadata: { name: 'fleet' },
  spec: {
    takenAt: '2026-11-21T09:00:00Z',
    clusterSets: [{ name: 'shop', leader: 'north', members: ['east'] }],
    clusters: [
      {
        name: 'north',
        roles: ['leader', 'management'],
        clusterSet: 'shop',
        components: [{ id: 'mc-leader', live: [{ version: 'v2.6.0' }] }],
      },
      {
        name: 'east',
        roles: ['member', 'workload'],
        clusterSet: 'shop',
        managedBy: 'north',
        facts: { a: 'b' },
        components: [
          {
            id: 'antrea-agent',
            recorded: { version: 'v2.6.0' },
            live: [
              { version: 'v2.6.0', node: 'n1' },
              { version: 'v2.5.1', node: 'n2' },
            ],
          },
          { id: 'kube-apiserver', live: [{ version: 'v1.36.1', name: 'a' }] },
        ],
        objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }],
      },
    ],
    clients: [{ component: 'antctl', version: 'v2.6.0' }],
  },
};
const rules = readRules(shippedPolicies());
const bundle = bundleOf({});

/** A snapshot is refused with places, or all that looks at fleets can look at it. */
function demandVerdict(file: unknown): 'refused' | 'contradictory' | 'taken' {
  const { value, unknownFields, errors } = fleetSnapshot.decode(JSON.parse(JSON.stringify(file)));
  if (unknownFields.length + errors.length > 0) {
    for (const error of errors) expect(formatFieldError(error)).not.toBe('');
    return 'refused';
  }
  const problems = fleetProblems(value, { source: 'f', lineOf: () => 1 });
  for (const { path, message } of problems) expect([path !== '', message !== '']).toEqual([true, true]);
  if (problems.length > 0) return 'contradictory';
  for (const { why } of startViolations(stateOf(value, { bundle }), rules)) expect(why).not.toBe('');
  fingerprintOf(value, (text) => createHash('sha256').update(text).digest('hex'));
  return 'taken';
}

describe('a snapshot that a person or a machine has spoilt', () => {
  it('is refused with places, or can be looked at', () => {
    const verdicts = new Set<string>();
    const spoilt = mutatedJson(whole.spec).map((spec) => ({ ...whole, spec }));
    fc.assert(
      fc.property(spoilt, (file) => {
        verdicts.add(demandVerdict(file));
      }),
      { numRuns: 250, seed: 7 },
    );
    // All three happen: no part of the check is idle.
    expect([...verdicts].toSorted()).toEqual(['contradictory', 'refused', 'taken']);
  });
});
