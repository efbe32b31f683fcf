import type { ClusterClaim, ClusterSet, MemberClusterAnnounce, Verdict } from '@isthmus/api';
import {
  AntreaMessage,
  ConditionType,
  clusterIDErrors,
  leaderClusterSetStatus,
  memberAnnounceName,
} from '@isthmus/api';
import { conditionOf, equal, rfc3339 } from '@isthmus/machinery';
import { chooseClusterID } from '../../cluster-id.ts';
import { setVerdicts } from '../../conditions.ts';
import { shown } from '../../exchanges/service/merge/untrusted.ts';
import { announcedCluster } from '../announce/announced-cluster.ts';
import type { Liveness } from '../announce/liveness.ts';

type Status = NonNullable<ClusterSet['status']>;
type ClusterStatus = NonNullable<Status['clusterStatuses']>[number];

export interface MemberSeen {
  readonly announce: MemberClusterAnnounce;
  readonly liveness: Liveness;
}

export interface LeaderClusterSetInput {
  readonly clusterSet: ClusterSet;
  /** The ClusterSet that this leader serves; another one is told so. */
  readonly served: ClusterSet;
  readonly claims: readonly ClusterClaim[];
  /** Announcements that are not being deleted. */
  readonly members: readonly MemberSeen[];
  readonly nowMs: number;
}

export interface LeaderClusterSetDecision {
  /** The cluster ID to write into a spec that lacks it (seeds; control-plane.md §3.1). */
  readonly repair: string | undefined;
  readonly status: Status;
}

/** The status of a leader's ClusterSet: whether it can be served, and how each member is doing (control-plane.md §3.1). */
export function decideLeaderClusterSet(input: LeaderClusterSetInput): LeaderClusterSetDecision {
  const { clusterSet, nowMs } = input;
  const now = rfc3339(nowMs);
  const id = chooseClusterID(clusterSet, input.claims);
  const known = new Map((clusterSet.status?.clusterStatuses ?? []).map((status) => [status.clusterID ?? '', status]));
  const clusterStatuses = onePerCluster(input.members)
    .toSorted((a, b) => ((a.announce.clusterID ?? '') < (b.announce.clusterID ?? '') ? -1 : 1))
    .map((member) => memberStatus(member, { input, before: known.get(member.announce.clusterID ?? ''), now }));
  const readyClusters = clusterStatuses.filter(isReadyStatus).length;
  const problem = problemOf(input, id);
  const overall = problem ?? overallOf(clusterStatuses, readyClusters);
  return {
    repair: id.kind === 'known' && id.fromClaim && problem === undefined ? id.clusterID : undefined,
    status: {
      ...clusterSet.status,
      observedGeneration: clusterSet.metadata.generation,
      totalClusters: problem === undefined ? clusterStatuses.length : 0,
      readyClusters: problem === undefined ? readyClusters : 0,
      clusterStatuses: problem === undefined ? clusterStatuses.slice(0, maxShown) : [],
      conditions: setVerdicts(leaderClusterSetStatus, clusterSet.status?.conditions ?? [], { Ready: overall }, { now }),
    },
  };
}

/** Members may announce what they like, but no object takes more than 1.5 MiB: more clusters than this are only counted, */
const maxShown = 1_000;
/** more silent ones than this are not named in the message, */
const maxNamed = 10;
/** and an ID that is longer than any name is nobody's. */
const maxIDLength = 253;

/** Of several announcements with one cluster ID the true one speaks; where there is none, the first by name. */
function onePerCluster(members: readonly MemberSeen[]): readonly MemberSeen[] {
  const byCluster = new Map<string, MemberSeen>();
  for (const member of members.toSorted(byName)) {
    const clusterID = member.announce.clusterID ?? '';
    if (clusterID.length > maxIDLength) continue;
    if (!byCluster.has(clusterID) || announcedCluster(member.announce) !== undefined) byCluster.set(clusterID, member);
  }
  return [...byCluster.values()];
}

function byName(a: MemberSeen, b: MemberSeen): number {
  return a.announce.metadata.name < b.announce.metadata.name ? -1 : 1;
}

type Says = typeof leaderClusterSetStatus;
/** Of one member: whether it takes part and whether it is heard from are the same to a leader. */
type MemberVerdict = Verdict<Says, 'clusterStatuses[].Ready'> & Verdict<Says, 'clusterStatuses[].ClusterConnected'>;

