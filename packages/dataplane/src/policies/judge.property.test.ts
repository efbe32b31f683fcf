import { labelSelectorOf } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import { egressClasses } from './egress-classes.ts';
import type { NodeClient } from './egress-classes.ts';
import type { EgressRule } from './egress-rule.ts';

/**
 * A world of policies in a separate notation: labels and selectors are letters. A selector without
 * a letter selects everything.
 */
interface Draw {
  readonly rules: readonly {
    readonly tier: number;
    readonly priority: number;
    readonly action: EgressRule['action'];
    readonly pod: string;
    readonly namespace: string;
    readonly isForNodes: boolean;
    readonly services: readonly string[];
  }[];
  readonly pods: readonly { readonly pod: string; readonly namespace: string }[];
  readonly node: string;
}

const letters = fc.constantFrom('a', 'b', 'c');
const draws: fc.Arbitrary<Draw> = fc.record({
  rules: fc.array(
    fc.record({
      tier: fc.constantFrom(50, 250),
      priority: fc.constantFrom(1, 1.5, 5, 10_000),
      action: fc.constantFrom('Allow' as const, 'Drop' as const, 'Reject' as const, 'Pass' as const),
      pod: fc.oneof(letters, fc.constant('')),
      namespace: fc.oneof(letters, fc.constant('')),
      isForNodes: fc.boolean(),
      services: fc.uniqueArray(fc.constantFrom('shop/cart', 'shop/billing', 'web/front'), { minLength: 1 }),
    }),
    { maxLength: 8 },
  ),
  pods: fc.array(fc.record({ pod: letters, namespace: letters }), { maxLength: 5 }),
  node: letters,
});

const services = ['shop/cart', 'shop/billing', 'web/front'];
const selector = (letter: string) => labelSelectorOf(letter === '' ? {} : { matchLabels: { letter } });

const rulesOf = ({ rules }: Draw): readonly EgressRule[] =>
  rules.map((rule, index) => ({
    kind: 'ClusterNetworkPolicy',
    name: `policy-${index}`,
    index: 0,
    rank: [rule.tier, rule.priority, `policy-${index}`, 0],
    action: rule.action,
    appliedTo: [
      rule.isForNodes
        ? { kind: 'node', nodeSelector: selector(rule.pod) }
        : { kind: 'pods', podSelector: selector(rule.pod), namespaceSelector: selector(rule.namespace) },
    ],
    services: new Set(rule.services),
  }));

const clientsOf = ({ pods, node }: Draw): readonly NodeClient[] => [
  { client: { kind: 'node', labels: { letter: node } }, addresses: [] },
  ...pods.map(({ pod, namespace }, index): NodeClient => ({
    client: { kind: 'pod', namespace, labels: { letter: pod }, namespaceLabels: { letter: namespace } },
    addresses: [address(`10.1.1.${index + 2}`)],
  })),
];

/**
 * The specification as code: ask each rule, in the order of tiers, priorities and names, whether it
 * applies to this client and this Service.
 */
function expected(
  { rules, pods, node }: Draw,
  client: number | 'node',
  service: string,
): 'drop' | 'reject' | undefined {
  const own = client === 'node' ? { pod: node, namespace: '' } : pods[client];
  let best: { readonly rule: Draw['rules'][number]; readonly index: number } | undefined;
  rules.forEach((rule, index) => {
    const isMeant =
      rule.isForNodes === (client === 'node') &&
      rule.services.includes(service) &&
      ['', own?.pod].includes(rule.pod) &&
      (client === 'node' || ['', own?.namespace].includes(rule.namespace));
    if (!isMeant) return;
    const isBefore =
      best === undefined ||
      rule.tier < best.rule.tier ||
      (rule.tier === best.rule.tier && rule.priority < best.rule.priority);
    if (isBefore) best = { rule, index };
  });
  const action = best?.rule.action;
  return action === 'Drop' ? 'drop' : action === 'Reject' ? 'reject' : undefined;
}

describe('what policies deny to the clients of a Node', () => {
  test('is for each client and Service the action of the first rule about both, and each Pod is in one class at most', () => {
    fc.assert(
      fc.property(draws, (draw) => {
        const classes = egressClasses(rulesOf(draw), clientsOf(draw));
        const deniedTo = (client: number | 'node') => {
          const own = classes.filter(({ addresses }) =>
            client === 'node'
              ? addresses === 'node'
              : addresses !== 'node' && addresses.some(({ value }) => value === address(`10.1.1.${client + 2}`).value),
          );
          expect(own.length).toBeLessThanOrEqual(1);
          return own[0]?.denied ?? {};
        };
        for (const client of ['node' as const, ...draw.pods.keys()])
          for (const service of services)
            expect(deniedTo(client)[service], `${client} ${service}`).toBe(expected(draw, client, service));
      }),
      { numRuns: 500 },
    );
  });

  test('does not depend on the order in which policies are read', () => {
    fc.assert(
      fc.property(draws, fc.infiniteStream(fc.nat()), (draw, numbers) => {
        const rules = rulesOf(draw);
        const shuffled = rules
          .map((rule) => ({ rule, at: numbers.next().value }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ rule }) => rule);
        expect(egressClasses(shuffled, clientsOf(draw))).toEqual(egressClasses(rules, clientsOf(draw)));
      }),
    );
  });
});
