import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Component } from '../../bundle/component.ts';
import { bundleOf, written } from '../../bundle/testing/bundle-of.ts';
import { hopOf } from '../../policy/hops/hop.ts';
import { readRules } from '../../policy/rule-set.ts';
import { shippedPolicies } from '../../policy/shipped/shipped-policies.ts';
import { fleet, inShop, managed } from '../../policy/testing/fleet.ts';
import { violationsOf } from '../../policy/skew/violations.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { brokenRules, brokenStep } from './independent-checker.ts';

const policies = shippedPolicies();
const clusters = [inShop('north', 'leader'), inShop('east', 'member'), managed('m'), managed('w', 'm')];

/**
 * What the table calls one rule are several in the policies: by the version of the subject, by the
 * role of the reference.
 */
const familyOf: readonly (readonly [string, RegExp])[] = [
  ['antrea.agent', /^antrea\.agent$/],
  ['antrea.antctl', /^antrea\.antctl$/],
  ['antrea.fa', /^antrea\.fa$/],
  ['mc.same', /^mc\.same$/],
  ['mc.antctl', /^mc\.antctl(-member)?$/],
  ['mc.antctl-floor', /^mc\.antctl-floor$/],
  ['k8s.apiserver-ha', /^k8s\.apiserver-ha$/],
  ['k8s.kubelet', /^k8s\.kubelet/],
  ['k8s.kproxy', /^k8s\.kproxy/],
  ['k8s.cm', /^k8s\.(cm|scheduler|ccm)/],
  ['k8s.kubectl', /^k8s\.kubectl$/],
  ['eksa.mgmt', /^eksa\.mgmt$/],
];

const antrea = [
  'v0.12.0',
  'v0.13.1',
  'v1.0.0',
  'v1.4.0',
  'v1.8.0',
  'v1.9.0',
  'v1.10.0',
  'v1.13.1',
  'v1.13.2',
  'v1.14.0',
];
const later = ['v1.15.0', 'v2.0.0', 'v2.1.0', 'v2.2.0', 'v2.3.0', 'v2.5.0', 'v2.6.0', 'v2.6.1', 'v2.7.0'];
const kubernetes = [21, 22, 23, 24, 25, 26, 27, 28, 29, 31].flatMap((minor) => [`v1.${minor}.0`, `v1.${minor}.3`]);
const pools = [
  {
    places: [
      'east/antrea-controller',
      'east/antrea-agent@n1',
      'east/antrea-agent@n2',
      'east/flow-aggregator',
      'antctl',
    ],
    versions: [...antrea, ...later],
  },
  { places: ['east/antrea-controller', 'antctl'], versions: [...antrea, ...later] },
  { places: ['north/mc-leader', 'antctl'], versions: ['v1.5.0', 'v1.5.2', 'v1.6.0', 'v1.8.0'] },
  // Members and leaders are from 1.5 on.
  {
    places: ['north/mc-leader', 'east/mc-member', 'antctl'],
    versions: [...antrea.slice(4), ...later],
  },
  ...[
    ['kubelet@n', 'kube-proxy@n', 'kube-proxy@o'],
    ['kube-apiserver#a', 'kube-apiserver#b', 'kubelet@n', 'kube-proxy@n'],
    ['kube-apiserver#a', 'kube-controller-manager', 'kube-scheduler', 'cloud-controller-manager'],
  ].map((some) => ({ places: some.map((one) => `east/${one}`), versions: kubernetes })),
  { places: ['east/kube-apiserver#a', 'east/kube-apiserver#b', 'kubectl'], versions: kubernetes },
  { places: ['m/eks-anywhere', 'w/eks-anywhere'], versions: ['v0.19.0', 'v0.20.0', 'v0.20.4', 'v0.21.0', 'v0.22.0'] },
];
const states = fc
  .constantFrom(...pools)
  .chain(({ places, versions }) =>
    fc
      .tuple(
        fc.subarray(places, { minLength: 2, maxLength: Math.min(4, places.length) }),
        fc.array(fc.constantFrom(...versions), { minLength: 4, maxLength: 4 }),
      )
      .map(([some, theirs]) => fleet(clusters, ...some.map((place, at) => `${place} ${theirs[at] ?? 'v1.0.0'}`))),
  );

describe('the policies that ship, and the same rules written once more', () => {
  it('find the same rules broken in any state', () => {
    const rules = readRules(policies);
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(states, (state) => {
        const found = violationsOf(state, rules, true).map(({ rule }) => rule);
        const ours = familyOf.filter(([, rules]) => found.some((rule) => rules.test(rule))).map(([name]) => name);
        const written = new Set(brokenRules(state, 'at-the-end').map((one) => one.split(':')[0] ?? ''));
        // The order of leader and member is a rule about steps in the policies; here it is what
        // members may not be ahead of.
        written.delete('mc.order');
        expect(ours).toEqual(familyOf.map(([name]) => name).filter((name) => written.has(name)));
        for (const rule of ours) seen.set(rule, (seen.get(rule) ?? 0) + 1);
      }),
      { numRuns: 1500, seed: 21 },
    );
    expect(familyOf.map(([name]) => name).filter((name) => (seen.get(name) ?? 0) < 20)).toEqual([]);
  });

  it('let the same versions move at once', () => {
    const [cilium, capi, eksa] = [
      ['v1.14.0', 'v1.15.3', 'v1.16.0', 'v1.17.2', 'v1.18.0'],
      ['v0.4.8', 'v1.5.0', 'v1.6.1', 'v1.8.0', 'v1.9.0', 'v1.10.2', 'v2.0.0'],
      ['v0.19.0', 'v0.20.4', 'v0.21.0', 'v0.22.0', 'v1.0.0'],
    ];
    const kubeadm = ['capi-core', 'capi-kubeadm-bootstrap', 'capi-kubeadm-control-plane'];
    const moves = [
      ...['antrea-controller', 'antrea-agent'].map((type) => [type, [...antrea, ...later]] as const),
      ['kube-apiserver', kubernetes] as const,
      ['cilium', cilium] as const,
      ...kubeadm.map((type) => [type, capi] as const),
      ['eks-anywhere', eksa] as const,
    ].flatMap(([type, versions]) =>
      versions.flatMap((from) => versions.map((to) => ({ type, from: parseVersion(from), to: parseVersion(to) }))),
    );
    const rules = readRules(policies);
    const components = new Map<string, Component>();
    const componentAt = (id: string, upstream: string): Component => {
      const key = `${id} ${upstream}`;
      // What a component bears is its own word; this one bears what the rule lets it.
      const rollback = id === 'cilium' ? 'consecutive-minor' : 'none';
      const [made] = components.has(key)
        ? []
        : bundleOf({ components: [written({ id, version: { upstream }, rollback })] }).spec.components;
      const component = components.get(key) ?? made;
      if (component === undefined) throw new Error('no component');
      components.set(key, component);
      return component;
    };
    const apart = moves.filter(({ type, from, to }) => {
      const hop = hopOf(from, to, componentAt(type, to.text), { policies: rules, known: [] });
      return (hop.kind === 'direct') !== (brokenStep(type, from, to).length === 0);
    });
    expect(apart.map(({ type, from, to }) => `${type} ${from.text} ${to.text}`)).toEqual([]);
  });
});
