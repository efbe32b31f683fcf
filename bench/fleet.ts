import { ClusterRoleBinding, ServiceAccount } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isAlreadyExists, systemClock } from '@isthmus/kube';
import type { Role } from '@isthmus/fleet-sim';
import type { Access, RealFleet } from '@isthmus/testkit';
import { serviceAccountToken, startRealFleet, tokenClient } from '@isthmus/testkit';

/** A cluster of whichever API server, as a measurement meets it. */
export interface BenchCluster {
  readonly name: string;
  readonly role: Role;
  /** An administrator's client. */
  readonly admin: Client;
  readonly server: { readonly url: string; readonly caData: string };
}

/** Clusters that are joined to one ClusterSet: leader `north`, and members. */
export interface BenchFleet<T extends BenchCluster = BenchCluster> {
  readonly clusters: readonly T[];
  cluster(name: string): T;
}

export interface FleetOptions {
  /** Called with the time until the API servers were ready. */
  readonly started?: ((ms: number) => void) | undefined;
  /** Whether EndpointSlices are made of Endpoints, which Antrea's controllers write. */
  readonly mirrorsEndpoints?: boolean | undefined;
}

/**
 * Real API servers, leader `north` and these members, joined to one ClusterSet; no controller runs.
 * Of kube-controller-manager only what makes ServiceAccounts and tokens: nothing else is to use the
 * processors.
 */
export async function joinedFleet(
  members: readonly string[],
  { started, mirrorsEndpoints = false }: FleetOptions = {},
): Promise<RealFleet> {
  await using stack = new AsyncDisposableStack();
  const fleet = stack.use(
    await startRealFleet({
      clusters: { north: 'leader', ...Object.fromEntries(members.map((name) => [name, 'member' as const])) },
      kubeControllers: [
        'serviceaccount-controller',
        'serviceaccount-token-controller',
        ...(mirrorsEndpoints ? ['endpointslice-mirroring-controller'] : []),
      ],
      async run(phase, work) {
        const from = performance.now();
        const result = await work();
        if (phase === 'start the API servers') started?.(performance.now() - from);
        return result;
      },
    }),
  );
  await Promise.all(fleet.clusters.map((cluster) => cluster.stop()));
  const owned = stack.move();
  return { ...fleet, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/**
 * A client for a base. It uses the same transport as the controllers, and a ServiceAccount's token
 * like theirs, with every right. An administrator's certificate would be verified again for each
 * request. `connect`: opens it other than over HTTPS. The caller closes it.
 */
export async function baseClient(
  { admin, server }: BenchCluster,
  connect: (access: Access) => Client = (access) => tokenClient(access, { clock: systemClock() }),
): Promise<Client> {
  const account = { name: 'bench', namespace: 'default' };
  const made = [
    admin.create(ServiceAccount, { metadata: account }),
    admin.create(ClusterRoleBinding, {
      metadata: { name: 'bench' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    }),
  ];
  for (const each of await Promise.allSettled<unknown>(made)) {
    // Another measurement in the same cluster has made them.
    if (each.status === 'rejected' && !isAlreadyExists(each.reason)) throw each.reason;
  }
  const token = await serviceAccountToken(admin, account.namespace, account.name);
  return connect({ url: server.url, caData: server.caData, token });
}

/** Process numbers of the API servers and their etcds. */
export function serverPids(fleet: RealFleet): readonly number[] {
  return fleet.clusters.flatMap(({ server }) =>
    (['etcd', 'kube-apiserver'] as const).flatMap((component) => server.pid(component) ?? []),
  );
}
