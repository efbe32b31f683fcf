import type { MemberClusterAnnounce as MemberClusterAnnounceObject } from '@isthmus/api';
import { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import type { Reconciler, World } from '@isthmus/kube';
import { again, blocked, defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject, refOf } from '@isthmus/machinery';
import type { ControllerAccess } from '../../exchange/controller-access.ts';
import type { CommonArea } from '../../exchange/common-area.ts';
import { ExportIndex } from '../../exchange/common-area.ts';
import { announcedCluster } from './announced-cluster.ts';
import type { AnnounceDecision } from './decide.ts';
import { decideAnnounce } from './decide.ts';
import { disconnectedAfterMs } from './liveness.ts';
import type { Sightings } from './sightings.ts';

/** What this controller may do. */
export const memberAnnounceAccess: readonly ControllerAccess[] = [
  { at: 'local', type: MemberClusterAnnounce, scope: 'own', verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
  { at: 'local', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'delete'] },
];

/**
 * Keeps the leader's finalizer on each announcement, forgets members that are silent for a day, and, when an announcement goes,
 * removes all that the member exported before it lets the announcement go (docs/spec/membership.md §3, §4). One key: one announcement.
 */
export function memberAnnounceController(area: CommonArea, sightings: Sightings, world: World): Reconciler {
  const announcesOf = (clusterID: string) =>
    area.announces.cache
      .list()
      .filter((announce) => announcedCluster(announce) === clusterID)
      .map(keyOfObject);
  return defineReconciler({
    name: 'member-announce',
    sources: [
      from(area.announces.cache, (announce) => [keyOfObject(announce)]),
      // Only what a purge waits for.
      from(area.exports.cache, (object) =>
        object.metadata.deletionTimestamp === undefined ? [] : announcesOf(object.spec?.clusterID ?? ''),
      ),
    ],
    access: memberAnnounceAccess,
    async reconcile(key, { signal, log }) {
      const announce = area.announces.cache.getByKey(key);
      if (announce === undefined) {
        sightings.forget(refOf(key).name);
        return done;
      }
      const decision = decide(announce);
      switch (decision.kind) {
        case 'keep':
          await setFinalizers(announce, decision.finalizers, signal);
          return again(decision.lookAgainMs, 'waiting for heartbeats');
        case 'forget':
          log.warn('removing a member that has been silent for a day', { clusterID: announce.clusterID });
          await area.announces.delete(announce, signal);
          return done;
        case 'purge': {
          for (const object of decision.exports) await area.exports.delete(object, signal);
          // What nothing held is gone by now, and its disappearance wakes nobody.
          const rest = decide(announce);
          if (rest.kind !== 'release') {
            return again(disconnectedAfterMs, `exports of ${announce.clusterID ?? ''} are being withdrawn`);
          }
          await setFinalizers(announce, rest.finalizers, signal);
          return done;
        }
        case 'release':
          await setFinalizers(announce, decision.finalizers, signal);
          return done;
        case 'reject':
          // Shown on the ClusterSet.
          return blocked(decision.reason, decision.message);
      }
    },
  });

  function decide(announce: MemberClusterAnnounceObject): AnnounceDecision {
    return decideAnnounce({
      announce,
      exports: area.exports.cache.byIndex(ExportIndex.clusterID, announce.clusterID ?? ''),
      sighting: sightings.look(announce),
      nowMonotonicMs: world.clock.monotonic(),
      nowMs: world.clock.now(),
    });
  }

  async function setFinalizers(
    announce: MemberClusterAnnounceObject,
    finalizers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    await area.announces.change(announce, { ...announce, metadata: { ...announce.metadata, finalizers } }, signal);
  }
}
