import type { ClusterClaim as ClusterClaimObject, EventReason, Secret as SecretObject } from '@isthmus/api';
import { ClusterClaim, ClusterSet, Secret, memberClusterSetStatus } from '@isthmus/api';
import type { Outcome, ReconcileContext, Reconciler, World } from '@isthmus/kube';
import { awaitedKindsAccess, again, atStart, blocked, defineReconciler, done, from, onChange } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import { leaderOf } from '@isthmus/wire';
import type { AdmissionWatch } from '../../admission-watch.ts';
import type { ControllerAccess } from '../../controller-access.ts';
import type { OwnCluster } from '../../own-cluster/own-cluster.ts';
import type { SessionState, SettingsVerdict, TokenProblem, TokenVerdict } from '../../own-cluster/session-state.ts';
import type { RejectedConfig } from '../../process/rejected-config.ts';
import { configurationVerdict } from '../../process/rejected-config.ts';
import type { StatusRejected } from '../../reporting/rejected-status.ts';
import type { UpdateRejected, UpdatedClusterSet } from '../../reporting/rejected-update.ts';
import { updatedUnlessRejected } from '../../reporting/rejected-update.ts';
import type { StatusHeartbeat } from '../../reporting/status-heartbeat.ts';
import { createStatusHeartbeat, statusBeatMs } from '../../reporting/status-heartbeat.ts';
import type { OngoingReports } from '../../reporting/reports.ts';
import { createOngoingReports } from '../../reporting/reports.ts';
import { reportingRejection } from '../../reporting/rejected-status.ts';
import { unsupportedVerdict } from '../../process/unsupported.ts';
import type { LeaveState } from '../leave.ts';
import type { Membership } from '../membership.ts';
import type { SecretLook } from './decide-joining.ts';
import { decideJoining, releasedFinalizers } from './decide-joining.ts';
import type { LeavingInput } from './decide-leaving.ts';
import { decideLeaving, leavingMessage } from './decide-leaving.ts';
import type { MemberClusterSetInput } from './decide.ts';
import { dataPlaneVerdict } from './data-plane.ts';
import { translatedVerdict } from './pod-cidrs-translated.ts';
import { decideMemberStatus, problemOf } from './decide.ts';

/** A cache of the Secret that the served ClusterSet names, and of no other object. */
export interface SecretCache {
  /** Watches the Secret of that name from now on. Undefined: none. */
  watch(name: string | undefined): void;
  /** Undefined until the first answer arrives. */
  readonly found: { readonly secret: SecretObject | undefined } | undefined;
  /** The name of the Secret while the API server denies reading it. */
  readonly denied: string | undefined;
  /**
   * Calls `listener` when the Secret is found, changes or is deleted, or `denied` may have changed.
   * Returns the unsubscriber.
   */
  readonly onChange: (listener: () => void) => () => void;
}

/** The running parts of the current membership. */
export interface MembershipRun {
  want(membership: Membership): void;
  readonly session: SessionState | undefined;
  /** The cluster ID of a session that is connected. */
  readonly connectedAs: string | undefined;
  /** Kinds that the leader publishes but this member does not import. */
  readonly unservedKinds: readonly string[];
  /** Whether the token of the session names this cluster; undefined: not known yet. */
  readonly tokenBinding: TokenVerdict | undefined;
  /** Why the token of the session will expire; undefined: it is renewed in time. */
  readonly tokenProblem: TokenProblem | undefined;
  /** The settings in which the members differ; undefined: not known yet. */
  readonly settings: SettingsVerdict | undefined;
  /**
   * Whether the leader answers heartbeats, which means that it runs Isthmus; undefined: not known
   * yet.
   */
  readonly leaderAnswers: boolean | undefined;
  /** Whether any of our imports is left here; `unknown` until the own cluster has been read. */
  readonly imported: 'some' | 'none' | 'unknown';
  readonly leave: LeaveState | undefined;
  /** Calls `listener` when one of these changes. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

export interface MemberClusterSetOptions {
  readonly local: OwnCluster;
  readonly secrets: SecretCache;
  readonly run: MembershipRun;
  readonly decodeBase64: (text: string) => string;
  /** Fields of the configuration that are set but not used. */
  readonly unusedSettings: readonly string[];
  /** The configuration file that the process rejected, if there is one. */
  readonly rejectedConfig: RejectedConfig;
  readonly admission: Pick<AdmissionWatch, 'problem' | 'onChange'>;
  readonly world: World;
}

