import type { EventReason, Secret as SecretObject } from '@isthmus/api';
import { ClusterClaim, ClusterSet, Secret, memberClusterSetStatus } from '@isthmus/api';
import type { Outcome, ReconcileContext, Reconciler, World } from '@isthmus/kube';
import { again, atStart, blocked, defineReconciler, done, from, onChange } from '@isthmus/kube';
import { leaderOf } from '@isthmus/wire';
import type { AdmissionWatch } from '../../admission-watch.ts';
import type { ControllerAccess } from '../../controller-access.ts';
import type { OwnCluster } from '../../own-cluster/own-cluster.ts';
import type { SessionState, SettingsVerdict, TokenVerdict } from '../../own-cluster/session-state.ts';
import type { RejectedConfig } from '../../process/rejected-config.ts';
import { configurationVerdict } from '../../process/rejected-config.ts';
import type { StatusRejected } from '../../reporting/rejected-status.ts';
import type { UpdateRejected, UpdatedClusterSet } from '../../reporting/rejected-update.ts';
import { updatedUnlessRejected } from '../../reporting/rejected-update.ts';
import { createStandingReports } from '../../reporting/reports.ts';
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

/** The Secret that the served ClusterSet names, and nothing else. */
export interface SecretCache {
  /** Watches the Secret of that name from now on; undefined: none. */
  watch(name: string | undefined): void;
  /** Undefined until the first answer has come. */
  readonly found: { readonly secret: SecretObject | undefined } | undefined;
  /** Its name, while the API server does not allow it to be read. */
  readonly denied: string | undefined;
  /** Calls `listener` when the Secret is found, changes or goes, or `denied` may have changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** What runs for the present membership. */
export interface MembershipRun {
  want(membership: Membership): void;
  readonly session: SessionState | undefined;
  /** The cluster ID of a session that is connected. */
  readonly connectedAs: string | undefined;
  /** Kinds that the leader publishes, and that this member does not import. */
  readonly unservedKinds: readonly string[];
  /** Whether the token of the session names this cluster; undefined: not known yet. */
  readonly tokenBinding: TokenVerdict | undefined;
  /** In what the members differ; undefined: not known yet. */
  readonly settings: SettingsVerdict | undefined;
  /** Whether the leader answers heartbeats, and so runs Isthmus; undefined: not known yet. */
  readonly leaderAnswers: boolean | undefined;
  /** Whether anything that we imported is left here; `unknown` until the own cluster has been read. */
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
  /** Fields of the configuration that are set and not acted on. */
  readonly unusedSettings: readonly string[];
  /** The configuration file that the process does not use, if there is one. */
  readonly rejectedConfig: RejectedConfig;
  readonly admission: Pick<AdmissionWatch, 'problem' | 'onChange'>;
  readonly world: World;
}

/** What this controller may do. */
export const memberClusterSetAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ClusterSet, subresource: 'status', scope: 'own', verbs: ['patch'] },
  { at: 'local', type: ClusterClaim, scope: 'own', verbs: ['get', 'list', 'watch'], mayBeUnserved: true },
  { at: 'local', type: Secret, scope: 'own', verbs: ['get', 'list', 'watch'], byName: true },
];

/** The key for all: which ClusterSet is served depends on each of them, and so does there being none. */
const theOnly = 'cluster-set';

