import { ClusterRoleBinding, ServiceAccount } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { systemClock } from '@isthmus/kube';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { serviceAccountToken, startRealFleet, tokenClient } from '@isthmus/testkit';

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

/**
 * A client for a base: over the same transport as the controllers, and a ServiceAccount's token like theirs (an administrator's certificate
 * would be verified anew for each request), with every right. Who gets it closes it.
 */
export async function baseClient({ admin, server }: RealCluster): Promise<Client> {
  const account = { name: 'bench', namespace: 'default' };
  await admin.create(ServiceAccount, { metadata: account });
  await admin.create(ClusterRoleBinding, {
    metadata: { name: 'bench' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  const token = await serviceAccountToken(admin, account.namespace, account.name);
  return tokenClient({ url: server.url, caData: server.caData, token }, { clock: systemClock() });
}

/** Process numbers of the API servers and their etcds. */
export function serverPids(fleet: RealFleet): readonly number[] {
  return fleet.clusters.flatMap(({ server }) =>
    (['etcd', 'kube-apiserver'] as const).flatMap((component) => server.pid(component) ?? []),
  );
}