/** The access that this controller needs. */
export const memberClusterSetAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ClusterSet, subresource: 'status', scope: 'own', verbs: ['patch'] },
  { at: 'local', type: ClusterClaim, scope: 'own', verbs: ['get', 'list', 'watch'], mayBeUnserved: true },
  awaitedKindsAccess(ClusterClaim),
  { at: 'local', type: Secret, scope: 'own', verbs: ['get', 'list', 'watch'], byName: true },
];

/**
 * The only key: the choice of the served ClusterSet depends on all of them, and on whether there is
 * one.
 */
const theOnly = 'cluster-set';

/**
 * Since when the leader has been waited for, by the monotonic clock. A restart loses it, which
 * costs a minute.
 */
interface LeavingMemory {
  readonly uid: string;
  readonly sinceMs: number;
}

/** Joins, follows and leaves ClusterSets. */
interface ClusterSetMember extends MemberClusterSetOptions {
  readonly events: OngoingReports<typeof memberClusterSetStatus>;
  readonly heartbeat: StatusHeartbeat;
  leaving: LeavingMemory | undefined;
}

/** Joins, follows and leaves the ClusterSet of the controller's Namespace. */
export function memberClusterSetController(options: MemberClusterSetOptions): Reconciler {
  const { local, secrets, run, world } = options;
  const all = () => [theOnly];
  const events = createOngoingReports(local.events, memberClusterSetStatus, world.clock);
  const member: ClusterSetMember = {
    ...options,
    events,
    heartbeat: createStatusHeartbeat(world.clock),
    leaving: undefined,
  };
  return defineReconciler({
    name: 'member-cluster-set',
    concurrency: 1,
    sources: [
      from(local.clusterSets.cache, all),
      from(local.clusterClaims.cache, all),
      onChange(secrets.onChange, all),
      onChange(run.onChange, all),
      onChange(local.unserved.onChange, all),
      onChange(local.denied.onChange, all),
      onChange(local.clusterSetConditions.onChange, all),
      onChange(local.held.onChange, all),
      onChange(local.gateways.cache.onState, all),
      onChange((listener) => local.gateways.cache.subscribe(listener), all),
      onChange(local.heldExports.onChange, all),
      onChange(local.networkConflict.onChange, all),
      onChange(local.virtualPodCIDRs.onChange, all),
      onChange(options.rejectedConfig.onChange, all),
      onChange(options.admission.onChange, all),
      atStart(theOnly),
    ],
    access: memberClusterSetAccess,
    reconcile: (_key, context) => reconcile(member, context),
  });
}

/** All facts about the membership from one look. */
interface Look {
  readonly served: ClusterSet | undefined;
  readonly claims: readonly ClusterClaimObject[];
  readonly secret: SecretLook;
  readonly joining: Joining;
  readonly denied: readonly string[];
}

type ClusterSetProblem =
  | NonNullable<ReturnType<typeof problemOf>>['reason']
  | (StatusRejected | UpdateRejected)['reason'];

type Joining = Exclude<ReturnType<typeof decideJoining>, { readonly kind: 'wait' }>;

