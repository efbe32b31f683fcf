import { describe, expect, it } from 'vitest';
import { parseVersion } from '../version/parse-version.ts';
import { maintainedMinors, supportedMinors } from './kubernetes-window.ts';
import { shippedPolicies } from './shipped/shipped-policies.ts';
import { fleet, inShop } from './testing/fleet.ts';
import { violationsOf } from './skew/violations.ts';

const policies = shippedPolicies();
const rule = policies.flatMap(({ spec }) => spec.kubernetes).find(({ id }) => id === 'antrea.kubernetes');
const east = [inShop('east', 'member')];

describe('the Kubernetes minors that were maintained at a release', () => {
  it.each([
    ['1.27', ['1.27', '1.26', '1.25', '1.24']],
    ['1.20', ['1.20', '1.19', '1.18', '1.17']],
    ['1.19', ['1.19', '1.18', '1.17']],
    ['1.1', ['1.1', '1.0']],
  ])('newest %s: three up to 1.19, four after', (newest, minors) => {
    expect(rule?.maintained === undefined ? [] : maintainedMinors(newest, rule.maintained)).toEqual(minors);
  });

  it('are those of an example of the project: 0.10 with 1.19, 1.18 and 1.17', () => {
    expect(rule && supportedMinors(rule, parseVersion('v0.10.2'))).toEqual(['1.19', '1.18', '1.17']);
    expect(rule && supportedMinors(rule, parseVersion('v2.99.0'))).toBeUndefined();
    expect(rule && supportedMinors({ ...rule, lists: { '0.10': ['1.16'] } }, parseVersion('v0.10.2'))).toEqual([
      '1.16',
    ]);
  });
});

describe('a Kubernetes window', () => {
  const reported = (...lines: readonly string[]) =>
    violationsOf(fleet(east, ...lines), policies, true).map(({ severity, why }) => [severity, why]);

  it('warns of a cluster at 1.23 under Antrea 1.13, and of its oldest kubelet', () => {
    expect(
      reported('east/antrea-controller v1.13.0', 'east/kube-apiserver v1.24.2', 'east/kubelet@n1 v1.24.0'),
    ).toEqual([]);
    expect(
      reported('east/antrea-controller v1.13.0', 'east/kube-apiserver v1.24.2', 'east/kubelet@n1 v1.23.9'),
    ).toEqual([
      [
        'warn',
        'a minor supports the Kubernetes minors that were maintained at its release: antrea-controller v1.13.0 (cluster east) supports Kubernetes ' +
          '1.24, 1.25, 1.26, 1.27, not kubelet v1.23.9 (Node n1 of cluster east)',
      ],
    ]);
  });

  it('of the controllers of ClusterSets is that of Antrea of the same version', () => {
    expect(reported('east/mc-member v2.7.0', 'east/kube-apiserver v1.33.0')).toEqual([]);
    expect(reported('east/mc-member v2.7.0', 'east/kube-apiserver v1.32.0')).toEqual([
      [
        'warn',
        'the Kubernetes minors are the same as for Antrea of the same version: mc-member v2.7.0 (cluster east) supports Kubernetes ' +
          '1.33, 1.34, 1.35, 1.36, not kube-apiserver v1.32.0 (cluster east)',
      ],
    ]);
    expect(reported('east/mc-leader v1.5.0', 'east/kube-apiserver v1.24.0')[0]?.[0]).toBe('warn');
  });

  it('notes where the data ends', () => {
    expect(reported('east/antrea-controller v2.99.0', 'east/kube-apiserver v1.36.0')).toEqual([
      ['info', 'the Kubernetes minors that antrea-controller v2.99.0 (cluster east) supports are unknown'],
    ]);
  });

  it('gives way to what a bundle promises of its component, which blocks', () => {
    const state = fleet(east, 'east/antrea-controller v1.13.0', 'east/kube-apiserver v1.23.0');
    const withRange = (min: string, max: string) =>
      violationsOf(state, policies, true, {
        supportOf: ({ type }) => (type === 'antrea-controller' ? { min, max } : undefined),
      });
    expect(withRange('1.22', '1.27')).toEqual([]);
    expect(withRange('1.24', '1.27')).toMatchObject([
      { rule: 'bundle.kubernetes', severity: 'block', subject: { cluster: 'east', component: 'antrea-controller' } },
    ]);
  });
});