function problemOf(
  { clusterSet, served }: LeaderClusterSetInput,
  id: ReturnType<typeof chooseClusterID>,
): Verdict<Says, 'Ready'> | undefined {
  const name = clusterSet.metadata.name;
  if (served.metadata.name !== name) {
    const message = `ClusterSet ${served.metadata.name} is already served in this Namespace; there can be only one. Delete ${name}, or ${served.metadata.name}.`;
    return { status: 'False', reason: 'MultipleClusterSets', message };
  }
  if (id.kind === 'unknown') return { status: 'False', reason: id.reason, message: id.message };
  const leaders = clusterSet.spec?.leaders ?? [];
  if (leaders.length !== 1) {
    const message = `ClusterSet ${name}: spec.leaders has ${leaders.length} entries; it must have exactly one, this cluster (${id.clusterID}).`;
    return { status: 'False', reason: 'InvalidLeaders', message };
  }
  if (leaders[0]?.clusterID !== id.clusterID) {
    const message = `ClusterSet ${name}: spec.leaders names ${JSON.stringify(leaders[0]?.clusterID ?? '')}, but this cluster is ${id.clusterID}. Set both to this cluster's ID.`;
    return { status: 'False', reason: 'InvalidLeaders', message };
  }
  return undefined;
}

function overallOf(statuses: readonly ClusterStatus[], ready: number): Verdict<Says, 'Ready'> {
  if (statuses.length === 0) {
    // Antrea says True here (defect B22): nothing can be ready that is not there.
    return { status: 'Unknown', reason: 'NoMembers', message: 'No member has joined yet' };
  }
  if (ready === statuses.length) return { status: 'True', reason: 'AllClustersReady', message: '' };
  const silent = statuses.filter((status) => !isReadyStatus(status)).map((status) => status.clusterID ?? '');
  const more = silent.length > maxNamed ? ` and ${silent.length - maxNamed} more` : '';
  return {
    status: 'False',
    reason: 'NoReadyCluster',
    message: `${ready} of ${statuses.length} clusters are ready; not ready: ${silent.slice(0, maxNamed).join(', ')}${more}`,
  };
}

interface Look {
  readonly input: LeaderClusterSetInput;
  /** What the last look found. */
  readonly before: ClusterStatus | undefined;
  readonly now: string;
}

function memberStatus({ announce, liveness }: MemberSeen, { input, before, now }: Look): ClusterStatus {
  const clusterID = announce.clusterID ?? '';
  const verdict = memberVerdict(announce, liveness, input);
  const known = before?.conditions ?? [];
  // The time of the last beat stands in the message: keep it while nothing changes, or each look would be a write.
  const settled = (type: string): MemberVerdict => {
    const last = conditionOf(known, type);
    const isSame = last?.status === verdict.status && last.reason === verdict.reason;
    return isSame ? { ...verdict, message: last.message ?? verdict.message } : verdict;
  };
  const conditions = setVerdicts(
    leaderClusterSetStatus,
    known,
    {
      'clusterStatuses[].Ready': settled(ConditionType.ready),
      'clusterStatuses[].ClusterConnected': settled(ConditionType.clusterConnected),
    },
    { now },
  );
  return equal(before?.conditions, conditions) && before !== undefined ? before : { clusterID, conditions };
}

function memberVerdict(
  announce: MemberClusterAnnounce,
  liveness: Liveness,
  input: LeaderClusterSetInput,
): MemberVerdict {
  const { clusterSet } = input;
  const expectedName = memberAnnounceName(announce.clusterID ?? '');
  if (announce.metadata.name !== expectedName) {
    const message = `MemberClusterAnnounce ${announce.metadata.name} must be named ${expectedName} for the cluster it announces`;
    return { status: 'False', reason: 'InvalidAnnounce', message };
  }
  if (announcedCluster(announce) === undefined) {
    const why = clusterIDErrors(announce.clusterID ?? '').join('; ');
    return {
      status: 'False',
      reason: 'InvalidAnnounce',
      message: `The cluster ID is not usable: ${why}. Choose another ID.`,
    };
  }
  if (announce.clusterSetID !== clusterSet.metadata.name) {
    const message = `The member announces itself for ClusterSet ${shown(announce.clusterSetID ?? '')}. Name the member's ClusterSet ${clusterSet.metadata.name}.`;
    return { status: 'False', reason: 'OtherClusterSet', message };
  }
  if (liveness.kind === 'connected') {
    return { status: 'True', reason: 'Connected', message: AntreaMessage.memberConnected };
  }
  const lastSeen = rfc3339(input.nowMs - liveness.silentMs);
  return { status: 'False', reason: 'Disconnected', message: `No MemberClusterAnnounce update since ${lastSeen}` };
}

function isReadyStatus(status: ClusterStatus): boolean {
  return (status.conditions ?? []).some(
    (condition) => condition.type === ConditionType.ready && condition.status === 'True',
  );
}