async function reconcile(member: ClusterSetMember, context: ReconcileContext): Promise<Outcome<ClusterSetProblem>> {
  const { local, run } = member;
  const clusterSets = local.clusterSets.cache.list();
  const claims = local.clusterClaims.cache.list();
  const served = local.served();
  const secret = lookAt(member.secrets, served === undefined ? undefined : leaderOf(served)?.secret);
  const joining = decideJoining({
    served,
    claims,
    secret,
    connectedAs: run.connectedAs,
    virtual: local.virtualPodCIDRs.value,
    decodeBase64: member.decodeBase64,
  });
  if (joining.kind === 'wait') return again(30_000, 'the Secret is being read');
  const { membership } = joining;
  let observed = membership;
  if (joining.mayBegin) run.want(membership);
  const look: Look = { served, claims, secret, joining, denied: deniedRequests(member) };
  let rejected: StatusRejected | UpdateRejected | undefined;
  for (const clusterSet of clusterSets) {
    const isServed = clusterSet === served;
    const update =
      isServed && joining.wanted !== undefined
        ? await updated(member, clusterSet, joining.wanted, context.signal)
        : { current: clusterSet, rejected: undefined };
    rejected ??= update.rejected;
    // If the membership does not begin, the status has to report this as the reason.
    if (update.rejected !== undefined && !joining.mayBegin && membership.kind === 'joined')
      observed = { ...update.rejected, kind: 'pending' };
    if (isServed) reportServed(member, clusterSet, joining);
    const message =
      isServed && membership.kind === 'leaving'
        ? leavingMessage(leavingInput(member, look, clusterSet, membership))
        : undefined;
    const seen = { served: served ?? clusterSet, membership: observed, denied: look.denied, leaving: message };
    const refusal = await writeStatus(member, update.current, seen, context.signal);
    const isReleased = !isServed && clusterSet.metadata.deletionTimestamp !== undefined;
    const held = isReleased ? await release(member, clusterSet, context.signal) : undefined;
    rejected ??= refusal ?? held;
  }
  if (served !== undefined && membership.kind === 'leaving')
    return leave(member, leavingInput(member, look, served, membership), context);
  member.events.note('leader', served, lostLeader(run.session));
  const problem = problemOf({
    membership: observed,
    session: run.session,
    served,
    clusterSets,
    denied: look.denied,
    missing: local.unserved.missing(),
    unserved: local.unserved.list(),
    older: local.unserved.older(),
  });
  if (problem === undefined)
    return rejected ?? (served === undefined ? done : again(statusBeatMs, 'the status shows that its writer lives'));
  return blocked(problem.reason, problem.message, { lookAgainMs: rejected?.lookAgainMs ?? statusBeatMs });
}

/** Why the leader does not answer; undefined: it does, or that is not known yet. */
function lostLeader(session: SessionState | undefined) {
  return session?.kind === 'disconnected' ? { reason: session.reason, message: session.why } : undefined;
}

function reportServed(member: ClusterSetMember, clusterSet: ClusterSet, { mismatch }: Joining): void {
  if (mismatch !== undefined) report(member, clusterSet, { reason: 'ClusterClaimMismatch', message: mismatch });
  member.events.note('admission', clusterSet, member.admission.problem);
}

function leavingInput(
  member: ClusterSetMember,
  { secret, claims }: Look,
  served: ClusterSet,
  { spec }: Membership & { readonly kind: 'leaving' },
): LeavingInput {
  const { run } = member;
  const leader = spec !== undefined ? 'known' : secret.kind === 'read' ? 'none' : 'unknown';
  return { served, claims, leader, imported: run.imported, leave: run.leave, waitedMs: waitedMs(member, served) };
}

/** For how long this process has seen the deletion of the ClusterSet. */
function waitedMs(member: ClusterSetMember, { metadata: { uid = '' } }: ClusterSet): number {
  const nowMs = member.world.clock.monotonic();
  const leaving = member.leaving?.uid === uid ? member.leaving : { uid, sinceMs: nowMs };
  member.leaving = leaving;
  return nowMs - leaving.sinceMs;
}

/** The Secret of that name. Each look also watches it from now on. */
function lookAt(secrets: SecretCache, name: string | undefined): SecretLook {
  secrets.watch(name);
  if (name === undefined) return { kind: 'read', secret: undefined };
  const { found, denied } = secrets;
  if (found !== undefined) return { kind: 'read', secret: found.secret };
  return { kind: denied === undefined ? 'unread' : 'denied' };
}

