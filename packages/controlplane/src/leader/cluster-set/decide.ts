import type { ConditionType, ClusterClaim, ClusterSet, MemberClusterAnnounce, Verdict } from '@isthmus/api';
import { Annotation, AntreaMessage, Label, SourceKind, leaderClusterSetStatus, wireNumber } from '@isthmus/api';
import { cidrText, equal, firstNames, rfc3339 } from '@isthmus/machinery';
import type { ClusterIDChoice } from '@isthmus/wire';
import {
  announceProblem,
  announcedCluster,
  chooseClusterID,
  conditionOf,
  leaderOf,
  needsLargerPool,
  parseAllotmentLedger,
  setVerdicts,
  shown,
} from '@isthmus/wire';
import type { AdmissionProblem } from '../../admission-watch.ts';
import type { OverLimits } from '../../common-area/limits.ts';
import { howToRemoveExports, overLimitsMessage } from '../../common-area/limits.ts';
import { exportsLost, heldVerdict } from '../../loss/held-condition.ts';
import type { SettingsDifference } from '../announce/differing-settings.ts';
import type { Liveness } from '../announce/liveness.ts';
import { applyDefinitions } from '../../process/apply-again.ts';

type Status = NonNullable<ClusterSet['status']>;
type ClusterStatus = NonNullable<Status['clusterStatuses']>[number];

export interface MemberSeen {
  readonly announce: MemberClusterAnnounce;
  readonly liveness: Liveness;
}

export interface LeaderClusterSetInput {
  readonly clusterSet: ClusterSet;
  /**
   * The ClusterSet that this leader serves. Another ClusterSet gets a report that it is not served.
   */
  readonly served: ClusterSet;
  readonly claims: readonly ClusterClaim[];
  /** The number of publications that are kept although their exports are missing. */
  readonly held: number;
  /**
   * The clusters that export or announce more than this leader accepts; undefined: not known yet.
   */
  readonly overLimits: OverLimits | undefined;
  /** The fields that this leader does not act on; default: none. */
  readonly unsupported?: Verdict<typeof leaderClusterSetStatus, 'Unsupported'> | 'absent' | undefined;
  /** Whether the process uses its configuration file unchanged; default: it does. */
  readonly configuration?: Verdict<typeof leaderClusterSetStatus, 'ConfigurationRejected'> | 'absent' | undefined;
  /**
   * Whether the API server has the admission policies of this leader. Undefined: it has, or that is
   * not known.
   */
  readonly admission?: AdmissionProblem | undefined;
  /** Settings that are off in this leader although members export for them; default: none. */
  readonly switchedOff?: readonly string[] | undefined;
  /** Exported kinds that have no number left; default: none. */
  readonly exhausted?: readonly string[] | undefined;
  /**
   * Clusters that have used up the numbers that this leader keeps for one cluster; default: none.
   */
  readonly overQuota?: readonly string[] | undefined;
  /** Whether this leader has a pool of virtual Pod CIDRs; default: it has none. */
  readonly allots?: boolean | undefined;
  /** Why ServiceAccounts of members are not bound to a cluster; default: none. */
  readonly unbound?: readonly string[] | undefined;
  /** Which accounts of members are suspended; default: none. */
  readonly suspended?: readonly string[] | undefined;
  /** Why members that write far more than their quota are not suspended; default: none. */
  readonly notSuspended?: readonly string[] | undefined;
  /** Clusters that announce more than is granted to them, sorted; default: none. */
  readonly notGranted?: readonly string[] | undefined;
  /** Clusters that export without an announcement, sorted; default: none. */
  readonly unannounced?: readonly string[] | undefined;
  /** Kinds, by names of resources, that the API server does not serve; default: none. */
  readonly missingKinds?: readonly string[] | undefined;
  /** The settings in which the members differ. Undefined: no known difference. */
  readonly settings?: SettingsDifference | undefined;
  /** Announcements that are not being deleted. */
  readonly members: readonly MemberSeen[];
  /** The version of this Isthmus, which is reported to the members. */
  readonly version: string;
  readonly nowMs: number;
}

