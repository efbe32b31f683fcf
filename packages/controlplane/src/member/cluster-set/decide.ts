import type { ClusterSet, ReasonOn, Verdict } from '@isthmus/api';
import { AntreaMessage, memberClusterSetStatus } from '@isthmus/api';
import { rfc3339 } from '@isthmus/machinery';
import { changedClusterID, conditionOf, leaderOf, setVerdicts } from '@isthmus/wire';
import type { Verdicts } from '@isthmus/wire';
import type { AdmissionProblem } from '../../admission-watch.ts';
import { exportsLostWithDefinition, heldVerdict, importsLost } from '../../loss/held-condition.ts';
import type { Membership } from '../membership.ts';
import { tokenVerdicts } from '../token/verdicts.ts';
import type { Installation } from './installation.ts';
import { installationProblem } from './installation.ts';
import type { SessionState, SettingsVerdict, TokenProblem, TokenVerdict } from '../../own-cluster/session-state.ts';

type Status = NonNullable<ClusterSet['status']>;
type ClusterSetCondition = NonNullable<Status['conditions']>[number];
type Says = typeof memberClusterSetStatus;

export interface MemberClusterSetInput extends Installation {
  readonly clusterSet: ClusterSet;
  readonly served: ClusterSet;
  readonly membership: Membership;
  /** The state of the session that the membership asks for; undefined if none runs yet. */
  readonly session: SessionState | undefined;
  /** The reports of exchanges; default: none. */
  readonly ofExchanges?: Verdicts<Says> | undefined;
  /** Namespaces from which nothing is imported, by the configuration. */
  readonly excluded: readonly string[];
  /** The number of imports that are kept although the leader no longer has them. */
  readonly held: number;
  /** The fields that this member does not act on; default: none. */
  readonly unsupported?: Verdict<Says, 'Unsupported'> | 'absent' | undefined;
  /** Whether the process uses its configuration file unchanged; default: it does. */
  readonly configuration?: Verdict<Says, 'ConfigurationRejected'> | 'absent' | undefined;
  /**
   * Whether the API server has the admission policies of this member. Undefined: it has, or that is
   * not known.
   */
  readonly admission?: AdmissionProblem | undefined;
  /** Whether calls to imported Services can arrive; undefined: not known. */
  readonly dataPlane?: Verdict<Says, 'NoDataPlane'> | 'absent' | undefined;
  /** The leader's findings about the ranges of this cluster; undefined: not known. */
  readonly networkConflict?: Verdict<Says, 'NetworkConflict'> | 'absent' | undefined;
  /**
   * The ranges by which other clusters reach the Pods of this one. Default: the Pod CIDRs
   * themselves.
   */
  readonly virtual?: Verdict<Says, 'PodCIDRsTranslated'> | 'absent' | undefined;
  /** Whether the token of the session names this cluster; undefined: not known yet. */
  readonly tokenBinding?: TokenVerdict | undefined;
  /** Why the token of the session will expire; undefined: it is renewed in time. */
  readonly tokenProblem?: TokenProblem | undefined;
  /** The settings in which the members differ; undefined: not known yet. */
  readonly settings?: SettingsVerdict | undefined;
  /**
   * Whether the leader answers heartbeats, which means that it runs Isthmus; undefined: not known
   * yet.
   */
  readonly leaderAnswers?: boolean | undefined;
  /** While the cluster leaves: what it waits for. */
  readonly leaving?: string | undefined;
  /** The number of exports whose objects are gone together with these CRDs. */
  readonly heldExports?: { readonly count: number; readonly definitions: readonly string[] } | undefined;
  readonly nowMs: number;
}

/**
 * The status of a member's ClusterSet: one entry, for the leader (docs/spec/membership.md §5).
 * `antctl mc join` waits for its condition Ready.
 */
