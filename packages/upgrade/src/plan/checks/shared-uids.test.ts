import { expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

/** What is found of two clusters with these facts. */
function found(a: object, b: object, more: object = {}) {
  const components = [running('x', 'v1.0.0')];
  const clusters = [
    { name: 'a', components, facts: a },
    { name: 'b', context: 'admin@b', components, facts: b, ...more },
  ];
  const { spec } = planOf(loadedOf([written({ id: 'x', version: { upstream: 'v1.1.0' } })]), snapshotOf({ clusters }));
  return spec.findings.filter(({ rule }) => rule === 'plan.same-uid').map(({ why, unblock }) => [why, unblock]);
}
const at = (server: string, machines?: string) => ({
  'cluster/uid': 'u',
  'cluster/server': server,
  ...(machines === undefined ? {} : { 'cluster/machines': machines }),
});

it('reports two clusters of one UID that may be one, with the way to find out, and no others', () => {
  expect(found(at('x:1'), at('y:1'))).toEqual([
    [
      'b (y:1) has the UID of a (x:1): it was restored from the same backup, or it is the same cluster and would be upgraded twice',
      'compare `kubectl --context a get nodes -o wide` and `kubectl --context admin@b get nodes -o wide`: with the same Nodes they are one cluster; then delete one of the two from the snapshot',
    ],
  ]);
  expect(found(at('x:1', 'm1,m2'), at('y:1', 'm2,m3'))).toHaveLength(1);
  expect(found(at('x:1', 'm1'), at('y:1', 'm2'))).toEqual([]);
  expect(found(at('x:1'), { ...at('y:1'), 'cluster/uid': 'v' })).toEqual([]);
  expect(found(at('x:1'), at('y:1'), { paused: true })).toEqual([]);
  expect(found({}, {})).toEqual([]);
});