export interface LeaderClusterSetDecision {
  /**
   * The wanted ClusterSet without its status: with the versions, and with the cluster ID if the
   * spec lacks it (docs/spec/membership.md §2).
   */
  readonly wanted: ClusterSet;
  readonly status: Status;
  /** Why the ClusterSet is not served; undefined if it is. */
  readonly problem: Obstacle | undefined;
  /**
   * The monotonic time at which the next member becomes silent, if no heartbeat arrives until then.
   */
  readonly silentFromMs: number | undefined;
}

/**
 * The status of a leader's ClusterSet: whether it can be served, and the state of each member
 * (docs/spec/membership.md §2).
 */
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
  const isServed = input.served.metadata.name === clusterSet.metadata.name;
  const held = heldVerdict(clusterSet, isServed ? input.held : 0, exportsLost);
  const ignored = isServed ? exportsIgnored(clusterSet, input.overLimits) : 'absent';
  const obstacle = problem ?? kindsMissing(input.missingKinds ?? []);
  const overall = obstacle ?? overallOf(clusterStatuses, readyClusters);
  const deadlines = input.members.flatMap(({ liveness }) => (liveness.kind === 'connected' ? [liveness.untilMs] : []));
  return {
    wanted: wantedClusterSet(input, problem === undefined ? id : undefined),
    problem: obstacle,
    silentFromMs: deadlines.length === 0 ? undefined : Math.min(...deadlines),
    status: {
      ...clusterSet.status,
      observedGeneration: clusterSet.metadata.generation,
      // Members are shown beside a problem of this ClusterSet: the leader still answers them.
      totalClusters: isServed ? clusterStatuses.length : 0,
      readyClusters: isServed ? readyClusters : 0,
      clusterStatuses: isServed ? clusterStatuses.slice(0, maxShown) : [],
      conditions: setVerdicts(
        leaderClusterSetStatus,
        clusterSet.status?.conditions ?? [],
        {
          Ready: overall,
          WithdrawalHeld: held,
          ExportsIgnored: ignored,
          SettingsDiffer: isServed && input.settings !== undefined ? { status: 'True', ...input.settings } : 'absent',
          Unsupported: isServed ? (input.unsupported ?? 'absent') : 'absent',
          ConfigurationRejected: isServed ? (input.configuration ?? 'absent') : 'absent',
          AdmissionIncomplete:
            isServed && input.admission !== undefined ? { status: 'True', ...input.admission } : 'absent',
          SettingsMissing: isServed ? settingsMissing(input.switchedOff ?? []) : 'absent',
          AccountsNotBound: isServed ? accountsNotBound(input.unbound ?? []) : 'absent',
          MembersSuspended: isServed ? membersSuspended(input) : 'absent',
          NetworksNotGranted: isServed ? notGranted(clusterSet, input.notGranted ?? []) : 'absent',
          ExportersNotAnnounced: isServed ? notAnnounced(clusterSet, input.unannounced ?? []) : 'absent',
          NumbersExhausted: isServed ? numbersExhausted(clusterSet, input) : 'absent',
          VirtualPodCIDRsMissing: isServed ? virtualPodCIDRsMissing(input) : 'absent',
        },
        { now },
      ),
    },
  };
}

function kindsMissing(kinds: readonly string[]): Obstacle | undefined {
  if (kinds.length === 0) return undefined;
  const message = `This cluster does not serve ${kinds.join(', ')}; the exports and imports that need it wait. Run: ${applyDefinitions('leader')}`;
  return { status: 'False', reason: 'KindsMissing', message };
}

