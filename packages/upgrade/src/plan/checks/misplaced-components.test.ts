import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

const bundle = loadedOf([
  written({ id: 'antrea-controller', version: { upstream: 'v2.2.0' } }),
  written({ id: 'antrea-mc-controller', version: { upstream: 'v2.2.0' }, roles: ['leader', 'member'] }),
]);

/**
 * What is found about a cluster with these roles, where the controller of ClusterSets runs in that
 * version.
 */
function found(roles: readonly string[], version: string) {
  const components = [running('antrea-controller', 'v2.1.0'), running('antrea-mc-controller', version)];
  const { spec } = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', roles, components }] }));
  const about = spec.findings.filter(({ rule }) => rule === 'plan.role');
  return {
    steps: (spec.steps ?? []).some((step) => JSON.stringify(step).includes('antrea-mc-controller')),
    found: about.map(({ severity, why }) => `${severity} ${why}`),
  };
}

describe('a component that runs where the bundle does not have it', () => {
  it('is a warning, and stays as it is', () => {
    expect(found(['workload'], 'v2.1.0')).toEqual({
      steps: false,
      found: [
        'warn antrea-mc-controller runs in a cluster with the roles workload, but the bundle has it for leader, member; the plan does not change it',
      ],
    });
  });

  it('is not mentioned where the cluster has one of the roles, or runs the version of the bundle', () => {
    expect(found(['member', 'workload'], 'v2.1.0')).toEqual({ steps: true, found: [] });
    expect(found(['workload'], 'v2.2.0')).toEqual({ steps: false, found: [] });
  });
});
