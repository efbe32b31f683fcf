import type { ClusterSnapshot, FleetSnapshot } from '../fleet/fleet-snapshot.ts';
import { upgradeGroup, upgradeVersion } from '../file-kind.ts';
import { samenessOf, tellApart } from './same-cluster.ts';
import type { Sameness } from './same-cluster.ts';
import { sortIntoSets } from './cluster-sets.ts';
import { withManagers } from './managers.ts';
import { clusterName, memberAccountsFact, tokenSecretFact, unreadCluster } from './cluster-of-facts.ts';

export interface FleetParts {
  readonly name: string;
  /** RFC 3339. */
  readonly takenAt: string;
  /** One for each context, read or not. */
  readonly clusters: readonly ClusterSnapshot[];
}

/** A snapshot, and what its reader should know of it. */
export interface AssembledFleet {
  readonly snapshot: FleetSnapshot;
  readonly notes: readonly string[];
}

/**
 * Puts clusters together: ClusterSets from the objects of leaders and members, and management from
 * the addresses in Cluster API. Leaders and members without a given context are in the snapshot as
 * unread clusters, so that plans do not treat them as absent.
 *
 * Two contexts of one cluster count once. Clusters that were restored from one backup are
 * distinguished by their addresses and machines. Errors: two clusters of one name.
 */
export function assembleFleet({ name, takenAt, clusters }: FleetParts): AssembledFleet {
  const notes: string[] = [];
  const byName = new Map<string, ClusterSnapshot>();
  for (const read of clusters.toSorted(byContext)) {
    const candidates = [...byName.values()].map((known) => ({ known, sameness: samenessOf(known, read) }));
    const same = candidates.find(({ sameness }) => sameness === 'one');
    if (same !== undefined) {
      notes.push(`context ${read.context} is the same cluster as context ${same.known.context}; it is left out`);
      continue;
    }
    const copies = candidates.filter(({ sameness }) => sameness !== 'different');
    for (const { known, sameness } of copies) notes.push(noteOnCopies(known, read, sameness));
    const other = byName.get(read.name);
    const isCopy = copies.some(({ known }) => known === other);
    if (other !== undefined && isCopy)
      notes.push(
        `context ${read.context} has the cluster ID of context ${other.context}, ${other.name}: it is in the snapshot by the name of its context, and not in any ClusterSet`,
      );
    const cluster = isCopy ? outsideOfSets(read) : read;
    if (other !== undefined && (!isCopy || byName.has(cluster.name)))
      throw new Error(
        `contexts ${other.context} and ${read.context} are two clusters with the same name, ${read.name}; the cluster ID of each cluster in a snapshot must be unique, also across ClusterSets: read the contexts of each ClusterSet into its own snapshot (--context, --output)`,
      );
    byName.set(cluster.name, cluster);
    const others = cluster.facts['multicluster/other-cluster-sets'];
    if (others !== undefined)
      notes.push(
        `${cluster.name} is in ClusterSet ${cluster.clusterSet} and in ${others}; a plan knows only the first`,
      );
  }
  const leaderOf = addMissingPeers(byName);
  const sorted = sortIntoSets([...byName.values()], leaderOf);
  const managed = withManagers(sorted.clusters);
  notes.push(...sorted.notes, ...managed.notes);
  const accounts = boundAccounts(managed.clusters);
  const all = managed.clusters.map((one) => withCredentials(one, accounts));
  return {
    snapshot: {
      apiVersion: `${upgradeGroup}/${upgradeVersion}`,
      kind: 'FleetSnapshot',
      metadata: { name },
      spec: {
        takenAt,
        clusters: all.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        clusterSets: sorted.clusterSets,
        definitions: {},
        clients: [],
      },
    },
    notes,
  };
}

/** The note on two clusters with one UID that are not known to be one cluster. */
function noteOnCopies(known: ClusterSnapshot, next: ClusterSnapshot, sameness: Sameness): string {
  const [a, b] = [known, next].map(
    ({ context = '', facts }) => `${context} (${facts['cluster/server'] ?? 'no address'})`,
  );
  const contexts = [known, next].map(({ context = '' }) => context);
  return sameness === 'copies'
    ? `contexts ${a} and ${b} have one UID but other machines, as after a restored backup: both clusters are in the snapshot`
    : `contexts ${a} and ${b} have one UID at two addresses: both are in the snapshot; ${tellApart(contexts)}, then leave one of the contexts out`;
}