function settingsMissing(settings: readonly string[]): Verdict<Says, 'SettingsMissing'> | 'absent' {
  if (settings.length === 0) return 'absent';
  const message = `Members export objects that this leader publishes only with ${settings.join(', ')} in its MultiClusterConfig. Set it there, or remove it from the configuration of the members.`;
  return { status: 'True', reason: 'SettingOff', message };
}

function accountsNotBound(problems: readonly string[]): Verdict<Says, 'AccountsNotBound'> | 'absent' {
  if (problems.length === 0) return 'absent';
  return { status: 'True', reason: 'AccountNotBound', message: problems.join(' ') };
}

function membersSuspended({
  suspended = [],
  notSuspended = [],
}: LeaderClusterSetInput): Verdict<Says, 'MembersSuspended'> | 'absent' {
  if (suspended.length + notSuspended.length === 0) return 'absent';
  const reason = notSuspended.length > 0 ? 'MemberNotSuspended' : 'MemberSuspended';
  return { status: 'True', reason, message: [...notSuspended, ...suspended].join('. ') };
}

function notGranted(
  { metadata: { namespace = '' } }: ClusterSet,
  clusterIDs: readonly string[],
): Verdict<Says, 'NetworksNotGranted'> | 'absent' {
  if (clusterIDs.length === 0) return 'absent';
  const message = `Clusters that announce ranges or gateways that are not granted to them: ${firstNames(clusterIDs, mostNotGranted)}. To see which, and how to accept them: kubectl -n ${namespace} describe knownclusters`;
  return { status: 'True', reason: 'NetworkNotGranted', message };
}

/** The limit on clusters that the message names. */
const mostNotGranted = 5;

function notAnnounced(
  { metadata: { namespace = '' } }: ClusterSet,
  clusterIDs: readonly string[],
): Verdict<Says, 'ExportersNotAnnounced'> | 'absent' {
  const [first] = clusterIDs;
  if (first === undefined) return 'absent';
  const message = `Clusters export to this ClusterSet but do not announce themselves: ${firstNames(clusterIDs, maxNamed)}. The leader does not notice when such a cluster fails or leaves, so its exports stay published. If it is a member, check its controller. If it has left: ${howToRemoveExports(namespace, first)}`;
  return { status: 'True', reason: 'ExporterNotAnnounced', message };
}

function numbersExhausted(
  { metadata: { namespace = '' } }: ClusterSet,
  { exhausted: kinds = [], overQuota = [] }: LeaderClusterSetInput,
): Verdict<Says, 'NumbersExhausted'> | 'absent' {
  if (kinds.length === 0) {
    const [first] = overQuota;
    if (first === undefined) return 'absent';
    const message = `Clusters whose Pods get new labels so often that this leader gives them no more numbers of label identities for now: ${overQuota.join(', ')}. The ResourceExports with condition Failure and reason TooManyNumbers have no number; other clusters are not affected. To list them: kubectl get resourceexports -n ${namespace} -l ${Label.sourceKind}=${SourceKind.labelIdentity},${Label.sourceClusterID}=${first}`;
    return { status: 'True', reason: 'TooManyNumbers', message };
  }
  const message = `All numbers of ${kinds.join(', ')} are in use, so some exports of members are not published. The ResourceExports with condition Failure and reason NumbersExhausted have no number. Reduce the number of different Pod labels in the ClusterSet.`;
  return { status: 'True', reason: 'NumbersExhausted', message };
}

/**
 * A problem that only one cluster can fix is reported in that cluster alone. Without a pool nothing
 * is recorded any more, and existing records are outdated.
 */
