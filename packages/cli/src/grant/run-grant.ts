import type { KnownCluster } from '@isthmus/api';
import {
  Annotation,
  FixedName,
  KnownCluster as KnownClusters,
  MemberClusterAnnounce,
  Secret,
  ServiceAccount,
  memberAnnounceName,
  serviceAccountTokenType,
} from '@isthmus/api';
import { readToken } from '@isthmus/controlplane';
import { joiningAccount } from '@isthmus/install';
import type { JoiningAccount } from '@isthmus/install';
import type { Client } from '@isthmus/kube';
import { isLoopback, isNotServed, orNotFound } from '@isthmus/kube';
import { rfc3339, urlHost } from '@isthmus/machinery';
import { shown } from '@isthmus/wire';
import { ExitCode } from '../command/exit-code.ts';
import { UsageError } from '../command/usage-error.ts';
import type { Io } from '../world/io.ts';
import { certificateAuthority } from './certificate-authority.ts';
import type { AskedRanges, GrantDecision } from './decide-grant.ts';
import { decideGrant, grantWarnings, readRanges } from './decide-grant.ts';
import { issueJoinToken, joinSeconds } from './issue-join-token.ts';
import { joinFileText } from './join-file.ts';
import type { Leader, LeaderFlags } from './leader.ts';
import { leaderClusterSet, onLeader } from './leader.ts';

export interface GrantFlags extends LeaderFlags {
  readonly pods?: string | undefined;
  readonly services?: string | undefined;
  readonly gateways?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly output?: string | undefined;
  readonly server?: string | undefined;
  readonly 'member-namespace'?: string | undefined;
}

/** Grants a cluster its ranges and its account, and writes its join file. */
export async function runGrant(io: Io, clusterID: string, flags: GrantFlags): Promise<ExitCode> {
  const { output, replace = false } = flags;
  if (output === undefined)
    throw new UsageError("required option '--output' not given: name the join file, or - to print it");
  const asked = askedRanges(flags);
  const obstacle = output === '-' ? undefined : await io.privateFiles.obstacle(output);
  if (obstacle !== undefined) throw new UsageError(`cannot write ${output}: ${obstacle}`);
  return onLeader(io, { clusterID, flags }, async (leader) => {
    // Before anything is changed.
    const server = flags.server === undefined ? reachable(leader.connection.server) : httpsURL(flags.server);
    const set = await leaderClusterSet(leader);
    const caPem = await certificateAuthority(io, leader);
    const account = joiningAccount(leader.namespace, clusterID);
    await demandUsable(leader, account);
    const lines = [
      await grantRanges(leader, { clusterID, asked, replace }),
      ...(await warnings(leader, { clusterID, leaderClusterID: set.clusterID })),
    ];
    const token = await issueJoinToken(leader.client, account);
    const expires = rfc3339((readToken(token)?.life?.untilS ?? io.clock.now() / 1_000 + joinSeconds) * 1_000);
    const text = joinFileText({
      clusterID,
      namespace: flags['member-namespace'] ?? FixedName.memberNamespace,
      clusterSet: set.name,
      leaderNamespace: leader.namespace,
      leaderClusterID: set.clusterID,
      server,
      caPem,
      token,
      expires,
    });
    lines.push(...(await joinedBefore(leader, clusterID)));
    if (output === '-') io.stdout.write(text);
    else {
      await io.writableFiles.replace(output, text);
      lines.push(
        `Wrote ${output}. It contains a token that can be used once, until ${expires}. In cluster ${clusterID}, run: kubectl apply -f ${output}`,
      );
    }
    const report = output === '-' ? io.stderr : io.stdout;
    report.write(lines.map((line) => `${line}\n`).join(''));
    return ExitCode.ok;
  });
}

function askedRanges({ pods, services, gateways }: GrantFlags): AskedRanges {
  return Object.fromEntries(
    Object.entries({ pods, services, gateways }).flatMap(([field, text]) => {
      if (text === undefined) return [];
      try {
        return [[field, readRanges(text)]];
      } catch (error) {
        throw new UsageError(`--${field}: ${(error as Error).message}`, { cause: error });
      }
    }),
  );
}

/** Errors: {@link UsageError} if the address of a kubeconfig is of no use in another cluster. */
function reachable(server: string): string {
  if (isLoopback({ host: urlHost(new URL(httpsURL(server))), port: 0 }))
    throw new UsageError(
      `the kubeconfig has ${server}, which only this machine reaches. Name the address by which the Pods of the cluster reach the leader's API server with --server; to see one, run: kubectl -n default get endpointslices kubernetes`,
    );
  return server;
}

function httpsURL(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  // A password must not be printed.
  if (url !== undefined && (url.username !== '' || url.password !== ''))
    throw new UsageError(
      "the address of the leader's API server contains a user or password: name it without, with --server",
    );
  if (url?.protocol !== 'https:')
    throw new UsageError(
      `the leader's API server ${shown(server)} is not an https URL: name it with --server, such as https://10.0.0.1:6443`,
    );
  return server;
}

