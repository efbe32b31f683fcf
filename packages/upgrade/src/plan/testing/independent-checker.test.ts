import { describe, expect, it } from 'vitest';
import { fleet, inShop, managed } from '../../policy/testing/fleet.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { brokenOrder, brokenRules, brokenStep } from './independent-checker.ts';

const shop = [inShop('north', 'leader'), inShop('east', 'member')];

describe('the checker of plans', () => {
  it.each([
    [
      'antrea.agent',
      ['east/antrea-controller v1.13.1', 'east/antrea-agent@n v1.13.2'],
      ['east/antrea-controller v2.1.0', 'east/antrea-agent@n v1.13.2'],
    ],
    [
      'antrea.antctl',
      ['east/antrea-controller v2.2.0', 'antctl v1.13.2'],
      ['east/antrea-controller v1.13.1', 'antctl v1.13.1'],
    ],
    [
      'antrea.fa',
      ['east/antrea-agent@n v1.9.0', 'east/flow-aggregator v1.14.0'],
      ['east/antrea-agent@n v1.9.0', 'east/flow-aggregator v1.13.0'],
    ],
    [
      'mc.order',
      ['north/mc-leader v2.6.0', 'east/mc-member v2.7.0'],
      ['north/mc-leader v2.7.0', 'east/mc-member v2.6.0'],
    ],
    ['mc.antctl', ['north/mc-leader v2.6.0', 'antctl v2.6.1'], ['north/mc-leader v2.6.0', 'antctl v2.5.0']],
    [
      'k8s.apiserver-ha',
      ['east/kube-apiserver#a v1.31.0', 'east/kube-apiserver#b v1.33.0'],
      ['east/kube-apiserver#a v1.31.0', 'east/kube-apiserver#b v1.32.0'],
    ],
    [
      'k8s.kubelet',
      ['east/kube-apiserver v1.27.0', 'east/kubelet@n v1.24.0'],
      ['east/kube-apiserver v1.28.0', 'east/kubelet@n v1.25.0'],
    ],
    [
      'k8s.kproxy',
      ['east/kube-proxy@n v1.24.0', 'east/kubelet@n v1.27.0'],
      ['east/kube-proxy@n v1.25.0', 'east/kubelet@n v1.28.0'],
    ],
    [
      'k8s.cm',
      ['east/kube-apiserver v1.31.0', 'east/kube-scheduler v1.32.0'],
      ['east/kube-apiserver v1.32.0', 'east/kube-scheduler v1.31.0'],
    ],
    [
      'k8s.kubectl',
      ['east/kube-apiserver v1.31.0', 'kubectl v1.33.0'],
      ['east/kube-apiserver v1.31.0', 'kubectl v1.32.0'],
    ],
  ])('%s: one fleet breaks it, one does not', (rule, bad, good) => {
    expect(brokenRules(fleet(shop, ...bad), 'on-the-way').map((one) => one.split(':')[0])).toContain(rule);
    expect(brokenRules(fleet(shop, ...good), 'on-the-way')).toEqual([]);
  });

  it('mc.same is asked at the end alone', () => {
    const state = fleet(shop, 'north/mc-leader v2.7.0', 'east/mc-member v2.6.0');
    expect(brokenRules(state, 'on-the-way')).toEqual([]);
    expect(brokenRules(state, 'at-the-end')).toHaveLength(1);
  });

  it.each([
    ['antrea.fa', 'flow-aggregator', 'antrea-agent', 'east'],
    ['antrea.order', 'antrea-agent', 'antrea-controller', 'east'],
    ['mc.order', 'mc-member', 'mc-leader', 'north'],
  ])('%s: %s begins when %s is through', (rule, next, first, cluster) => {
    const begins = { type: next, cluster: 'east', to: 'v2.7.0' };
    const broken = brokenOrder(begins, [{ type: first, cluster, to: 'v2.7.0' }]);
    expect(broken.map((one) => one.split(':')[0])).toEqual([rule]);
    expect(brokenOrder(begins, [{ type: first, cluster, to: 'v2.8.0' }])).toEqual([]);
  });

  it('eksa.mgmt is about a cluster and the one that manages it', () => {
    const clusters = [managed('m'), managed('w', 'm')];
    expect(brokenRules(fleet(clusters, 'm/eks-anywhere v0.20.0', 'w/eks-anywhere v0.21.0'), 'on-the-way')).toHaveLength(
      1,
    );
    expect(brokenRules(fleet(clusters, 'm/eks-anywhere v0.21.0', 'w/eks-anywhere v0.20.0'), 'on-the-way')).toEqual([]);
  });

  it.each([
    ['kube-apiserver', 'v1.31.0', 'v1.33.0', false],
    ['kube-apiserver', 'v1.31.0', 'v1.32.4', true],
    ['kube-apiserver', 'v1.32.0', 'v1.31.0', false],
    ['antrea-controller', 'v1.14.0', 'v2.2.0', true],
    ['antrea-controller', 'v1.14.0', 'v2.3.0', false],
    ['cilium', 'v1.17.0', 'v1.16.0', true],
    ['cilium', 'v1.18.0', 'v1.16.0', false],
    ['capi-core', 'v1.6.0', 'v1.9.0', true],
    ['eks-anywhere', 'v0.20.0', 'v0.22.0', false],
  ])('%s from %s to %s: %s', (type, from, to, fits) => {
    expect(brokenStep(type, parseVersion(from), parseVersion(to)).length === 0).toBe(fits);
  });
});
