import { Secret, Service } from '@isthmus/api';
import type { Access } from '@isthmus/kube';
import { createClient, noLog, noMetrics } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { seededRandom } from '@isthmus/machinery';
import { createVirtualClock, grantAccess } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../sandbox.ts';
import type { ControllerName } from './cluster-controllers.ts';
import { controllerNames, createClusterControllers } from './cluster-controllers.ts';
import { ClusterRole, DaemonSet, Deployment, Namespace, Pod, StatefulSet } from './kinds.ts';

const username = 'system:controllers';
const everything: readonly ControllerName[] = ['namespace', 'garbage-collector'];

const workload = (name: string): KubernetesObject & Pick<Required<Deployment>, 'spec'> => ({
  metadata: { name, namespace: 'a' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  },
});

/**
 * The requests that the server rejected while controllers, with `access` as their only rights, run
 * workloads, update them and delete their Namespace.
 */
async function refusals(which: readonly ControllerName[], without: (access: Access) => boolean = () => false) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const refused = new Set<string>();
  let isGoing = false;
  const { admin, transport, mintToken } = createSandbox({
    name: 'access',
    clock,
    onAnswer({ method, path }, by, status) {
      // No client may create objects in a terminating Namespace.
      if (status !== 403 || by !== username || (isGoing && method === 'POST')) return;
      refused.add(`${method} ${path}`);
    },
  });
  const user = { username, groups: ['system:authenticated'] };
  const controllers = createClusterControllers({
    client: createClient({ transport: transport({ kind: 'user', user }), clock }),
    world: { clock, random: seededRandom(3), log: noLog, metrics: noMetrics },
    which,
    mintToken,
    kubelet: { nodes: [{ name: 'n1', podCIDR: '10.244.1.0/24' }] },
  });
  const access = controllers.access.filter((one) => !without(one));
  const to = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: username };
  grantAccess(admin, { name: 'controllers', namespace: 'default', access, to });
  const end = new AbortController();
  const run = controllers.run(end.signal);
  await clock.advance(1_000);
  admin.put(Namespace, { metadata: { name: 'a' } });
  admin.put(ClusterRole, { metadata: { name: 'all' }, aggregationRule: { clusterRoleSelectors: [{}] } });
  await clock.advance(1_000);
  const annotations = { 'kubernetes.io/service-account.name': 'default' };
  const type = 'kubernetes.io/service-account-token';
  admin.put(Secret, { metadata: { name: 'key', namespace: 'a', annotations }, type });
  admin.put(Service, {
    metadata: { name: 'd', namespace: 'a' },
    spec: { selector: { app: 'd' }, ports: [{ port: 80 }] },
  });
  const types = [Deployment, StatefulSet, DaemonSet];
  for (const kind of types) admin.put<KubernetesObject>(kind, workload(kind.kind.toLowerCase().slice(0, 1)));
  await clock.advance(2_000);
  for (const kind of types) {
    const ref = { namespace: 'a', name: kind.kind.toLowerCase().slice(0, 1) };
    const changed = { spec: { template: { spec: { containers: [{ name: 'c', image: 'i:2' }] } } } };
    admin.patch<KubernetesObject>(kind, ref, changed);
  }
  await clock.advance(40_000);
  const images = admin.list(Pod, 'a').map(({ spec }) => spec?.containers?.[0]?.image);
  isGoing = true;
  admin.delete(Namespace, { name: 'a' });
  await clock.advance(40_000);
  const isGone = admin.get(Namespace, { name: 'a' }) === undefined;
  end.abort(new Error('the test is over'));
  await clock.advance(20_000);
  await run;
  return { refused: [...refused], images, isGone };
}

describe('what the controllers declare that they have to do', () => {
  it('is enough for all but those that read and delete everything', async () => {
    const which = controllerNames.filter((name) => !everything.includes(name));
    expect(await refusals(which)).toMatchObject({ refused: [], images: ['i:2', 'i:2', 'i:2'] });
  });

  it('is enough for all of them', async () => {
    expect(await refusals(controllerNames)).toEqual({ refused: [], images: ['i:2', 'i:2', 'i:2'], isGone: true });
  });

  it.each<readonly [ControllerName, string]>([
    ['namespace', 'finalize'],
    ['deployment', 'status'],
  ])('is missed where it is not granted (%s)', async (_, subresource) => {
    const which = controllerNames.filter((name) => name !== 'garbage-collector');
    const { refused } = await refusals(which, (access) => access.subresource === subresource);
    expect(refused.length).toBeGreaterThan(0);
  });
});
