import type {
  MemberClusterAnnounce as MemberClusterAnnounceObject,
  ResourceExport as ResourceExportObject,
} from '@isthmus/api';
import {
  Annotation,
  MemberClusterAnnounce,
  ResourceExport,
  isResourceExportFinalizer,
  memberAnnounceFinalizer,
} from '@isthmus/api';
import type { Access, Outcome, Reconciler, World } from '@isthmus/kube';
import { again, defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject, parseRfc3339, refOf } from '@isthmus/machinery';
import type { CommonArea } from '../../exchange/common-area.ts';
import { ExportIndex } from '../../exchange/common-area.ts';
import { announcedCluster } from './announced-cluster.ts';
import { disconnectedAfterMs, isForgotten } from './liveness.ts';
import type { Sightings } from './sightings.ts';

/** How often a silent member's age is looked at again. */
const forgetCheckMs = 3_600_000;

/** What this controller may do. */
export const memberAnnounceAccess: readonly Access[] = [
  { at: 'local', type: MemberClusterAnnounce, scope: 'own', verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
  { at: 'local', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'delete'] },
];

/**
 * What somebody else's finalizer holds is withdrawn all the same; to wait for that would let anybody who can write exports keep another
 * cluster from leaving and from coming back.
 */
function isHeldByLeader({ metadata }: ResourceExportObject): boolean {
  return metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).some(isResourceExportFinalizer);
}

/**
 * Keeps the leader's finalizer on each announcement, forgets members that are silent for a day, and, when an announcement goes,
 * removes all that the member exported before it lets the announcement go (control-plane.md §3.2, §3.3). One key: one announcement.
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
      const clusterID = announcedCluster(announce);
      // Shown on the ClusterSet; whoever made it must remove it.
      if (clusterID === undefined) return letGo(announce, signal);
      const finalizer = memberAnnounceFinalizer(clusterID);
      if (announce.metadata.deletionTimestamp !== undefined) {
        const exports = () => area.exports.cache.byIndex(ExportIndex.clusterID, clusterID);
        for (const object of exports()) {
          if (object.metadata.deletionTimestamp === undefined) await area.exports.delete(object, signal);
        }
        if (exports().some(isHeldByLeader)) {
          return again(disconnectedAfterMs, `exports of ${clusterID} are being withdrawn`);
        }
        return letGo(announce, signal);
      }
      const sighting = sightings.look(announce);
      const nowMonotonicMs = world.clock.monotonic();
      const forgotten = isForgotten({
        sighting,
        nowMonotonicMs,
        nowMs: world.clock.now(),
        touchedMs: parseRfc3339(announce.metadata.annotations?.[Annotation.touchTs]),
        createdMs: parseRfc3339(announce.metadata.creationTimestamp),
      });
      if (forgotten) {
        log.warn('forgetting a member that has been silent for a day', { clusterID });
        await area.announces.delete(announce, signal);
        return done;
      }
      const finalizers = announce.metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) {
        const metadata = { ...announce.metadata, finalizers: [...finalizers, finalizer] };
        await area.announces.change(announce, { ...announce, metadata }, signal);
      }
      const silentMs = nowMonotonicMs - sighting.atMs;
      return again(
        silentMs <= disconnectedAfterMs ? disconnectedAfterMs + 1_000 : forgetCheckMs,
        'watching for silence',
      );
    },
  });

  async function letGo(announce: MemberClusterAnnounceObject, signal: AbortSignal): Promise<Outcome> {
    if (announce.metadata.deletionTimestamp === undefined) return done;
    const finalizer = memberAnnounceFinalizer(announce.clusterID ?? '');
    const finalizers = (announce.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    await area.announces.change(announce, { ...announce, metadata: { ...announce.metadata, finalizers } }, signal);
    return done;
  }
}
