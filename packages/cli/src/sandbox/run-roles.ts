import { FixedName } from '@isthmus/api';
import type { RoleName } from '@isthmus/controlplane';
import { defaultControllerConfig } from '@isthmus/controlplane';
import type { Log } from '@isthmus/kube';
import { createClient, noMetrics, staticToken } from '@isthmus/kube';
import { roles } from '../controller/role.ts';
import { isthmusVersion } from '../version/version.ts';
import { accountToken } from './account-token.ts';
import type { FleetCluster, FleetWorld } from './fleet-cluster.ts';

/**
 * Runs the controllers of a cluster's roles in this process until `signal` aborts. Each reaches its
 * API server as it would from a Pod: over HTTPS, with a token of the ServiceAccount that the
 * manifests make for it, and so with no other rights. Errors: rejects where one fails.
 */
export async function runRoles(cluster: FleetCluster, world: FleetWorld, signal: AbortSignal): Promise<void> {
  const names: readonly RoleName[] = [
    ...(cluster.isLeader ? (['leader'] as const) : []),
    ...(cluster.isMember ? (['member'] as const) : []),
  ];
  await Promise.all(names.map((name) => runRole(name, cluster, { ...world, signal })));
}

async function runRole(
  name: RoleName,
  cluster: FleetCluster,
  { network, signal, clock, random, log }: FleetWorld & { readonly signal: AbortSignal },
): Promise<void> {
  const role = roles[name];
  const namespace = role.defaultNamespace;
  const userAgent = `isthmus-${name}/${isthmusVersion}`;
  const transport = network.dial({
    server: cluster.url,
    caPem: cluster.caData,
    credentials: staticToken(await accountToken(cluster.admin, namespace, FixedName.controllerServiceAccount)),
    userAgent,
  });
  const client = createClient({ transport, clock, server: `the API server of ${cluster.name}` });
  const ownLog: Log = log.with({ cluster: cluster.name, role: name });
  try {
    const plane = role.createControlPlane({
      client,
      namespace,
      config: { ...defaultControllerConfig(), ...cluster.config },
      identity: cluster.name,
      userAgent,
      network,
      world: { clock, random, log: ownLog, metrics: noMetrics },
      signal,
    });
    await plane.run(signal);
  } finally {
    client.close();
  }
}
