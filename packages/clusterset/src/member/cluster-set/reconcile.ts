import type { Secret as SecretObject } from '@isthmus/api';
import { Annotation, ClusterClaim, ClusterSet, Finalizer, Secret, memberClusterSetStatus } from '@isthmus/api';
import type { Access, Reconciler, Source, World } from '@isthmus/kube';
import { again, defineReconciler, done, from } from '@isthmus/kube';
import { claimedClusterSetMismatch, memberClusterID } from '../../cluster-id.ts';
import { servedClusterSet } from '../../served-cluster-set.ts';
import type { LeaveState } from '../leave.ts';
import { leaveWithinMs } from '../leave.ts';
import type { OwnCluster } from '../../exchange/member/own-cluster.ts';
import type { Membership } from '../membership.ts';
import { decideMembership } from '../membership.ts';
import type { SessionState } from '../../exchange/member/session-state.ts';
import { decideMemberStatus } from './decide.ts';

/** The Secret that the served ClusterSet names, and nothing else. */
export interface SecretCache {
  /** Watches the Secret of that name from now on; undefined: none. */
  watch(name: string | undefined): void;
  /** Undefined until the first answer has come. */
  readonly found: { readonly secret: SecretObject | undefined } | undefined;
  readonly source: Source;
}

/** What runs for the present membership. */
export interface MembershipRun {
  want(membership: Membership): void;
  readonly session: SessionState | undefined;
  /** Whether nothing that we imported is left here. */
  readonly imported: 'some' | 'none';
  readonly leave: LeaveState | undefined;
  /** Wakes the ClusterSet when one of these changes. */
  readonly source: Source;
}

export interface MemberClusterSetOptions {
  readonly local: OwnCluster;
  readonly secrets: SecretCache;
  readonly run: MembershipRun;
  readonly decodeBase64: (text: string) => string;
  readonly world: World;
}

/** What this controller may do. */
export const memberClusterSetAccess: readonly Access[] = [
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ClusterSet, subresource: 'status', scope: 'own', verbs: ['patch'] },
  { at: 'local', type: ClusterClaim, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Secret, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/** Joins, follows and leaves the ClusterSet of the controller's Namespace. */
export function memberClusterSetController(options: MemberClusterSetOptions): Reconciler {
  const { local, secrets, run, world } = options;
  const all = () => ['cluster-set'];
  // A cache: since when, by the monotonic clock, the leader has been waited for. Lost with the process, which costs a minute.
  let leaving: { readonly uid: string; readonly sinceMs: number } | undefined;
  return defineReconciler({
    name: 'member-cluster-set',
    // One key for all: which ClusterSet is served depends on each of them, and so does there being none.
    concurrency: 1,
    sources: [
      from(local.clusterSets.cache, all),
      from(local.clusterClaims.cache, all),
      secrets.source,
      run.source,
      { synced: true, whenSynced: () => Promise.resolve(), start: (enqueue) => (enqueue('cluster-set'), () => {}) },
    ],
    access: memberClusterSetAccess,
    async reconcile(_key, { signal, log }) {
      const clusterSets = local.clusterSets.cache.list();
      const claims = local.clusterClaims.cache.list();
      const served = servedClusterSet(clusterSets);
      const secretName = served?.spec?.leaders?.[0]?.secret;
      secrets.watch(secretName);
      const isSecretUnread = secretName !== undefined && secrets.found === undefined;
      // To clean up here when the cluster leaves, no Secret is needed.
      if (isSecretUnread && served?.metadata.deletionTimestamp === undefined) {
        return again(30_000, 'the Secret is being read');
      }
      const secret = secrets.found?.secret;
      const membership = decideMembership({ clusterSet: served, claims, secret, decodeBase64: options.decodeBase64 });
      // Nothing may be imported before the finalizer stands that has it removed again.
      const held = served === undefined || (served.metadata.finalizers ?? []).includes(Finalizer.leave);
      if (held || membership.kind === 'leaving') run.want(membership);

      for (const clusterSet of clusterSets) {
        let current = clusterSet;
        if (clusterSet === served && membership.kind !== 'leaving') {
          const finalizers = [...new Set([...(clusterSet.metadata.finalizers ?? []), Finalizer.leave])];
          const id = memberClusterID(clusterSet, claims);
          const fromClaim = clusterSet.spec !== undefined && id.kind === 'known' && id.fromClaim;
          const spec = fromClaim ? { ...clusterSet.spec, clusterID: id.clusterID } : clusterSet.spec;
          const joinedAs = id.kind === 'known' ? { [Annotation.joinedAs]: id.clusterID } : {};
          const annotations = { ...clusterSet.metadata.annotations, ...joinedAs };
          const wanted = { ...clusterSet, metadata: { ...clusterSet.metadata, finalizers, annotations }, spec };
          current = await local.clusterSets.change(clusterSet, wanted, signal);
          const mismatch = claimedClusterSetMismatch(clusterSet, claims);
          if (mismatch !== undefined) {
            local.events.report(clusterSet, memberClusterSetStatus, {
              reason: 'ClusterClaimMismatch',
              message: mismatch,
            });
          }
        }
        const status = decideMemberStatus({
          clusterSet: current,
          served: served ?? clusterSet,
          membership,
          session: run.session,
          nowMs: world.clock.now(),
        });
        await local.clusterSets.changeStatus(current, status, signal);
      }
      for (const clusterSet of clusterSets) {
        if (clusterSet !== served && clusterSet.metadata.deletionTimestamp !== undefined)
          await letGo(clusterSet, signal);
      }
      if (served === undefined || membership.kind !== 'leaving') return done;

      const { uid = '' } = served.metadata;
      const nowMs = world.clock.monotonic();
      if (leaving?.uid !== uid) leaving = { uid, sinceMs: nowMs };
      if (run.imported === 'some') return again(5_000, 'imported objects are being removed');
      if (run.leave?.kind === 'left' || (membership.spec === undefined && !isSecretUnread)) {
        await letGo(served, signal);
        return done;
      }
      const leftMs = leaving.sinceMs + leaveWithinMs - nowMs;
      if (leftMs > 0) return again(leftMs, 'waiting for the leader to forget this cluster');
      const why = isSecretUnread ? `Secret ${secretName} cannot be read` : (run.leave?.why ?? 'it did not answer');
      const { namespace: leaderNamespace = '', leaders } = served.spec ?? {};
      const id = memberClusterID(served, claims);
      const clusterID = id.kind === 'known' ? id.clusterID : '';
      const leaderClusterID = leaders?.[0]?.clusterID ?? '';
      const message = `Left without leader ${leaderClusterID}: ${why}. MemberClusterAnnounce ${leaderNamespace}/member-announce-from-${clusterID} and the exports of ${clusterID} may remain there; the leader removes them after 24 hours of silence, or delete the announcement by hand.`;
      log.warn('leaving the ClusterSet without an answer of the leader', { leader: leaderClusterID, why });
      local.events.report(served, memberClusterSetStatus, { reason: 'LeaderUnreachable', message });
      await letGo(served, signal);
      return done;
    },
  });

  async function letGo(clusterSet: ClusterSet, signal: AbortSignal): Promise<void> {
    const finalizers = (clusterSet.metadata.finalizers ?? []).filter((name) => name !== Finalizer.leave);
    await local.clusterSets.change(
      clusterSet,
      { ...clusterSet, metadata: { ...clusterSet.metadata, finalizers } },
      signal,
    );
  }
}
