import type { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import type { ReadCache } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { isLive } from '@isthmus/machinery';
import { announcedCluster, disconnectedAfterMs, isClusterID } from '@isthmus/wire';
import { AnnounceIndex } from '../../common-area/common-area.ts';

/**
 * Clusters that export without an announcement, or with one that is being deleted. A member
 * announces itself before it exports, and again at its next heartbeat if another client deletes its
 * announcement. No controller notices if one of them is gone, so
 * its exports stay forever.
 */
export interface UnannouncedExporters {
  /**
   * The clusters to which this has applied for as long as a member may be silent, sorted, and since
   * when, in epoch milliseconds. Also the monotonic time at which that is so for the next cluster.
   */
  look(): { readonly sinceMs: ReadonlyMap<string, number>; readonly nextMs: number | undefined };
  /** Calls `listener` when a cluster is added or removed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

interface Area {
  readonly exports: ReadCache<ResourceExport>;
  readonly announces: ReadCache<MemberClusterAnnounce>;
}

/**
 * A change costs a look at its cluster. The elapsed time is lost with the process.
 */
export function createUnannouncedExporters(
  { exports, announces }: Area,
  clock: Pick<Clock, 'monotonic' | 'now'>,
): UnannouncedExporters {
  const counts = new Map<string, number>();
  const since = new Map<string, { readonly atMs: number; readonly monotonicMs: number }>();
  const listeners = new Set<() => void>();
  const isAnnounced = (clusterID: string) =>
    announces.byIndex(AnnounceIndex.clusterID, clusterID).some((one) => speakerOf(one) === clusterID);

  const note = (clusterID: string) => {
    const isUnannounced = counts.has(clusterID) && !isAnnounced(clusterID);
    if (isUnannounced === since.has(clusterID)) return;
    if (isUnannounced) since.set(clusterID, { atMs: clock.now(), monotonicMs: clock.monotonic() });
    else since.delete(clusterID);
    listeners.forEach((listener) => listener());
  };
  const count = (object: ResourceExport | undefined, by: 1 | -1) => {
    const clusterID = object?.spec?.clusterID;
    // Exports of policies do not belong to a cluster.
    if (!isClusterID(clusterID)) return;
    const before = counts.get(clusterID) ?? 0;
    if (before + by === 0) counts.delete(clusterID);
    else counts.set(clusterID, before + by);
    if (before === 0 || before + by === 0) note(clusterID);
  };
  exports.subscribe(({ before, after }) => {
    if (before !== undefined && before.spec?.clusterID === after?.spec?.clusterID) return;
    count(after, 1);
    count(before, -1);
  });
  announces.subscribe(({ before, after }) => {
    const [was, is] = [before, after].map((one) => one && speakerOf(one));
    if (was === is) return;
    for (const clusterID of [was, is]) if (clusterID !== undefined) note(clusterID);
  });
  return {
    look() {
      const nowMs = clock.monotonic();
      // While they cannot be read, nothing is known of these clusters.
      const known = exports.synced && announces.synced ? [...since] : [];
      const dueMs = known.map(([, { monotonicMs }]) => monotonicMs + disconnectedAfterMs);
      const coming = dueMs.filter((ms) => ms > nowMs);
      return {
        sinceMs: new Map(
          known
            .filter(([, { monotonicMs }]) => monotonicMs + disconnectedAfterMs <= nowMs)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([clusterID, { atMs }]) => [clusterID, atMs]),
        ),
        nextMs: coming.length === 0 ? undefined : coming.reduce((a, b) => Math.min(a, b)),
      };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The cluster that a live announcement announces. */
function speakerOf(announce: MemberClusterAnnounce): string | undefined {
  return isLive(announce) ? announcedCluster(announce) : undefined;
}
