import { FixedName } from '@isthmus/api';
import type { RoleName } from '@isthmus/clusterset';
import { defaultControllerConfig } from '@isthmus/clusterset';
import type { Client, Log } from '@isthmus/kube';
import { createClient, noMetrics, staticToken } from '@isthmus/kube';
import { roles } from '../controller/role.ts';
import { isthmusVersion } from '../version/version.ts';
import type { FleetCluster, FleetWorld } from './fleet-cluster.ts';

/** As long as the certificates of a sandbox are good for; a controller that is handed a token does not ask for another. */
const tokenSeconds = 10 * 24 * 3600;

/**
 * Runs the controllers of a cluster's roles in this process until `signal` aborts. Each reaches its API server as it would from a Pod: over HTTPS,
 * with a token of the ServiceAccount that the manifests make for it, and so with no other rights. Errors: rejects where one fails.
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
    credentials: staticToken(await controllerToken(cluster.admin, namespace)),
    userAgent,
  });
  const client = createClient({ transport, clock, server: `the API server of ${cluster.name}` });
  const ownLog: Log = log.with({ cluster: cluster.name, role: name });
  try {
    const plane = role.createControlPlane({
      client,
      namespace,
      config: defaultControllerConfig(),
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

async function controllerToken(admin: Client, namespace: string): Promise<string> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  };
  const { text } = await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${FixedName.controllerServiceAccount}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (JSON.parse(text) as { readonly status: { readonly token: string } }).status.token;
}