/** Joins, follows and leaves the ClusterSet of the controller's Namespace. */
export function memberClusterSetController(options: MemberClusterSetOptions): Reconciler {
  const { local, secrets, run, decodeBase64, world } = options;
  const all = () => [theOnly];
  const events = createStandingReports(local.events, memberClusterSetStatus, world.clock);
  // A cache: since when, by the monotonic clock, the leader has been waited for. Lost with the process, which costs a minute.
  let leaving: { readonly uid: string; readonly sinceMs: number } | undefined;
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
    async reconcile(_key, context) {
      const { signal } = context;
      const clusterSets = local.clusterSets.cache.list();
      const claims = local.clusterClaims.cache.list();
      const served = local.served();
      const secret = lookAt(served === undefined ? undefined : leaderOf(served)?.secret);
      const joining = decideJoining({
        served,
        claims,
        secret,
        connectedAs: run.connectedAs,
        virtual: local.virtualPodCIDRs.value,
        decodeBase64,
      });
      if (joining.kind === 'wait') return again(30_000, 'the Secret is being read');
      const { membership, wanted, mismatch } = joining;
      let observed = membership;
      if (joining.mayBegin) run.want(membership);
      const denied = deniedRequests();
      let rejected: StatusRejected | UpdateRejected | undefined;
      for (const clusterSet of clusterSets) {
        const isServed = clusterSet === served;
        const update =
          isServed && wanted !== undefined
            ? await updated(clusterSet, wanted, signal)
            : { current: clusterSet, rejected: undefined };
        rejected ??= update.rejected;
        // What does not begin has to be reported as the reason why.
        if (update.rejected !== undefined && !joining.mayBegin && membership.kind === 'joined')
          observed = { ...update.rejected, kind: 'pending' };
        if (isServed && mismatch !== undefined)
          report(clusterSet, { reason: 'ClusterClaimMismatch', message: mismatch });
        if (isServed) events.note('admission', clusterSet, options.admission.problem);
        const leaves = isServed && membership.kind === 'leaving';
        const message = leaves ? leavingMessage(leavingInput(clusterSet, membership)) : undefined;
        const refusal = await writeStatus(
          update.current,
          { served: served ?? clusterSet, membership: observed, denied, leaving: message },
          signal,
        );
        const isReleased = !isServed && clusterSet.metadata.deletionTimestamp !== undefined;
        const held = isReleased ? await release(clusterSet, signal) : undefined;
        rejected ??= refusal ?? held;
      }
      if (served !== undefined && membership.kind === 'leaving')
        return leave(leavingInput(served, membership), context);
      const problem = problemOf({
        membership: observed,
        session: run.session,
        served,
        clusterSets,
        denied,
        missing: local.unserved.missing(),
        unserved: local.unserved.list(),
        older: local.unserved.older(),
      });
      if (problem === undefined) return rejected ?? done;
      return blocked(problem.reason, problem.message, { lookAgainMs: rejected?.lookAgainMs });

      function leavingInput(object: ClusterSet, { spec }: Membership & { readonly kind: 'leaving' }): LeavingInput {
        const leader = spec !== undefined ? 'known' : secret.kind === 'read' ? 'none' : 'unknown';
        return { served: object, claims, leader, imported: run.imported, leave: run.leave, waitedMs: waitedMs(object) };
      }
    },
  });

  /** For how long this process has seen the ClusterSet being deleted. */
  function waitedMs({ metadata: { uid = '' } }: ClusterSet): number {
    const nowMs = world.clock.monotonic();
    if (leaving?.uid !== uid) leaving = { uid, sinceMs: nowMs };
    return nowMs - leaving.sinceMs;
  }

  /** The Secret of that name; to look at it means to watch it from now on. */
  function lookAt(name: string | undefined): SecretLook {
    secrets.watch(name);
    if (name === undefined) return { kind: 'read', secret: undefined };
    const { found, denied } = secrets;
    if (found !== undefined) return { kind: 'read', secret: found.secret };
    return { kind: denied === undefined ? 'unread' : 'denied' };
  }

  /** Of the Secret in a form of its own: a Role may allow it by name. */
  function deniedRequests(): readonly string[] {
    const { denied } = secrets;
    return [...local.denied.list(), ...(denied === undefined ? [] : [`read secrets named ${denied}`])];
  }

  function writeStatus(
    clusterSet: ClusterSet,
    seen: Pick<MemberClusterSetInput, 'served' | 'membership' | 'denied' | 'leaving'>,
    signal: AbortSignal,
  ): Promise<StatusRejected | undefined> {
    const { session } = run;
    const status = decideMemberStatus({
      ...seen,
      clusterSet,
      session,
      missing: local.unserved.missing(),
      unserved: local.unserved.list(),
      older: local.unserved.older(),
      ofExchanges: local.clusterSetConditions.verdicts,
      excluded: local.config.importExcludedNamespaces,
      held: local.held.size,
      unsupported: unsupportedVerdict({
        settings: options.unusedSettings,
        payloads: { objects: 'ResourceImport', kinds: run.unservedKinds },
      }),
      configuration: configurationVerdict(options.rejectedConfig),
      admission: options.admission.problem,
      tokenBinding: run.tokenBinding,
      settings: run.settings,
      leaderAnswers: run.leaderAnswers,
      dataPlane: dataPlaneVerdict({
        ...local,
        gateways: local.gateways.cache.synced ? local.gateways.cache.list() : undefined,
      }),
      networkConflict: local.networkConflict.value,
      virtual: translatedVerdict(clusterSet),
      heldExports: { count: local.heldExports.size, definitions: local.heldExports.exchanges },
      nowMs: world.clock.now(),
    });
    const write = local.clusterSets.changeStatus(clusterSet, status, signal);
    return reportingRejection(write, (rejected) => report(clusterSet, rejected));
  }

  async function leave(
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
        events.note('abandoned', served, { reason: 'LeaderUnreachable', message });
        break;
      }
      case 'left':
        break;
    }
    return (await release(served, signal)) ?? done;
  }

  function report(clusterSet: ClusterSet, note: Note): void {
    local.events.report(clusterSet, memberClusterSetStatus, note);
  }

  /** Without our finalizer. */
  async function release(clusterSet: ClusterSet, signal: AbortSignal): Promise<UpdateRejected | undefined> {
    const metadata = { ...clusterSet.metadata, finalizers: releasedFinalizers(clusterSet) };
    return (await updated(clusterSet, { ...clusterSet, metadata }, signal)).rejected;
  }

  /** Changes the ClusterSet, or reports on it that the API server does not let us. */
  async function updated(from: ClusterSet, to: ClusterSet, signal: AbortSignal): Promise<UpdatedClusterSet> {
    const update = await updatedUnlessRejected(from, local.clusterSets.change(from, to, signal));
    events.note(`update ${from.metadata.name}`, from, update.rejected);
    return update;
  }
}

interface Note {
  readonly reason: EventReason<typeof memberClusterSetStatus>;
  readonly message: string;
}
