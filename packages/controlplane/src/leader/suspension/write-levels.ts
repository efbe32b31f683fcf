import type { LeaderConfig } from '@isthmus/wire';

/** How much one member may write per minute; 0: any number. */
export type WriteQuota = LeaderConfig['memberWrites'];

/** One write of a member, as a watch shows it. */
export interface MemberWrite {
  readonly bytes: number;
  /**
   * 1: it changed an object that existed, or deleted one that had just been created. A member that
   * joins creates as many objects as it exports, so creating counts by its bytes alone.
   */
  readonly rewrites: 0 | 1;
}

/** What a member has written, and its quota has not let through yet: it drains with the quota. */
export interface WriteLevel {
  readonly bytes: number;
  readonly rewrites: number;
  readonly atMs: number;
  /** Since when the level has not been empty, and all that was written since then. */
  readonly sinceMs: number;
  readonly written: { readonly bytes: number; readonly rewrites: number };
}

/** A member that writes nothing else has this level between two heartbeats. */
export function emptyLevel(nowMs: number): WriteLevel {
  return { bytes: 0, rewrites: 0, atMs: nowMs, sinceMs: nowMs, written: { bytes: 0, rewrites: 0 } };
}

/** The level after one more write, at `nowMs` of the monotonic clock. */
export function afterWrite(level: WriteLevel, write: MemberWrite, quota: WriteQuota, nowMs: number): WriteLevel {
  const drained = drain(level, quota, nowMs);
  return {
    ...drained,
    bytes: drained.bytes + write.bytes,
    rewrites: drained.rewrites + write.rewrites,
    written: { bytes: drained.written.bytes + write.bytes, rewrites: drained.written.rewrites + write.rewrites },
  };
}

/**
 * What the member has written if that is far above its quota, for a person; otherwise undefined.
 * `objects`: how many it has.
 *
 * At once it may write two minutes' bytes: the 64 MB of exports that a leader accepts, and as much
 * of labels. And half a minute's rewrites, and three more of each object: when the API server of a
 * cluster restarts, or all of its Nodes, each Service loses its endpoints and gets them again.
 */
export function excessOf(level: WriteLevel, objects: number, quota: WriteQuota, nowMs: number): string | undefined {
  const { bytes, rewrites, sinceMs, written } = drain(level, quota, nowMs);
  const { megabytesPerMinute, rewritesPerMinute } = quota;
  const isOver =
    (megabytesPerMinute > 0 && bytes > 2 * megabytesPerMinute * megabyte) ||
    (rewritesPerMinute > 0 && rewrites > rewritesPerMinute / 2 + 3 * objects);
  if (!isOver) return undefined;
  const seconds = Math.max(1, Math.round((nowMs - sinceMs) / 1_000));
  const allowed = [
    ...(megabytesPerMinute > 0 ? [`${megabytesPerMinute} MB`] : []),
    ...(rewritesPerMinute > 0 ? [`${rewritesPerMinute} rewrites`] : []),
  ];
  return `it wrote ${Math.round(written.bytes / 100_000) / 10} MB and rewrote objects ${written.rewrites} times in ${seconds} s, and may write ${allowed.join(' and ')} per minute`;
}

const megabyte = 1_000_000;

function drain(level: WriteLevel, quota: WriteQuota, nowMs: number): WriteLevel {
  const minutes = (nowMs - level.atMs) / 60_000;
  const bytes = Math.max(0, level.bytes - minutes * quota.megabytesPerMinute * megabyte);
  const rewrites = Math.max(0, level.rewrites - minutes * quota.rewritesPerMinute);
  if (bytes === 0 && rewrites === 0) return emptyLevel(nowMs);
  return { ...level, bytes, rewrites, atMs: nowMs };
}
