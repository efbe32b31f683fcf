import {
  Annotation,
  Secret,
  ServiceAccount,
  joinAccountName,
  memberAccountName,
  memberAnnounceName,
  renewalRoleName,
  serviceAccountTokenType,
} from '@isthmus/api';
import { orNotFound } from '@isthmus/kube';
import { firstNames } from '@isthmus/machinery';
import { ExitCode } from '../command/exit-code.ts';
import type { Io } from '../world/io.ts';
import type { Leader, LeaderFlags } from './leader.ts';
import { leaderClusterSet, onLeader } from './leader.ts';

/** Ends the tokens of a cluster. */
export async function runRevoke(io: Io, clusterID: string, flags: LeaderFlags): Promise<ExitCode> {
  return onLeader(io, { clusterID, flags }, async (leader) => {
    await leaderClusterSet(leader);
    const { client, namespace, kubectl } = leader;
    const accounts = await accountsOf(leader, clusterID);
    const secrets = await secretsOf(leader, { clusterID, accounts });
    if (accounts.length === 0 && secrets.length === 0) throw await unknownCluster(leader, clusterID);
    for (const name of secrets) await orNotFound(client.delete(Secret, { namespace, name }));
    const ended =
      secrets.length === 0
        ? `Cluster ${clusterID} has no tokens any more that end with a Secret of Namespace ${namespace}.`
        : `The tokens of cluster ${clusterID} are no longer valid: deleted Secret ${secrets.join(', Secret ')}. Requests with them fail within 15 seconds.`;
    const names = [...new Set([memberAccountName(clusterID), joinAccountName(clusterID), ...accounts])];
    io.stdout.write(
      `${[ended, ...remaining({ clusterID, kubectl: `${kubectl} -n ${namespace}`, names })].join('\n')}\n`,
    );
    return ExitCode.ok;
  });
}

/** A typo must not look like a cluster whose tokens have ended. */
async function unknownCluster({ client, namespace, kubectl }: Leader, clusterID: string): Promise<Error> {
  const { items } = await client.list(ServiceAccount, { namespace });
  const known = items.flatMap(({ metadata }) => metadata.annotations?.[Annotation.clusterID] ?? []);
  const named = known.length === 0 ? '' : ` Clusters with an account: ${firstNames(known.toSorted(), mostNamed)}.`;
  return new Error(
    `cannot revoke the tokens of cluster ${clusterID}: no account and no Secret of Namespace ${namespace} belongs to it.${named} To list the accounts of members: ${kubectl} -n ${namespace} get rolebindings -o wide`,
  );
}

const mostNamed = 10;

/** The accounts of the cluster: by name, and by their annotation. */
async function accountsOf({ client, namespace }: Leader, clusterID: string): Promise<readonly string[]> {
  const { items } = await client.list(ServiceAccount, { namespace });
  return items
    .filter(({ metadata }) => {
      const bound = metadata.annotations?.[Annotation.clusterID];
      return bound === undefined ? metadata.name === memberAccountName(clusterID) : bound === clusterID;
    })
    .map(({ metadata }) => metadata.name);
}

/** Anchors of tokens that expire, and the Secrets that hold others, in the order of their names. */
async function secretsOf(
  { client, namespace }: Leader,
  { clusterID, accounts }: { readonly clusterID: string; readonly accounts: readonly string[] },
): Promise<readonly string[]> {
  const anchors = [joinAccountName(clusterID), ...accounts];
  const { items } = await client.list(Secret, { namespace });
  return items
    .filter(({ type, metadata }) => {
      const holder = metadata.annotations?.[Annotation.serviceAccountName];
      if (type === serviceAccountTokenType) return holder !== undefined && accounts.includes(holder);
      return anchors.includes(metadata.name);
    })
    .map(({ metadata }) => metadata.name);
}

function remaining(at: {
  readonly clusterID: string;
  readonly kubectl: string;
  readonly names: readonly string[];
}): readonly string[] {
  const { clusterID, kubectl, names } = at;
  const run = `${kubectl} delete --ignore-not-found`;
  const renew = renewalRoleName(clusterID);
  return [
    'Its exports stay published for 24 hours, and it keeps its imports. To connect it again, run isthmus grant, and apply the file there.',
    'To remove it now, with what it exported and tokens of kubectl create token, also run:',
    `  ${run} serviceaccount,rolebinding ${names.join(' ')}`,
    `  ${run} role,rolebinding ${renew} ${joinAccountName(clusterID)}`,
    `  ${run} memberclusterannounce ${memberAnnounceName(clusterID)}`,
    `  ${run} knowncluster ${clusterID}`,
  ];
}