function virtualPodCIDRsMissing({
  clusterSet,
  allots = false,
}: LeaderClusterSetInput): Verdict<Says, 'VirtualPodCIDRsMissing'> | 'absent' {
  const text = allots ? clusterSet.metadata.annotations?.[Annotation.allottedPodCIDRs] : undefined;
  const refused = parseAllotmentLedger(text).filter(needsLargerPool);
  if (refused.length === 0) return 'absent';
  const named = refused.map(({ clusterID, own, problem }) => {
    const isShare = problem === 'share' ? ' (more than a quarter of the pool for this cluster)' : '';
    return `${cidrText(own)} of ${clusterID}${isShare}`;
  });
  const message = `Pod CIDRs overlap with ranges of other clusters and have no virtual range, because the pool is too small for them: ${firstNames(named, maxNamed)}. Add ranges to virtualPodCIDRs in the configuration of this controller.`;
  return { status: 'True', reason: 'PoolExhausted', message };
}

function exportsIgnored(
  clusterSet: ClusterSet,
  overLimits: OverLimits | undefined,
): Verdict<Says, 'ExportsIgnored'> | 'absent' | undefined {
  if (overLimits === undefined) return undefined;
  const message = overLimitsMessage(clusterSet, overLimits);
  return message === undefined ? 'absent' : { status: 'True', reason: 'ExportLimitExceeded', message };
}

function wantedClusterSet(
  { clusterSet, served, version }: LeaderClusterSetInput,
  id: ClusterIDChoice | undefined,
): ClusterSet {
  const isServed = served.metadata.name === clusterSet.metadata.name;
  const versions = { [Annotation.version]: version, [Annotation.wire]: String(wireNumber) };
  const annotations = isServed ? { ...clusterSet.metadata.annotations, ...versions } : clusterSet.metadata.annotations;
  const lacksID = clusterSet.spec !== undefined && id?.kind === 'known' && id.fromClaim;
  const spec = lacksID ? { ...clusterSet.spec, clusterID: id.clusterID } : clusterSet.spec;
  return { ...clusterSet, metadata: { ...clusterSet.metadata, annotations }, spec };
}

/**
 * Members may announce anything, but an object is limited to 1.5 MiB: beyond this number, clusters
 * are only counted,
 */
const maxShown = 1_000;
/** silent members beyond this number are not named in the message, */
const maxNamed = 10;
/** and a longer ID than this cannot be valid. */
const maxIDLength = 253;

/**
 * If several announcements have one cluster ID, the true one counts; otherwise the first by name.
 */
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
type Obstacle = Verdict<Says, 'Ready'> & { readonly status: 'False' };
/**
 * The verdict on one member: for a leader, whether it takes part and whether it sends heartbeats
 * are the same.
 */
type MemberVerdict = Verdict<Says, 'clusterStatuses[].Ready'> & Verdict<Says, 'clusterStatuses[].ClusterConnected'>;

function problemOf({ clusterSet, served }: LeaderClusterSetInput, id: ClusterIDChoice): Obstacle | undefined {
  const { namespace = '', name } = clusterSet.metadata;
  if (served.metadata.name !== name) {
    const message = `ClusterSet ${served.metadata.name} is already served in this Namespace; there can be only one. Delete this one: kubectl -n ${namespace} delete clusterset ${name}. To change to it instead, delete ${served.metadata.name} when its members have left.`;
    return { status: 'False', reason: 'MultipleClusterSets', message };
  }
  if (id.kind === 'unknown') return { status: 'False', reason: id.reason, message: id.message };
  const leader = leaderOf(clusterSet);
  if (leader === undefined) {
    const message = `ClusterSet ${name}: spec.leaders has ${clusterSet.spec?.leaders?.length ?? 0} entries; it must have exactly one, this cluster (${id.clusterID}).`;
    return { status: 'False', reason: 'InvalidLeaders', message };
  }
  if (leader.clusterID !== id.clusterID) {
    const message = `ClusterSet ${name}: spec.leaders names ${JSON.stringify(leader.clusterID ?? '')}, but this cluster is ${id.clusterID}. Set both to this cluster's ID.`;
    return { status: 'False', reason: 'InvalidLeaders', message };
  }
  return undefined;
}