/** Denied requests. The Secret has its own form, because a Role may allow it by name. */
function deniedRequests({ local, secrets: { denied } }: ClusterSetMember): readonly string[] {
  return [...local.denied.list(), ...(denied === undefined ? [] : [`read secrets named ${denied}`])];
}

function writeStatus(
  member: ClusterSetMember,
  clusterSet: ClusterSet,
  seen: Pick<MemberClusterSetInput, 'served' | 'membership' | 'denied' | 'leaving'>,
  signal: AbortSignal,
): Promise<StatusRejected | undefined> {
  const { local, run } = member;
  const status = decideMemberStatus({
    ...seen,
    clusterSet,
    session: run.session,
    missing: local.unserved.missing(),
    unserved: local.unserved.list(),
    older: local.unserved.older(),
    ofExchanges: local.clusterSetConditions.verdicts,
    excluded: local.config.importExcludedNamespaces,
    held: local.held.size,
    unsupported: unsupportedVerdict({
      settings: member.unusedSettings,
      payloads: { objects: 'ResourceImport', kinds: run.unservedKinds },
    }),
    configuration: configurationVerdict(member.rejectedConfig),
    admission: member.admission.problem,
    tokenBinding: run.tokenBinding,
    tokenProblem: run.tokenProblem,
    settings: run.settings,
    leaderAnswers: run.leaderAnswers,
    dataPlane: dataPlaneVerdict({
      ...local,
      gateways: local.gateways.cache.synced ? local.gateways.cache.list() : undefined,
    }),
    networkConflict: local.networkConflict.value,
    virtual: translatedVerdict(clusterSet),
    heldExports: { count: local.heldExports.size, definitions: local.heldExports.exchanges },
    nowMs: member.world.clock.now(),
  });
  const lastHeartbeatTime = member.heartbeat.next(keyOfObject(clusterSet), clusterSet.status?.lastHeartbeatTime);
  const write = local.clusterSets.changeStatus(clusterSet, { ...status, lastHeartbeatTime }, signal);
  return reportingRejection(write, (rejected) => report(member, clusterSet, rejected));
}

async function leave(
  member: ClusterSetMember,
  input: LeavingInput,
  { signal, log }: ReconcileContext,
): Promise<Outcome<UpdateRejected['reason']>> {
  const { served } = input;
  const decision = decideLeaving(input);
  switch (decision.kind) {
    case 'wait':
      return again(decision.forMs, decision.why);
    case 'abandon': {
      const { leader, why, message } = decision;
      log.warn('leaving the ClusterSet without an answer from the leader', { leader, why });
      member.events.note('abandoned', served, { reason: 'LeaderUnreachable', message });
      break;
    }
    case 'left':
      break;
  }
  return (await release(member, served, signal)) ?? done;
}

function report({ local }: ClusterSetMember, clusterSet: ClusterSet, note: Note): void {
  local.events.report(clusterSet, memberClusterSetStatus, note);
}

/** Removes our finalizer. */
async function release(
  member: ClusterSetMember,
  clusterSet: ClusterSet,
  signal: AbortSignal,
): Promise<UpdateRejected | undefined> {
  const metadata = { ...clusterSet.metadata, finalizers: releasedFinalizers(clusterSet) };
  return (await updated(member, clusterSet, { ...clusterSet, metadata }, signal)).rejected;
}

/** Changes the ClusterSet, or reports on it that the API server rejects the change. */
async function updated(
  { local, events }: ClusterSetMember,
  before: ClusterSet,
  after: ClusterSet,
  signal: AbortSignal,
): Promise<UpdatedClusterSet> {
  const update = await updatedUnlessRejected(before, local.clusterSets.change(before, after, signal));
  events.note(`update ${before.metadata.name}`, before, update.rejected);
  return update;
}

interface Note {
  readonly reason: EventReason<typeof memberClusterSetStatus>;
  readonly message: string;
}
