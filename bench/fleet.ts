import type { RealFleet } from '@isthmus/testkit';
import { startRealFleet } from '@isthmus/testkit';

/**
 * Real API servers, leader `north` and these members, joined to one ClusterSet; no controller runs. Of kube-controller-manager only what
 * makes ServiceAccounts and tokens: nothing else is to use the processors.
 */
export async function joinedFleet(members: readonly string[]): Promise<RealFleet> {
  await using stack = new AsyncDisposableStack();
  const fleet = stack.use(
    await startRealFleet({
      clusters: { north: 'leader', ...Object.fromEntries(members.map((name) => [name, 'member' as const])) },
      kubeControllers: ['serviceaccount-controller', 'serviceaccount-token-controller'],
    }),
  );
  await Promise.all(fleet.clusters.map((cluster) => cluster.stop()));
  const owned = stack.move();
  return { ...fleet, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Process numbers of the API servers and their etcds. */
export function serverPids(fleet: RealFleet): readonly number[] {
  return fleet.clusters.flatMap(({ server }) =>
    (['etcd', 'kube-apiserver'] as const).flatMap((component) => server.pid(component) ?? []),
  );
}