function overallOf(statuses: readonly ClusterStatus[], ready: number): Verdict<Says, 'Ready'> {
  if (statuses.length === 0) {
    // Antrea reports True here (defect B22), although no member exists that could be ready.
    return { status: 'Unknown', reason: 'NoMembers', message: 'No member has joined yet' };
  }
  if (ready === statuses.length) return { status: 'True', reason: 'AllClustersReady', message: '' };
  const others = statuses.filter((status) => !isReadyStatus(status)).map(notReady);
  return {
    status: 'False',
    reason: 'NoReadyCluster',
    message: `${ready} of ${statuses.length} clusters are ready; not ready: ${firstNames(others, maxNamed)}. status.clusterStatuses has the details. In a cluster that is not ready, check that its controller runs, and read its ClusterSet: kubectl get pods -A -l component=antrea-mc-controller; kubectl describe clustersets -A`,
  };
}

function notReady({ clusterID = '', conditions }: ClusterStatus): string {
  return `${clusterID} (${conditionOf(conditions, 'Ready')?.reason ?? 'unknown'})`;
}

interface Look {
  readonly input: LeaderClusterSetInput;
  /** The result of the last look. */
  readonly before: ClusterStatus | undefined;
  readonly now: string;
}

function memberStatus({ announce, liveness }: MemberSeen, { input, before, now }: Look): ClusterStatus {
  const clusterID = announce.clusterID ?? '';
  const known = before?.conditions ?? [];
  const verdict = memberVerdict(announce, stillSilent(liveness, known) ?? liveness, input);
  // The message contains the time of the last heartbeat. It is kept while nothing changes;
  // otherwise each look would be a write.
  const settled = (type: ConditionType): MemberVerdict => {
    const last = conditionOf(known, type);
    const isSame = last?.status === verdict.status && last.reason === verdict.reason;
    return isSame ? { ...verdict, message: last.message ?? verdict.message } : verdict;
  };
  const conditions = setVerdicts(
    leaderClusterSetStatus,
    known,
    {
      'clusterStatuses[].Ready': settled('Ready'),
      'clusterStatuses[].ClusterConnected': settled('ClusterConnected'),
    },
    { now },
  );
  return equal(before?.conditions, conditions) && before !== undefined ? before : { clusterID, conditions };
}

/**
 * A member that was silent before this leader started stays so until it is heard. The time of its
 * last heartbeat is in the message.
 */
function stillSilent(liveness: Liveness, known: ClusterStatus['conditions']): Liveness | undefined {
  const before = conditionOf(known, 'ClusterConnected');
  const wasSilent = before?.status === 'False' && before.reason === 'Disconnected';
  return liveness.kind === 'connected' && !liveness.isHeard && wasSilent
    ? { kind: 'disconnected', silentMs: 0 }
    : undefined;
}

function memberVerdict(
  announce: MemberClusterAnnounce,
  liveness: Liveness,
  input: LeaderClusterSetInput,
): MemberVerdict {
  const { clusterSet } = input;
  const problem = announceProblem(announce);
  if (problem !== undefined) return { status: 'False', ...problem };
  if (announce.clusterSetID !== clusterSet.metadata.name) {
    const theirs = shown(announce.clusterSetID ?? '');
    const message = `The member announces itself for ClusterSet ${theirs}. If that name is right, delete this ClusterSet and create it again with that name: no import changes. If this one is right, delete the ClusterSet in the member cluster, which removes the imports and exports of that cluster, and create it again as ${shown(clusterSet.metadata.name)}.`;
    return { status: 'False', reason: 'OtherClusterSet', message };
  }
  if (liveness.kind === 'connected') {
    return { status: 'True', reason: 'Connected', message: AntreaMessage.memberConnected };
  }
  const lastSeen = rfc3339(input.nowMs - liveness.silentMs);
  return { status: 'False', reason: 'Disconnected', message: `No MemberClusterAnnounce update since ${lastSeen}` };
}

function isReadyStatus(status: ClusterStatus): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');
}