export function decideMemberStatus(input: MemberClusterSetInput): Status {
  const { clusterSet, nowMs } = input;
  const now = rfc3339(nowMs);
  const leaderID = leaderOf(clusterSet)?.clusterID ?? '';
  const isServed = input.served.metadata.name === clusterSet.metadata.name;
  const before = clusterSet.status?.clusterStatuses?.find((status) => status.clusterID === leaderID)?.conditions ?? [];
  const joined = isServed && input.membership.kind === 'joined';
  // Without access to its own cluster, it does not begin.
  const isBeginningNow = input.denied.length === 0 && isBeginning(input.session);
  if (joined && isBeginningNow && isSettled(clusterSet, before)) return { ...clusterSet.status };
  const conditions = joined ? setVerdicts(memberClusterSetStatus, before, sessionVerdicts(input.session), { now }) : [];
  const { count: exportsHeld, definitions } = input.heldExports ?? { count: 0, definitions: [] };
  const losing = {
    leaderClusterID: leaderID,
    leaderNamespace: clusterSet.spec?.namespace ?? '',
    answers: input.leaderAnswers,
  };
  const whys = [
    ...(input.held > 0 ? [importsLost('Imports', losing)] : []),
    ...(exportsHeld > 0 ? [exportsLostWithDefinition(definitions)] : []),
  ];
  const held = heldVerdict(clusterSet, joined ? input.held + exportsHeld : 0, whys.join(' '));
  const ready = conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return {
    ...clusterSet.status,
    observedGeneration: clusterSet.metadata.generation,
    totalClusters: 1,
    readyClusters: ready ? 1 : 0,
    clusterStatuses: joined ? [{ clusterID: leaderID, conditions }] : [],
    conditions: setVerdicts(
      memberClusterSetStatus,
      clusterSet.status?.conditions ?? [],
      {
        Ready: overall(input, isServed),
        WithdrawalHeld: held,
        ImportsExcluded: importsExcluded(input.excluded),
        Unsupported: isServed ? (input.unsupported ?? 'absent') : 'absent',
        ConfigurationRejected: isServed ? (input.configuration ?? 'absent') : 'absent',
        AdmissionIncomplete:
          isServed && input.admission !== undefined ? { status: 'True', ...input.admission } : 'absent',
        TokenNotBound: joined ? input.tokenBinding : 'absent',
        ...tokenVerdicts(isServed ? input : { ...input, membership: { kind: 'none' } }),
        NoDataPlane: joined ? input.dataPlane : 'absent',
        SettingsDiffer: joined ? input.settings : 'absent',
        NetworkConflict: joined ? input.networkConflict : 'absent',
        PodCIDRsTranslated: joined ? (input.virtual ?? 'absent') : 'absent',
        ...input.ofExchanges,
      },
      { now },
    ),
  };
}

function importsExcluded(namespaces: readonly string[]): Verdict<Says, 'ImportsExcluded'> | 'absent' {
  if (namespaces.length === 0) return 'absent';
  const message = `The configuration of the controller (importExcludedNamespaces) excludes these Namespaces from import: ${namespaces.join(', ')}`;
  return { status: 'True', reason: 'ExcludedByConfiguration', message };
}

function isBeginning(session: SessionState | undefined): boolean {
  return (
    session === undefined ||
    session.kind === 'connecting' ||
    (session.kind === 'connected' && session.isUnheard === true)
  );
}

/**
 * Whether an earlier session of the same spec had a verdict, before a restart or with another
 * token. It stays until the new session has one. It does not apply to another server or leader.
 */
function isSettled({ metadata, status }: ClusterSet, before: readonly ClusterSetCondition[]): boolean {
  const ready = conditionOf(before, 'Ready');
  return status?.observedGeneration === metadata.generation && ready !== undefined && ready.status !== 'Unknown';
}

function sessionVerdicts(session: SessionState | undefined): Verdicts<Says> {
  switch (session?.kind) {
    case 'connected': {
      const yes = { status: 'True', message: '' } as const;
      const { problem } = session;
      return {
        'clusterStatuses[].Ready':
          problem === undefined ? yes : { status: 'False', reason: problem.reason, message: problem.why },
        'clusterStatuses[].IsLeader': yes,
        'clusterStatuses[].ClusterConnected': yes,
      };
    }
    case 'disconnected': {
      // The condition Ready of the ClusterSet has the text, which is long.
      const no = { status: 'False', reason: session.reason, message: AntreaMessage.leaderDisconnected } as const;
      return { 'clusterStatuses[].Ready': no, 'clusterStatuses[].ClusterConnected': no };
    }
    default: {
      const unknown = { status: 'Unknown', message: session?.why ?? AntreaMessage.leaderAdded } as const;
      return {
        'clusterStatuses[].Ready': unknown,
        'clusterStatuses[].IsLeader': { status: 'False', message: AntreaMessage.leaderAdded },
        'clusterStatuses[].ClusterConnected': unknown,
      };
    }
  }
}

