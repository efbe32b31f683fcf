import { describe, expect, it } from 'vitest';
import { digest, written } from '../../bundle/testing/bundle-of.ts';
import { snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

const workloads = [{ kind: 'Deployment', namespace: 'kube-system', name: 'x' }];

/** What is found where x runs in these Namespaces. */
function found(namespaces: readonly string[], component: object = { workloads }, contents: readonly object[] = []) {
  const manifest = { name: 'manifest', kind: 'manifest', uri: 'x.yaml', digest: digest(5) };
  const bundle = {
    ...loadedOf([written({ id: 'x', version: { upstream: 'v1.1.0' }, artifacts: [manifest], ...component })]),
    contents: new Map([[digest(5), contents as never]]),
  };
  const live = namespaces.map((namespace) => ({ version: 'v1.0.0', namespace, name: `${namespace}/x` }));
  const { spec } = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', components: [{ id: 'x', live }] }] }));
  const about = spec.findings.filter(({ rule }) => rule === 'plan.other-namespace');
  return { outcome: spec.outcome, found: about.map(({ why }) => why) };
}

describe('a component that runs in another Namespace than the bundle has it in', () => {
  const why =
    'x runs in Namespace net, but the bundle has it in kube-system: it would be installed a second time, and the running one would not be upgraded';

  it('blocks, because it would be installed twice', () => {
    expect(found(['net'])).toEqual({ outcome: 'blocked', found: [why] });
  });

  it('blocks in part as well: one of its installations would stay as it is', () => {
    expect(found(['kube-system', 'net'])).toEqual({ outcome: 'blocked', found: [why] });
  });

  it('is found by the workloads of the manifest where the bundle names none', () => {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', namespace: 'kube-system' } };
    expect(found(['net'], {}, [object]).found).toEqual([why]);
    expect(found(['kube-system'], {}, [object])).toEqual({ outcome: 'ready', found: [] });
  });

  it('is upgraded where it runs in the Namespace of the bundle, where nobody knows, and by a tool that knows itself', () => {
    expect(found(['kube-system'])).toEqual({ outcome: 'ready', found: [] });
    expect(found([])).toEqual({ outcome: 'ready', found: [] });
    expect(found(['net'], { workloads, method: 'helm' }).found).toEqual([]);
  });
});
