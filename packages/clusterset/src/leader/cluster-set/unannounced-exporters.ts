import type { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import type { ReadCache } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { AnnounceIndex } from '../../exchange/common-area.ts';
import { isClusterID } from '../../exchange/untrusted.ts';
import { announcedCluster } from '../announce/announced-cluster.ts';

/** A member announces itself before it exports anything, and again within seconds if somebody deletes its announcement. */
const unannouncedAfterMs = 60_000;

/** Clusters that export and do not announce themselves: nobody notices when one of them is gone, so that what it exports stays for good. */
export interface UnannouncedExporters {
  /** Those that have been so for a minute, sorted. */
  list(): readonly string[];
  /** Calls `listener` when they are others. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

interface Area {
  readonly exports: ReadCache<ResourceExport>;
  readonly announces: ReadCache<MemberClusterAnnounce>;
}

/** A change costs the look at the cluster that it concerns. What has passed of the minute is lost with the process. */
export function createUnannouncedExporters({ exports, announces }: Area, clock: Clock): UnannouncedExporters {
  const counts = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  const found = new Set<string>();
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  const isAnnounced = (clusterID: string) =>
    announces.byIndex(AnnounceIndex.clusterID, clusterID).some((one) => announcedCluster(one) === clusterID);
  const isUnannounced = (clusterID: string) => counts.has(clusterID) && !isAnnounced(clusterID);

  const look = (clusterID: string) => {
    if (!isUnannounced(clusterID)) {
      waiting.get(clusterID)?.();
      waiting.delete(clusterID);
      if (found.delete(clusterID)) notify();
      return;
    }
    if (waiting.has(clusterID) || found.has(clusterID)) return;
    const cancel = clock.after(unannouncedAfterMs, () => {
      waiting.delete(clusterID);
      // While they cannot be read, nothing is known of them.
      if (!exports.synced || !announces.synced) return look(clusterID);
      found.add(clusterID);
      notify();
    });
    waiting.set(clusterID, cancel);
  };
  const count = (object: ResourceExport | undefined, by: 1 | -1) => {
    const clusterID = object?.spec?.clusterID;
    // Exports of policies are of no cluster.
    if (!isClusterID(clusterID)) return;
    const now = (counts.get(clusterID) ?? 0) + by;
    if (now === 0) counts.delete(clusterID);
    else counts.set(clusterID, now);
    if (now === 0 || (now === 1 && by === 1)) look(clusterID);
  };
  exports.subscribe(({ before, after }) => {
    if (before !== undefined && before.spec?.clusterID === after?.spec?.clusterID) return;
    count(after, 1);
    count(before, -1);
  });
  announces.subscribe(({ before, after }) => {
    const ids = [before, after].map((one) => one && announcedCluster(one));
    if (ids[0] !== ids[1]) for (const clusterID of ids) if (clusterID !== undefined) look(clusterID);
  });
  return {
    list: () => [...found].toSorted(),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
