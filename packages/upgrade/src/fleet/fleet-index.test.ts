import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FleetIndex } from './fleet-index.ts';
import { readRules } from '../policy/rule-set.ts';
import { shippedPolicies } from '../policy/shipped/shipped-policies.ts';
import { fleet, inShop, managed } from '../policy/testing/fleet.ts';
import { violationsOf } from '../policy/skew/violations.ts';

const rules = readRules(shippedPolicies());
const clusters = [
  inShop('north', 'leader'),
  inShop('east', 'member'),
  { name: 'far', roles: ['member'], clusterSet: 'other' } as const,
  managed('admin'),
  managed('work', 'admin'),
];
const line = fc
  .tuple(
    fc.constantFrom('north/', 'east/', 'far/', 'admin/', 'work/', ''),
    fc.constantFrom(
      'mc-leader',
      'mc-member',
      'antctl',
      'antrea-controller',
      'eks-anywhere',
      'kube-apiserver',
      'isthmus-member',
    ),
    fc.constantFrom('', '@n1', '@n2'),
    fc.nat(7),
  )
  .map(([cluster, type, node, minor]) => `${cluster}${type}${node} v1.${minor}.0`);

describe('a fleet that changes', () => {
  it('is judged by what came and went as it is when looked at again', () => {
    const lines = fc.array(line, { maxLength: 10 });
    fc.assert(
      fc.property(lines, lines, lines, (kept, goes, comes) => {
        const before = fleet(clusters, ...kept, ...goes);
        const after = fleet(clusters, ...kept, ...comes);
        const touched = [...fleet([], ...goes, ...comes).instances];
        const index = new FleetIndex(before);
        const old = violationsOf(index, rules, true).map((one) => JSON.stringify(one));
        for (const one of fleet([], ...goes).instances) index.remove(one);
        for (const one of fleet([], ...comes).instances) index.add(one);
        const whole = violationsOf(after, rules, true).map((one) => JSON.stringify(one));
        expect(violationsOf(index, rules, true).map((one) => JSON.stringify(one))).toEqual(whole);
        const near = new Set(violationsOf(index, rules, true, { touched }).map((one) => JSON.stringify(one)));
        // All that is new is seen, and nothing is seen that is not so.
        return (
          whole.every((one) => near.has(one) || old.includes(one)) && [...near].every((one) => whole.includes(one))
        );
      }),
    );
  });

  it('loses nothing by taking out what it has not', () => {
    const index = new FleetIndex(fleet(clusters, 'east/antctl v1.5.0', 'north/mc-leader v1.7.0'));
    for (const one of fleet([], 'east/antctl v1.6.0', 'far/other v1.0.0', 'east/antctl@n1 v1.5.0').instances)
      index.remove(one);
    expect(violationsOf(index, rules, false).map(({ rule }) => rule)).toContain('mc.antctl-floor');
  });
});