/**
 * A restored copy of a cluster that is in a ClusterSet: its leader knows one cluster of that ID.
 */
function outsideOfSets(cluster: ClusterSnapshot): ClusterSnapshot {
  return {
    ...cluster,
    clusterSet: undefined,
    name: clusterName(cluster.context ?? ''),
    roles: cluster.roles.filter((role) => role !== 'leader' && role !== 'member'),
  };
}

/** Whatever the order in which clusters were read, the same of two contexts counts. */
function byContext({ context: a = '' }: ClusterSnapshot, { context: b = '' }: ClusterSnapshot): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Adds the leaders that members name, and the members that leaders name, if no context was given
 * for them. Returns the leader of each member that was added.
 */
function addMissingPeers(byName: Map<string, ClusterSnapshot>): (cluster: string) => string | undefined {
  const given = [...byName.values()];
  const leaders = new Map<string, string>();
  for (const { name, clusterSet, facts } of given) {
    if (clusterSet === undefined) continue;
    const leader = facts['multicluster/leader'];
    if (leader !== undefined) addPeer(byName, clusterName(leader), { clusterSet, role: 'leader', by: name });
    for (const member of facts['multicluster/members']?.split(',') ?? []) {
      leaders.set(clusterName(member), name);
      addPeer(byName, clusterName(member), { clusterSet, role: 'member', by: name });
    }
  }
  return (cluster) => leaders.get(cluster);
}

function addPeer(
  byName: Map<string, ClusterSnapshot>,
  name: string,
  { clusterSet, role, by }: { readonly clusterSet: string; readonly role: 'leader' | 'member'; readonly by: string },
): void {
  const known = byName.get(name);
  if (known !== undefined && known.clusterSet === clusterSet && known.roles.includes(role)) return;
  if (known !== undefined && known.reachable) return;
  const why = `it is ${role === 'leader' ? 'the leader' : 'a member'} of ClusterSet ${clusterSet}, as ${by} reports, and no context was given for it`;
  const { context: _, ...missing } = known ?? unreadCluster(name, why);
  byName.set(name, {
    ...missing,
    ...(known?.context === undefined ? {} : { context: known.context }),
    roles: [...new Set([...missing.roles, role])],
    clusterSet,
  });
}

/** `clusterSet`, member and name of each ServiceAccount that a leader has bound to one member. */
function boundAccounts(clusters: readonly ClusterSnapshot[]): ReadonlySet<string> {
  return new Set(
    clusters.flatMap(({ clusterSet = '', facts }) =>
      (facts[memberAccountsFact]?.split(',') ?? []).map((one) => {
        const [member = '', account = ''] = one.split('=');
        return accountKey(clusterSet, clusterName(member), account);
      }),
    ),
  );
}

/**
 * A member has credentials of its own if its leader has a ServiceAccount that is bound to it, and
 * the member uses the token of that name: `antctl mc create membertoken` gives account and Secret
 * one name. Secrets are not read for that.
 */
function withCredentials(cluster: ClusterSnapshot, accounts: ReadonlySet<string>): ClusterSnapshot {
  const { clusterSet = '', name } = cluster;
  const { [credentialsAccountFact]: account, [credentialsFact]: present, ...others } = cluster.facts;
  // A fact written by a user stays; a fact from an earlier snapshot is looked up again.
  if (present !== undefined && account === undefined) return cluster;
  const secret = others[tokenSecretFact];
  if (secret === undefined || !accounts.has(accountKey(clusterSet, name, secret))) return { ...cluster, facts: others };
  return { ...cluster, facts: { ...others, [credentialsFact]: 'present', [credentialsAccountFact]: secret } };
}

const credentialsFact = 'antrea-mc/member-credentials';
/** The account of the leader that shows it: without it, the fact was written by a person. */
const credentialsAccountFact = 'multicluster/credentials-account';

function accountKey(clusterSet: string, member: string, account: string): string {
  return JSON.stringify([clusterSet, member, account]);
}
