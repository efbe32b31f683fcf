import { describe, expect, it } from 'vitest';
import { FleetIndex } from '../../fleet/fleet-index.ts';
import type { KubernetesWindow } from '../version-rules.ts';
import { fleet, inShop } from '../testing/fleet.ts';
import { supportFindings, windowFindings } from './window-findings.ts';

const clusters = [inShop('east', 'member'), inShop('west', 'member')];
const rule: KubernetesWindow = {
  id: 'test.window',
  severity: 'warn',
  source: 'a test',
  subject: 'antrea-controller',
  lists: { '2.0': ['1.30', '1.31'] },
};

describe('the Kubernetes window of a component', () => {
  const state = fleet(
    clusters,
    ...['east', 'west'].flatMap((cluster) => [
      `${cluster}/antrea-controller v2.0.0`,
      `${cluster}/kube-apiserver v1.32.0`,
      `${cluster}/coredns v1.0.0`,
    ]),
  );
  const found = (...touched: readonly string[]) =>
    windowFindings(rule, {
      index: new FleetIndex(state),
      supportOf: () => undefined,
      touched: fleet([], ...touched).instances,
    }).map(({ subject }) => subject?.cluster);

  it.each<readonly [string, readonly string[]]>([
    ['west/antrea-controller v2.0.0', ['west']],
    ['west/kube-apiserver v1.31.0', ['west']],
    ['west/kubelet@n1 v1.31.0', ['west']],
    ['west/coredns v1.0.0', []],
    ['north/kube-apiserver v1.31.0', []],
  ])('after a change of %s is looked at in %j', (touched, expected) => {
    expect(found(touched)).toEqual(expected);
  });

  it('is looked at once in each cluster', () => {
    expect(found('east/kubelet@n1 v1.31.0', 'east/kube-apiserver v1.31.0', 'west/kubelet v1.31.0')).toEqual([
      'east',
      'west',
    ]);
    expect(found()).toEqual([]);
  });

  it('reports nothing of what runs in no cluster', () => {
    const nowhere = new FleetIndex(fleet([], 'antrea-controller v2.0.0', 'kube-apiserver v1.32.0'));
    expect(windowFindings(rule, { index: nowhere, supportOf: () => undefined })).toEqual([]);
  });

  it('contains both ends of the range that a bundle gives', () => {
    const minors = ['1.29', '1.30', '1.31', '1.32', '1.33'];
    const outside = minors.filter((minor) => {
      const index = new FleetIndex(fleet(clusters, 'east/antrea-agent v2.0.0', `east/kube-apiserver v${minor}.0`));
      const supportOf = ({ type }: { readonly type: string }) =>
        type === 'antrea-agent' ? { min: '1.30', max: '1.32' } : undefined;
      return supportFindings({ index, supportOf }).length > 0;
    });
    expect(outside).toEqual(['1.29', '1.33']);
  });
});
