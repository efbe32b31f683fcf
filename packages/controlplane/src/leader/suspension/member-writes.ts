import type { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import type { Change, ReadCache } from '@isthmus/kube';
import { jsonLength } from '@isthmus/kube';
import type { Clock, KubernetesObject } from '@isthmus/machinery';
import { equal } from '@isthmus/machinery';
import { isClusterID } from '@isthmus/wire';
import type { MemberWrite, WriteLevel, WriteQuota } from './write-levels.ts';
import { afterWrite, emptyLevel, excessOf } from './write-levels.ts';

/** A cluster that writes far more than its quota. */
export interface OverQuota {
  /** Empty for objects without a valid cluster ID. */
  readonly clusterID: string;
  /** What it wrote, for a person. */
  readonly excess: string;
}

/** How much each member writes. */
export interface MemberWrites {
  /** The clusters that are far above their quota now, by name. */
  over(): readonly OverQuota[];
  /** Forgets what the cluster has written, for example because a person lets it write again. */
  forget(clusterID: string): void;
  /** Calls `listener` when another cluster is above its quota. Returns the unsubscriber. */
  readonly onOver: (listener: () => void) => () => void;
}

export interface MemberWritesOptions {
  readonly exports: ReadCache<ResourceExport>;
  readonly announces: ReadCache<MemberClusterAnnounce>;
  readonly quota: WriteQuota;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/** A deletion counts if the object is younger: an older one may belong to a cluster that leaves. */
const youngMs = 60_000;

/**
 * Measures the writes of members by the watches of the leader. A restart forgets them, and not who
 * is suspended.
 */
export function createMemberWrites({ exports, announces, quota, clock }: MemberWritesOptions): MemberWrites {
  const levels = new Map<string, WriteLevel>();
  const objects = new Map<string, number>();
  const known = new Map<string, string>();
  const listeners = new Set<() => void>();
  const excessNow = (clusterID: string): string | undefined => {
    const nowMs = clock.monotonic();
    const level = levels.get(clusterID) ?? emptyLevel(nowMs);
    return excessOf(level, objects.get(clusterID) ?? 0, quota, nowMs);
  };
  const note = <T extends KubernetesObject>(change: Change<T>, ownerOf: (object: T) => unknown): void => {
    const [was, is] = [change.before, change.after].map((one) => {
      const clusterID = one === undefined ? undefined : ownerOf(one);
      return one === undefined ? undefined : isClusterID(clusterID) ? clusterID : '';
    });
    if (was !== is) {
      if (was !== undefined) objects.set(was, (objects.get(was) ?? 0) - 1);
      if (is !== undefined) objects.set(is, (objects.get(is) ?? 0) + 1);
    }
    const owner = is ?? was;
    const write = writeOf(change, clock.now());
    if (owner === undefined || write === undefined) return;
    const nowMs = clock.monotonic();
    levels.set(owner, afterWrite(levels.get(owner) ?? emptyLevel(nowMs), write, quota, nowMs));
    if (known.has(owner)) return;
    const excess = excessNow(owner);
    if (excess === undefined) return;
    known.set(owner, excess);
    listeners.forEach((listener) => listener());
  };
  exports.subscribe((change) => note(change, ({ spec }) => spec?.clusterID));
  announces.subscribe((change) => note(change, ({ clusterID }) => clusterID));
  return {
    over() {
      for (const clusterID of known.keys()) if (excessNow(clusterID) === undefined) known.delete(clusterID);
      return [...known].map(([clusterID, excess]) => ({ clusterID, excess })).toSorted(byClusterID);
    },
    forget(clusterID) {
      levels.delete(clusterID);
      known.delete(clusterID);
    },
    onOver(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function byClusterID(a: OverQuota, b: OverQuota): number {
  return a.clusterID < b.clusterID ? -1 : 1;
}

/**
 * The write of a member behind a change. Undefined: no member wrote. Only the
 * leader writes a status, and removes the finalizer of an object that is being deleted.
 */
export function writeOf<T extends KubernetesObject>(
  { before, after, byList }: Change<T>,
  nowMs: number,
): MemberWrite | undefined {
  if (after === undefined) {
    const createdMs = Date.parse(before?.metadata.creationTimestamp ?? '');
    return byList === undefined && nowMs - createdMs < youngMs ? { bytes: 0, rewrites: 1 } : undefined;
  }
  if (before === undefined) return byList === undefined ? { bytes: jsonLength(after), rewrites: 0 } : undefined;
  if (before.metadata.resourceVersion === after.metadata.resourceVersion) return undefined;
  if (before.metadata.deletionTimestamp !== undefined) return undefined;
  if (!equal(statusOf(before), statusOf(after))) return undefined;
  const isDeleted = after.metadata.deletionTimestamp !== undefined;
  return { bytes: jsonLength(after), rewrites: isDeleted ? 0 : 1 };
}

function statusOf(object: KubernetesObject): unknown {
  return (object as { readonly status?: unknown }).status;
}
