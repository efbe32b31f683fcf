import { describe, expect, test } from 'vitest';
import { readPolicy, tierPriorities } from './read-policy.ts';

const tiers = tierPriorities([{ metadata: { name: 'mine' }, spec: { priority: 42 } }]);
const appliedTo = [{ podSelector: { matchLabels: { role: 'tenant' } } }];
const cart = { name: 'cart', namespace: 'shop', scope: 'ClusterSet' };
const drop = { action: 'Drop', toServices: [cart] };
const read = (
  spec: Readonly<Record<string, unknown>>,
  kind: 'ClusterNetworkPolicy' | 'NetworkPolicy' = 'ClusterNetworkPolicy',
) =>
  readPolicy(
    kind,
    { metadata: kind === 'NetworkPolicy' ? { name: 'keep-out', namespace: 'web' } : { name: 'keep-out' }, spec },
    tiers,
  );
const whole = (rule: Readonly<Record<string, unknown>> = {}, spec: Readonly<Record<string, unknown>> = {}) => ({
  priority: 1,
  appliedTo,
  egress: [{ ...drop, ...rule }],
  ...spec,
});

describe('an egress rule with toServices', () => {
  test('is about the derived Service: by the exported name with scope ClusterSet, and by the imported name', () => {
    const { rules, problems } = read(
      whole({ toServices: [cart, { name: 'antrea-mc-billing', namespace: 'shop' }] }, { tier: 'securityops' }),
    );
    expect(problems).toEqual([]);
    expect(rules).toEqual([
      {
        kind: 'ClusterNetworkPolicy',
        namespace: undefined,
        name: 'keep-out',
        index: 0,
        rank: [100, 1, 'ClusterNetworkPolicy keep-out', 0],
        action: 'Drop',
        appliedTo: [
          {
            kind: 'pods',
            namespace: undefined,
            podSelector: [{ key: 'role', operator: 'In', values: ['tenant'] }],
            namespaceSelector: [],
          },
        ],
        services: new Set(['shop/antrea-mc-cart', 'shop/antrea-mc-billing']),
      },
    ]);
  });

  test('of a NetworkPolicy is about Pods of its Namespace, and Services there where it names no other', () => {
    const { rules } = read(whole({ toServices: [{ name: 'cart', scope: 'ClusterSet' }] }), 'NetworkPolicy');
    expect(rules[0]?.appliedTo).toMatchObject([{ kind: 'pods', namespace: 'web' }]);
    expect(rules[0]?.services).toEqual(new Set(['web/antrea-mc-cart']));
  });

  test('can have an appliedTo of its own, and one for the network of Nodes', () => {
    const { rules } = read(whole({ appliedTo: [{ nodeSelector: {} }] }, { appliedTo: undefined }));
    expect(rules[0]?.appliedTo).toEqual([{ kind: 'node', nodeSelector: [] }]);
  });

  test.each([
    ['tier of Antrea', { tier: 'emergency' }, 50],
    ['tier of its own', { tier: 'mine' }, 42],
    ['no tier', {}, 250],
  ])('is ranked by its Tier: %s', (_, spec, tier) => {
    expect(read(whole({}, spec)).rules[0]?.rank[0]).toBe(tier);
  });
});

describe('what is not enforced of a policy', () => {
  test.each([
    ['ingress rules', { ingress: [{ action: 'Drop' }, { action: 'Allow' }] }, 'its 2 ingress rules'],
    ['other egress rules', { egress: [{ action: 'Drop' }, drop] }, 'its egress rule without toServices'],
    [
      'a Service that is not imported',
      { egress: [{ ...drop, toServices: [cart, { name: 'db', namespace: 'shop' }] }] },
      'egress[0] for shop/db: not an imported Service',
    ],
  ])('is reported, and the rest is enforced: %s', (_, spec, part) => {
    const { rules, problems } = read(whole({}, spec));
    expect(rules.map(({ services }) => [...services])).toEqual([['shop/antrea-mc-cart']]);
    expect(problems).toEqual([
      {
        kind: 'ClusterNetworkPolicy',
        namespace: undefined,
        name: 'keep-out',
        message: `The agent does not enforce ${part}. It enforces only egress rules with toServices that name imported Services.`,
      },
    ]);
  });

  test.each([
    ['a Tier that does not exist', {}, { tier: 'none' }, 'Tier "none" does not exist'],
    [
      'a Tier after Kubernetes',
      {},
      { tier: 'baseline' },
      'Tier "baseline" comes after the NetworkPolicies of Kubernetes',
    ],
    ['no priority', {}, { priority: '1' }, 'spec.priority is not a number'],
    ['ports', { ports: [{ port: 80 }] }, {}, '"ports" cannot be used with toServices'],
    ['an unknown field', { unless: 'later' }, {}, '"unless" cannot be used with toServices'],
    ['an unknown action', { action: 'Deny' }, {}, 'action "Deny" is not known'],
    ['no Namespace', { toServices: [{ name: 'cart', scope: 'ClusterSet' }] }, {}, 'Service "cart" has no namespace'],
    ['no name', { toServices: [{ namespace: 'shop' }] }, {}, 'a Service of toServices has no name'],
    ['an unknown scope', { toServices: [{ ...cart, scope: 'World' }] }, {}, 'scope "World" is not known'],
    ['a group', { appliedTo: [{ group: 'tenants' }] }, {}, 'appliedTo with "group" is not followed'],
    ['an empty appliedTo', { appliedTo: [{}] }, {}, 'appliedTo has an entry without a selector'],
    [
      'a Node selector with another one',
      { appliedTo: [{ nodeSelector: {}, podSelector: {} }] },
      {},
      'appliedTo has nodeSelector together with another selector',
    ],
    [
      'a selector with an unknown operator',
      { appliedTo: [{ podSelector: { matchExpressions: [{ key: 'a', operator: 'Maybe' }] } }] },
      {},
      'a selector of appliedTo is not valid: "Maybe" is not a valid label selector operator',
    ],
    [
      'a misspelt selector, which would select all Pods',
      { appliedTo: [{ podSelector: { matchLabel: { a: 'b' } } }] },
      {},
      'a selector of appliedTo has the unknown field "matchLabel"',
    ],
  ])('is the whole rule where it has %s', (_, rule, spec, why) => {
    const { rules, problems } = read(whole(rule, spec));
    expect(rules).toEqual([]);
    expect(problems[0]?.message).toContain(`egress[0]: ${why}`);
  });

  test('is named in part only, where there is much of it', () => {
    const { problems } = read(whole({}, { egress: Array.from({ length: 300 }, () => ({ ...drop, action: 'Deny' })) }));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('and 295 more');
  });

  test('is anything of the wrong type, without an end of the agent', () => {
    for (const egress of [7, 'x', [7], [null], [{ toServices: 7 }], [{ toServices: [7] }], { a: 1 }])
      expect(read(whole({}, { egress })).rules).toEqual([]);
  });
});