/** Errors: an account or a Secret of that name that belongs to something else. */
async function demandUsable({ client, namespace }: Leader, { accounts }: JoiningAccount): Promise<void> {
  const { name, annotations } = accounts.member.metadata;
  const wanted = annotations?.[Annotation.clusterID] ?? '';
  const found = await orNotFound(client.get(ServiceAccount, { namespace, name }));
  const bound = found?.metadata.annotations?.[Annotation.clusterID];
  if (bound !== undefined && bound !== wanted)
    throw new Error(
      `cannot grant cluster ${wanted}: ServiceAccount ${namespace}/${name} is that of cluster ${shown(bound)}, by its annotation ${Annotation.clusterID}. Delete the ServiceAccount if that cluster does not use it`,
    );
  const secret = await orNotFound(client.get(Secret, { namespace, name }));
  if (secret?.type === serviceAccountTokenType)
    throw new Error(
      `cannot grant cluster ${wanted} tokens that expire: Secret ${namespace}/${name} holds one that does not, which the cluster may use. To end that one, run: isthmus revoke ${wanted} -n ${namespace}. The cluster is then not connected, and keeps its imports, until you repeat this command and apply its file there`,
    );
}

async function grantRanges(
  { client, namespace }: Leader,
  { clusterID, asked, replace }: { readonly clusterID: string; readonly asked: AskedRanges; readonly replace: boolean },
): Promise<string> {
  const name = `KnownCluster ${namespace}/${clusterID}`;
  const known = await knownCluster(client, { namespace, clusterID });
  const decision = decideGrant({ clusterID, known, asked, replace });
  switch (decision.kind) {
    case 'incomplete':
      throw new UsageError(
        `cannot grant cluster ${clusterID}: it is not known yet, so name its ranges with ${decision.lacks.map((field) => `--${field}`).join(' and ')}`,
      );
    case 'differs':
      throw new Error(
        `cannot grant cluster ${clusterID}: ${name} has other ranges, and nothing is changed. To replace them, add --replace. Differences:\n${decision.differences.map((line) => `  ${line}`).join('\n')}`,
      );
    case 'keep':
      return `${name} stays as it is${known === undefined ? '' : `: ${rangesText(known.spec)}`}.`;
    case 'create':
      await client.create(KnownClusters, { metadata: { name: clusterID, namespace }, spec: decision.spec });
      return `${name} is granted ${rangesText(decision.spec)}.`;
    case 'change':
      await changeKnown(client, known, decision);
      return `${name} is now granted ${rangesText(decision.spec)}.`;
  }
}

/** What in the grant of a cluster may not be meant. */
async function warnings(
  { client, namespace }: Leader,
  { clusterID, leaderClusterID }: { readonly clusterID: string; readonly leaderClusterID: string },
): Promise<readonly string[]> {
  const { items } = await client.list(KnownClusters, { namespace });
  const known = items.find(({ metadata }) => metadata.name === clusterID);
  return [
    ...(clusterID === leaderClusterID
      ? [`${clusterID} is the ID of the leader: the file is for a member in the cluster of the leader itself.`]
      : []),
    ...(known === undefined ? [] : grantWarnings(known.spec, items)),
  ];
}

async function changeKnown(
  client: Client,
  known: KnownCluster | undefined,
  { spec }: GrantDecision & { readonly kind: 'create' | 'change' },
): Promise<void> {
  if (known === undefined) return;
  const { resourceVersion } = known.metadata;
  await client.patch(KnownClusters, known.metadata, { type: 'merge', body: { metadata: { resourceVersion }, spec } });
}

async function knownCluster(
  client: Client,
  { namespace, clusterID }: { readonly namespace: string; readonly clusterID: string },
): Promise<KnownCluster | undefined> {
  try {
    return await orNotFound(client.get(KnownClusters, { namespace, name: clusterID }));
  } catch (error) {
    if (!isNotServed(error)) throw error;
    throw new Error(
      'cannot grant ranges: the leader does not serve KnownClusters. If it runs Isthmus, run there: kubectl apply -f deploy/leader-crds.yaml (with Helm: helm upgrade). If it runs Antrea, issue a member token as in docs/antrea.md',
      { cause: error },
    );
  }
}

function rangesText(spec: KnownCluster['spec']): string {
  const fields = (['pods', 'services', 'gateways'] as const).flatMap((field) => {
    const ranges = spec[field];
    return ranges === undefined ? [] : [`${field} ${ranges.join(', ') || 'none'}`];
  });
  return fields.length === 0 ? 'any private range' : fields.join('; ');
}

/** The cluster that uses the ID already: another one could not join with the file. */
async function joinedBefore({ client, namespace }: Leader, clusterID: string): Promise<readonly string[]> {
  const name = memberAnnounceName(clusterID);
  const found = await orNotFound(client.get(MemberClusterAnnounce, { namespace, name }));
  if (found === undefined) return [];
  const { annotations, creationTimestamp = 'some time ago' } = found.metadata;
  const uid = annotations?.[Annotation.clusterUID];
  const which = uid === undefined ? '' : ` (kube-system uid ${shown(uid)})`;
  return [
    `A cluster${which} joined as ${clusterID} at ${creationTimestamp}. The file is for that cluster; another one with the same ID cannot join while it is connected.`,
  ];
}
