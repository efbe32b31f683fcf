import { ClusterSet, FixedName, Namespace, clusterIDErrors } from '@isthmus/api';
import type { Client, ConnectionSettings } from '@isthmus/kube';
import { createClient, isNotFound, isNotServed } from '@isthmus/kube';
import { leaderOf, servedClusterSet } from '@isthmus/wire';
import { UsageError } from '../command/usage-error.ts';
import { findApiServer, openApiServer, printWarnings } from '../connection/find-api-server.ts';
import { withUserAdvice } from '../connection/not-allowed.ts';
import { isthmusVersion } from '../version/version.ts';
import type { Io } from '../world/io.ts';

export interface LeaderFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The leader on which a command works. */
export interface Leader {
  readonly client: Client;
  readonly connection: ConnectionSettings;
  readonly namespace: string;
  /** How a command for this leader begins: with the context that the flags name. */
  readonly kubectl: string;
}

/**
 * Does `work` on the leader that the flags name. Errors: {@link UsageError} where they name none,
 * or the ID of the cluster is not valid.
 */
export async function onLeader<T>(
  io: Io,
  { clusterID, flags }: { readonly clusterID: string; readonly flags: LeaderFlags },
  work: (leader: Leader) => Promise<T>,
): Promise<T> {
  const [wrong] = clusterIDErrors(clusterID);
  if (wrong !== undefined) throw new UsageError(`${JSON.stringify(clusterID)} is not a valid cluster ID: ${wrong}`);
  const connection = await findApiServer(io, flags, 'the API server of the leader');
  printWarnings(io, connection);
  const transport = await openApiServer(io, connection, `isthmus/${isthmusVersion} (grant)`);
  const client = createClient({ transport, clock: io.clock, server: `the API server ${connection.server}` });
  try {
    const kubectl = flags.context === undefined ? 'kubectl' : `kubectl --context ${flags.context}`;
    return await work({ client, connection, namespace: flags.namespace ?? FixedName.leaderNamespace, kubectl });
  } catch (error) {
    throw withUserAdvice(error);
  } finally {
    client.close();
  }
}

/** The name of the leader's ClusterSet, and the ID of the leader. */
export async function leaderClusterSet({
  client,
  namespace,
}: Leader): Promise<{ readonly name: string; readonly clusterID: string }> {
  const served = servedClusterSet(await clusterSetsIn(client, namespace));
  const clusterID = served === undefined ? '' : (leaderOf(served)?.clusterID ?? served.spec?.clusterID ?? '');
  if (served === undefined || clusterID === '') {
    const why = `Namespace ${namespace} has no ClusterSet of a leader`;
    throw new Error(
      `cannot find the ClusterSet to join: ${why}. Create it there first, or name the Namespace of the leader's controller with --namespace, and its cluster with --context`,
    );
  }
  return { name: served.metadata.name, clusterID };
}

async function clusterSetsIn(client: Client, namespace: string): Promise<readonly ClusterSet[]> {
  try {
    await client.get(Namespace, { namespace: '', name: namespace });
    return (await client.list(ClusterSet, { namespace })).items;
  } catch (error) {
    if (isNotFound(error) || isNotServed(error)) return [];
    throw error;
  }
}