function overall(
  { served, clusterSet, membership, session, denied, missing, unserved, older, leaving }: MemberClusterSetInput,
  isServed: boolean,
): Verdict<Says, 'Ready'> {
  if (!isServed) {
    return { status: 'False', ...severalClusterSets(clusterSet, served) };
  }
  switch (membership.kind) {
    case 'pending':
      return { status: 'False', reason: membership.reason, message: membership.message };
    case 'leaving':
      return { status: 'False', reason: 'Leaving', message: leaving ?? 'This cluster is leaving the ClusterSet' };
    case 'none':
      return { status: 'Unknown', message: AntreaMessage.leaderNotConnected };
    case 'joined':
      break;
  }
  const installation = installationProblem({ denied, missing, unserved, older });
  switch (session?.kind) {
    case 'connected': {
      const { problem } = session;
      if (problem !== undefined) return { status: 'False', reason: problem.reason, message: problem.why };
      if (installation?.reason === 'KindsMissing' || installation?.reason === 'AccessDenied')
        return { status: 'False', ...installation };
      const changed = changedClusterID(clusterSet);
      if (changed !== undefined) return { status: 'True', reason: 'ClusterIDChanged', message: changed };
      if (installation !== undefined) return { status: 'True', ...installation };
      return { status: 'True', reason: 'Connected', message: '' };
    }
    case 'disconnected':
      // No heartbeat is sent by a cluster that does not know which one it is.
      if (installation?.reason === 'AccessDenied' && denied.includes('list namespaces'))
        return { status: 'False', ...installation };
      return {
        status: 'False',
        reason: session.reason,
        message: `${AntreaMessage.leaderDisconnected}: ${session.why}`,
      };
    default:
      // Without access to its own cluster, the controller does not know which cluster it is.
      if (installation?.reason === 'AccessDenied') return { status: 'False', ...installation };
      return { status: 'Unknown', reason: 'Connecting', message: AntreaMessage.leaderNotConnected };
  }
}

export interface ProblemInput extends Installation {
  readonly membership: Membership;
  readonly session: SessionState | undefined;
  readonly served: ClusterSet | undefined;
  readonly clusterSets: readonly ClusterSet[];
}

/**
 * The problem that a user must fix before this cluster can be a member. Undefined if there is none,
 * or if it may pass by itself.
 */
export function problemOf({
  membership,
  session,
  served,
  clusterSets,
  denied,
  missing,
  unserved,
  older,
}: ProblemInput): Problem | undefined {
  if (membership.kind === 'pending') return membership;
  if (membership.kind === 'joined' && session?.kind === 'disconnected' && session.reason !== 'Disconnected') {
    return { reason: session.reason, message: session.why };
  }
  if (membership.kind === 'joined' && session?.kind === 'connected' && session.problem !== undefined) {
    return { reason: session.problem.reason, message: session.problem.why };
  }
  if (served === undefined) return undefined;
  const installation = installationProblem({ denied, missing, unserved, older });
  if (installation !== undefined && installation.reason !== 'OutdatedManifests') return installation;
  const other = clusterSets.find((clusterSet) => clusterSet !== served);
  return other === undefined ? installation : severalClusterSets(other, served);
}

interface Problem {
  readonly reason: ReasonOn<Says, 'Ready=False'> | 'OutdatedManifests';
  readonly message: string;
}

function severalClusterSets({ metadata: { namespace = '', name } }: ClusterSet, served: ClusterSet) {
  const other = served.metadata.name;
  const message = `This cluster is already in ClusterSet ${other}; it can be in only one. Delete this one: kubectl -n ${namespace} delete clusterset ${name}. To change to it instead, delete ${other}: that removes the imports and exports of this cluster.`;
  return { reason: 'MultipleClusterSets', message } as const;
}
