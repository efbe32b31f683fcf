import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

const bundle = loadedOf([
  written({ id: 'antrea-controller', version: { upstream: 'v2.2.0' } }),
  written({ id: 'antrea-agent', version: { upstream: 'v2.2.0' }, scope: 'node' }),
]);

/** What is asked about components of a cluster: `severity why`. */
function asked(...components: readonly object[]) {
  const { spec } = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', components }] }));
  const found = spec.findings.filter(({ rule }) => rule === 'plan.unknown-component');
  return { outcome: spec.outcome, found: found.map(({ severity, why }) => `${severity} ${why}`) };
}

const controller = running('antrea-controller', 'v2.1.0');

describe('a component that nothing knows', () => {
  it.each(['antrea-agnet', 'antrea-agen', 'antreaagent', 'antrea-agents'])(
    'blocks as %s, where the bundle would install the component that is meant',
    (id) => {
      expect(asked(controller, running(id, 'v2.1.0'))).toEqual({
        outcome: 'blocked',
        found: [
          `block no bundle and no policy has a component ${id}, so no rule was checked for it; did you mean antrea-agent? The plan would install antrea-agent here`,
        ],
      });
    },
  );

  it('is a question where nothing like it would be installed', () => {
    const agent = running('antrea-agent', 'v2.1.0', ['n']);
    expect(asked(controller, agent, running('antrea-agnet', 'v2.1.0'), running('our-proxy', 'v1.0.0')).found).toEqual([
      'warn no bundle and no policy has a component antrea-agnet, so no rule was checked for it; did you mean antrea-agent?',
      'warn no bundle and no policy has a component our-proxy, so no rule was checked for it',
    ]);
  });

  it('is a note where snapshots of live clusters give it this id', () => {
    const agent = running('antrea-agent', 'v2.1.0', ['n']);
    expect(asked(controller, agent, running('flux', 'v2.3.0')).found).toEqual([
      'info no bundle and no policy has a component flux, so no rule was checked for it',
    ]);
  });

  it('does not include parts of Kubernetes, nor what a policy knows by its id or type', () => {
    const agent = running('antrea-agent', 'v2.1.0', ['n']);
    const own = { ...running('our-agent', 'v2.1.0'), type: 'antrea-agent' };
    const more = [running('kubelet', 'v1.34.0', ['n']), running('etcd', 'v3.6.0'), running('cilium', 'v1.18.0'), own];
    expect(asked(controller, agent, ...more).found).toEqual([]);
  });
});
