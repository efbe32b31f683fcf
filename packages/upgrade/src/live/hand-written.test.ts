import { expect, it } from 'vitest';
import { clusterOfFacts } from './cluster-of-facts.ts';
import { withHandWritten } from './hand-written.ts';
import { factsOf, workload } from './testing/live-objects.ts';

const deployments = [workload('antrea-controller', ['antrea-controller=antrea/antrea-controller-ubuntu:v2.7.0'])];
const kustomizations = [{ metadata: { name: 'apps', namespace: 'flux-system' }, spec: { suspend: true } }];
const read = (objects: Parameters<typeof factsOf>[0], uid = 'u') =>
  clusterOfFacts({ ...factsOf(objects), uid }, { context: 'a', server: 'a:6443', readAt: '2026-11-21T09:00:00Z' });

it('keeps, when a cluster is read again, what a person wrote, and nothing that an earlier reading made', () => {
  const before = read({ deployments, kustomizations });
  const edited = {
    ...before,
    paused: true,
    facts: { ...before.facts, 'team/approved': 'yes' },
    components: before.components.map((one) =>
      one.id === 'antrea-controller' ? { ...one, skip: 'our own build' } : one,
    ),
  };
  const again = withHandWritten(read({ deployments }), edited);
  expect(again.paused).toBe(true);
  expect(again.facts).toEqual({ 'cluster/uid': 'u', 'cluster/server': 'a:6443', 'team/approved': 'yes' });
  expect(again.components.find(({ id }) => id === 'antrea-controller')?.skip).toBe('our own build');
});

it('keeps nothing of another cluster to which the context leads by now', () => {
  const last = { ...read({}), paused: true, facts: { 'cluster/uid': 'u', 'team/approved': 'yes' } };
  const other = read({}, 'v');
  expect(withHandWritten(other, last)).toEqual(other);
});

it('drops the skip that EKS Anywhere set before and does not set any more', () => {
  const cilium = workload('cilium-operator', ['cilium-operator=quay.io/cilium/operator-generic:v1.17.0']);
  const cluster = (skipUpgrade: boolean) =>
    read({
      deployments: [cilium],
      eksaClusters: [{ metadata: { name: 'm' }, spec: { clusterNetwork: { cniConfig: { cilium: { skipUpgrade } } } } }],
    });
  const skipOf = ({ components }: ReturnType<typeof read>) => components.find(({ id }) => id === 'cilium')?.skip;
  expect(skipOf(cluster(true))).toBeDefined();
  expect(skipOf(withHandWritten(cluster(false), cluster(true)))).toBeUndefined();
});
