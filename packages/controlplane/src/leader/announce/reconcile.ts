import type { MemberClusterAnnounce as MemberClusterAnnounceObject } from '@isthmus/api';
import { ClusterSet, MemberClusterAnnounce, ResourceExport, ResourceImport } from '@isthmus/api';
import type { Reconciler, World } from '@isthmus/kube';
import { again, blocked, defineReconciler, done, from, onChange } from '@isthmus/kube';
import { isLive, keyOfObject, refOf } from '@isthmus/machinery';
import { announcedCluster, carriesOurLabel, disconnectedAfterMs, sourceClusterOf } from '@isthmus/wire';
import type { ControllerAccess } from '../../controller-access.ts';
import type { CommonArea } from '../../common-area/common-area.ts';
import { ExportIndex } from '../../common-area/common-area.ts';
import { withdraw } from '../../loss/withdraw-objects.ts';
import { onClusterSets } from '../../reporting/cluster-sets-changed.ts';
import type { AnnounceDecision } from './decide.ts';
import { settingsAnswer } from './differing-settings.ts';
import { otherMembersOf, settingsDifferenceIn } from './member-settings.ts';
import { decideAnnounce, noteDeparture } from './decide.ts';
import type { Sightings } from './sightings.ts';

/** The access that this controller needs. */
export const memberAnnounceAccess: readonly ControllerAccess[] = [
  { at: 'local', type: MemberClusterAnnounce, scope: 'own', verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
  { at: 'local', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/**
 * Keeps the leader's finalizer on each announcement, and removes members that are silent for a day.
 * When a member has left, it removes all exports of the member before it releases the announcement
 * (docs/spec/membership.md §3, §4). One key: one announcement.
 */
export function memberAnnounceController(area: CommonArea, sightings: Sightings, world: World): Reconciler {
  const all = () => area.announces.cache.list().map(keyOfObject);
  const announcedAs = (clusterID: string) =>
    area.announces.cache.list().filter((announce) => announcedCluster(announce) === clusterID);
  const announcesOf = (clusterID: string) => announcedAs(clusterID).map(keyOfObject);
  const isAnnounced = (clusterID: string) => announcedAs(clusterID).some(isLive);
  const isBeingDeleted = (key: string) => area.announces.cache.getByKey(key)?.metadata.deletionTimestamp !== undefined;
  return defineReconciler({
    name: 'member-announce',
    sources: [
      from(area.announces.cache, (announce) => [keyOfObject(announce)]),
      // Each answer contains the ClusterSet and what it reports,
      onClusterSets(area.clusterSets.cache, all),
      // and the settings that this leader lacks.
      onChange(area.switchedOff.onChange, all),
      // Only exports that a purge waits for.
      from(area.exports.cache, (object) =>
        object.metadata.deletionTimestamp === undefined ? [] : announcesOf(object.spec?.clusterID ?? ''),
      ),
      from(area.imports.cache, (object) => announcesOf(sourceClusterOf(object) ?? '').filter(isBeingDeleted)),
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
          await area.announces.change(announce, { ...announce, metadata: decision.metadata }, signal);
          return again(decision.lookAgainMs, 'waiting for heartbeats');
        case 'forget':
          log.warn('removing a member that has been silent for a day', { clusterID: announce.clusterID });
          await withdraw(area.announces, [announce], { nowMs: world.clock.now(), signal });
          return done;
        case 'wait':
          return again(decision.forMs, 'its member may still be running');
        case 'mark':
          log.info('a member is gone without a withdrawal', { clusterID: announce.clusterID });
          await withdraw(area.announces, [announce], { nowMs: world.clock.now(), signal });
          return again(0, 'its exports are to be removed');
        case 'purge': {
          await withdraw(area.exports, decision.exports, { nowMs: world.clock.now(), signal });
          // An object without finalizers is gone by now, and its disappearance wakes no key.
          const rest = decide(announce);
          if (rest.kind !== 'release') {
            return again(disconnectedAfterMs, `exports of ${announce.clusterID ?? ''} are being withdrawn`);
          }
          await letGo(announce, rest.finalizers, signal);
          return done;
        }
        case 'release':
          await letGo(announce, decision.finalizers, signal);
          return done;
        case 'reject':
          // The ClusterSet reports it.
          return blocked(decision.reason, decision.message);
      }
    },
  });

  function decide(announce: MemberClusterAnnounceObject): AnnounceDecision {
    return decideAnnounce({
      announce,
      exports: area.exports.cache.byIndex(ExportIndex.clusterID, announce.clusterID ?? ''),
      published: area.imports.cache
        .list()
        .some((object) => carriesOurLabel(object) && sourceClusterOf(object) === announce.clusterID),
      sighting: sightings.look(announce),
      isAnnounced,
      clusterSet: area.served()?.metadata.name,
      settings: settingsAnswer(settingsDifferenceIn(area), area.switchedOff.facts()),
      others: otherMembersOf(announce, area),
      deletedMs: announce.metadata.deletionTimestamp === undefined ? undefined : sightings.deletedMs(announce),
      nowMonotonicMs: world.clock.monotonic(),
      nowMs: world.clock.now(),
      forgottenAfterMs: area.forgottenAfterMs,
    });
  }

  async function letGo(
    announce: MemberClusterAnnounceObject,
    finalizers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const others = area.announces.cache.list().filter((one) => one !== announce);
    for (const { from: other, to } of noteDeparture(announce, others, world.clock.now())) {
      await area.announces.change(other, to, signal);
    }
    await area.announces.change(announce, { ...announce, metadata: { ...announce.metadata, finalizers } }, signal);
  }
}
