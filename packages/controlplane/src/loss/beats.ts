import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, memberAnnounceName } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import { departures, disconnectedAfterMs } from '@isthmus/wire';

/**
 * Since when each member has sent heartbeats, from repeated looks at each announcement. A restart
 * loses it; then every member has to send heartbeats again.
 */
export interface Beats {
  /** Records all announcements in their current form. */
  note(announces: readonly MemberClusterAnnounce[]): void;
  /**
   * Records the one announcement of this name in its current form; undefined: it is gone. The cost
   * does not depend on the number of announcements.
   */
  noteOne(name: string, announce: MemberClusterAnnounce | undefined): void;
  /**
   * For how long all these members have sent heartbeats without a break, and without exports to
   * restore. Without IDs: all members that announce themselves. Undefined: not all of them send
   * heartbeats, or there are no members. A member that has left, by our own announcement, does not
   * count: nothing is expected from it.
   */
  connectedMs(clusterIDs: readonly string[]): number | undefined;
  /**
   * Whether one of these members has exports to restore, or only another one. Undefined: no member
   * with heartbeats has any.
   */
  restoring(clusterIDs: readonly string[]): Restoring | undefined;
  /**
   * Whether the member marks its withdrawals. Undefined: it does not announce itself, or has not
   * sent a heartbeat.
   */
  marks(clusterID: string): boolean | undefined;
}

/**
 * Which member announces that it has exports to restore. `exporter`: an exporter of the object in
 * question. `other`: only members that are not known to have exported it.
 */
export type Restoring = 'exporter' | 'other';

interface Heard {
  readonly beat: string;
  readonly beatMs: number;
  /** When its first heartbeat was seen. Undefined: there was none, or it has exports to restore. */
  readonly sinceMs: number | undefined;
  readonly isRestoring: boolean;
  readonly marks: boolean | undefined;
}

/**
 * `own`: the name of the announcement of this member; undefined in a leader. Only the departures on
 * that announcement count: a member may write anything on its own announcement, and nothing on
 * those of others.
 */
export function createBeats(clock: Clock, own?: string): Beats {
  const known = new Map<string, MemberClusterAnnounce>();
  const connected = new Map<string, Heard>();
  const hasLeft = (clusterID: string) => {
    const announce = own === undefined ? undefined : known.get(own);
    return announce !== undefined && departures(announce).has(clusterID);
  };

  const noteOne: Beats['noteOne'] = (name, announce) => {
    const before = known.get(name);
    if (before === announce) return;
    const [was, is] = [before, announce].map((one) => (one === undefined ? undefined : speakerOf(one)));
    if (was !== undefined && was !== is) connected.delete(was);
    if (announce === undefined) known.delete(name);
    else known.set(name, announce);
    if (announce !== undefined && is !== undefined)
      connected.set(is, look(announce, connected.get(is), clock.monotonic()));
  };
  return {
    noteOne,
    note(announces) {
      const names = new Set(announces.map(({ metadata }) => metadata.name));
      for (const name of [...known.keys()].filter((one) => !names.has(one))) noteOne(name, undefined);
      for (const announce of announces) noteOne(announce.metadata.name, announce);
    },
    connectedMs(clusterIDs) {
      const nowMs = clock.monotonic();
      let leastMs: number | undefined;
      for (const clusterID of clusterIDs.length === 0 ? connected.keys() : clusterIDs) {
        const found = connected.get(clusterID);
        if (found === undefined && hasLeft(clusterID)) {
          leastMs ??= Number.POSITIVE_INFINITY;
          continue;
        }
        if (found?.sinceMs === undefined || nowMs - found.beatMs > disconnectedAfterMs) return undefined;
        leastMs = Math.min(leastMs ?? Number.POSITIVE_INFINITY, nowMs - found.sinceMs);
      }
      return leastMs;
    },
    restoring(clusterIDs) {
      const nowMs = clock.monotonic();
      const isRestoring = (one: Heard | undefined) =>
        one?.isRestoring === true && nowMs - one.beatMs <= disconnectedAfterMs;
      if (clusterIDs.some((clusterID) => isRestoring(connected.get(clusterID)))) return 'exporter';
      return connected.values().some(isRestoring) ? 'other' : undefined;
    },
    marks: (clusterID) => connected.get(clusterID)?.marks,
  };
}

/**
 * The cluster of this announcement. Undefined if the announcement is being deleted, or has the name
 * of another cluster.
 */
function speakerOf({ clusterID = '', metadata }: MemberClusterAnnounce): string | undefined {
  return metadata.deletionTimestamp === undefined && metadata.name === memberAnnounceName(clusterID)
    ? clusterID
    : undefined;
}

/**
 * Whether the member's last heartbeat announces that it has exports to restore (docs/spec/wire.md
 * §9).
 */
export function announcesRestoring({ metadata }: Pick<MemberClusterAnnounce, 'metadata'>): boolean {
  const { [Annotation.touchTs]: touchTs = '', [Annotation.restoring]: restoring } = metadata.annotations ?? {};
  return touchTs !== '' && restoring === touchTs;
}

function look({ metadata }: MemberClusterAnnounce, before: Heard | undefined, nowMs: number): Heard {
  const { [Annotation.touchTs]: touchTs = '', ...annotations } = metadata.annotations ?? {};
  const beat = `${metadata.uid ?? ''} ${touchTs}`;
  if (before?.beat === beat) return before;
  const isRestoring = announcesRestoring({ metadata });
  // Members of every product write the time of the heartbeat: without it, another client removed
  // the content of the announcement.
  const marks = touchTs === '' ? before?.marks : annotations[Annotation.marksAt] === touchTs;
  if (before === undefined || isRestoring) return { beat, beatMs: nowMs, sinceMs: undefined, isRestoring, marks };
  const isUnbroken = before.sinceMs !== undefined && nowMs - before.beatMs <= disconnectedAfterMs;
  return { beat, beatMs: nowMs, sinceMs: isUnbroken ? before.sinceMs : nowMs, isRestoring, marks };
}
