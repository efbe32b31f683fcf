import type { ClusterSnapshot } from '../fleet/fleet-snapshot.ts';
import type { ClusterRole } from '../words.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { machinesFact } from './same-cluster.ts';
import { componentsOf, knownWorkloads } from './read-components.ts';

/** On a leader: the ServiceAccounts that are bound to one member, as `east=east-token`. */
export const memberAccountsFact = 'multicluster/member-accounts';
/** On a member: the Secret with its token for the leader. */
export const tokenSecretFact = 'multicluster/token-secret';

const factNames = [
  'cluster/uid',
  'cluster/server',
  machinesFact,
  'multicluster/leader',
  'multicluster/members',
  memberAccountsFact,
  tokenSecretFact,
  'flux/suspended',
  'multicluster/other-cluster-sets',
  'cluster-api/clusters',
] as const;
type ReadFact = (typeof factNames)[number];
/** The facts that a reading makes; all others a person has written. */
export const readFacts: ReadonlySet<string> = new Set(factNames);

/** A context, and when and where its cluster was read. */
export interface ReadFrom {
  readonly context: string;
  /** `host:port` of the API server. */
  readonly server: string;
  /** RFC 3339. */
  readonly readAt: string;
}

/**
 * A cluster as snapshots have it. Its name is its cluster ID, where it is in a ClusterSet,
 * otherwise that of the context.
 */
export function clusterOfFacts(facts: ClusterFacts, { context, server, readAt }: ReadFrom): ClusterSnapshot {
  const components = componentsOf(facts);
  const has = (...ids: readonly string[]) => components.some(({ id, live }) => ids.includes(id) && live.length > 0);
  const member = facts.memberships.find(({ role }) => role === 'member');
  const leader = facts.memberships.find(({ role }) => role === 'leader');
  const own = leader ?? member;
  const own1 = member?.clusterID || leader?.clusterID || leader?.leaderID;
  const eksa = facts.eksaClusters.find(({ managedBy, name }) => managedBy === '' || managedBy === name);
  const roles: readonly (readonly [ClusterRole, boolean])[] = [
    ['management', has('capi-core', 'eksa') || eksa !== undefined],
    ['leader', leader !== undefined || has('mc-leader', 'isthmus-leader')],
    ['member', member !== undefined || has('mc-member', 'isthmus-member')],
  ];
  const accounts = facts.memberAccounts.filter(({ namespace }) => namespace === leader?.namespace);
  const otherSets = facts.memberships.filter(({ clusterSet }) => clusterSet !== own?.clusterSet);
  return {
    name: clusterName(own1 === undefined || own1 === '' ? context : own1),
    context,
    readAt,
    roles: roles.filter(([, plays]) => plays).map(([role]) => role),
    ...(own === undefined ? {} : { clusterSet: clusterName(own.clusterSet) }),
    reachable: true,
    paused: false,
    components: [...components],
    facts: Object.fromEntries(
      Object.entries<string>({
        'cluster/uid': facts.uid,
        'cluster/server': server,
        [machinesFact]: machinesOf(facts).join(','),
        'multicluster/leader': own?.leaderID ?? '',
        'multicluster/members': leader?.members.join(',') ?? '',
        // The fact that is derived from these two is about both clusters.
        [memberAccountsFact]: accounts
          .map(({ clusterID, name }) => `${clusterID}=${name}`)
          .toSorted()
          .join(','),
        [tokenSecretFact]: member?.tokenSecret ?? '',
        'flux/suspended': facts.suspended.toSorted().join(', '),
        'multicluster/other-cluster-sets': otherSets.map(({ clusterSet }) => clusterSet).join(','),
        'cluster-api/clusters': facts.capiClusters.map(({ name, endpoint }) => `${name}=${endpoint}`).join(','),
      } satisfies Record<ReadFact, string>).filter(([, value]) => value !== ''),
    ),
    definitions: [...facts.definitions],
    sharedDefinitions: [],
    objectCounts: Object.fromEntries(facts.objectCounts.map(({ crd, count }) => [crd, count])),
    objects: [...knownWorkloads(facts).map(({ kept }) => kept), ...facts.webhooks],
  };
}

/** Some of the machines that are at work in a cluster, the same ones whenever it is read. */
function machinesOf({ nodes }: ClusterFacts): readonly string[] {
  const machines = nodes.flatMap(({ machine, ready }) => (ready && machine !== '' ? [machine] : []));
  return [...new Set(machines)].toSorted().slice(0, 5);
}

/**
 * A cluster that could not be read, as it is known: by its context, or as it was read the last
 * time.
 */
export function unreadCluster(context: string, notRead: string, last?: ClusterSnapshot): ClusterSnapshot {
  const nothing = {
    roles: [],
    paused: false,
    components: [],
    facts: {},
    definitions: [],
    sharedDefinitions: [],
    objectCounts: {},
    objects: [],
  };
  return { ...nothing, name: clusterName(context), ...last, context, reachable: false, notRead };
}

/**
 * The nearest name that a cluster may have in a snapshot: contexts often contain `@`, `:` and `/`.
 */
export function clusterName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(-maxName)
    .replaceAll(/^[-.]+/g, '');
  return name === '' ? 'cluster' : name;
}

const maxName = 253;
