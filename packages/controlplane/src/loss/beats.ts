import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, memberAnnounceName } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import { departures, disconnectedAfterMs } from '@isthmus/wire';

/**
 * Since when each member has been heard, by looking at each announcement again and again. Lost with the process, and then everybody has to be
 * heard anew.
 */
export interface Beats {
  /** Takes note of all announcements, as they are now. */
  note(announces: readonly MemberClusterAnnounce[]): void;
  /** Takes note of the one announcement of this name, as it is now; undefined: it is gone. Its cost does not depend on how many there are. */
  noteOne(name: string, announce: MemberClusterAnnounce | undefined): void;
  /**
   * For how long all these members have been heard without a break, and without having exports to restore; of no IDs all that announce themselves.
   * Undefined: not all of them are heard, or there are none. One of which our announcement says that it has left needs not be heard: nothing is to be
   * expected of it.
   */
  heardMs(clusterIDs: readonly string[]): number | undefined;
  /** Whether one of these members has exports to restore, or only another one; undefined: none that is heard has any. */
  restoring(clusterIDs: readonly string[]): Restoring | undefined;
  /** Whether the member marks what it withdraws; undefined: it does not announce itself, or has not beaten. */
  marks(clusterID: string): boolean | undefined;
}

/** Who announces that it has exports to restore: an exporter of what is asked about, or only members that are not known to have exported it. */
export type Restoring = 'exporter' | 'other';

interface Heard {
  readonly beat: string;
  readonly beatMs: number;
  /** When it was first seen to beat; undefined: it has not been, or has something to restore. */
  readonly sinceMs: number | undefined;
  readonly isRestoring: boolean;
  readonly marks: boolean | undefined;
}

/**
 * `own`: the name of the announcement of this member; undefined in a leader. The departures on it alone count: a member may write anything on its own one, and
 * nothing on those of others.
 */
export function createBeats(clock: Clock, own?: string): Beats {
  const known = new Map<string, MemberClusterAnnounce>();
  const heard = new Map<string, Heard>();
  const hasLeft = (clusterID: string) => {
    const announce = own === undefined ? undefined : known.get(own);
    return announce !== undefined && departures(announce).has(clusterID);
  };

  const noteOne: Beats['noteOne'] = (name, announce) => {
    const before = known.get(name);
    if (before === announce) return;
    const [was, is] = [before, announce].map((one) => (one === undefined ? undefined : speakerOf(one)));
    if (was !== undefined && was !== is) heard.delete(was);
    if (announce === undefined) known.delete(name);
    else known.set(name, announce);
    if (announce !== undefined && is !== undefined) heard.set(is, look(announce, heard.get(is), clock.monotonic()));
  };
  return {
    noteOne,
    note(announces) {
      const names = new Set(announces.map(({ metadata }) => metadata.name));
      for (const name of [...known.keys()].filter((one) => !names.has(one))) noteOne(name, undefined);
      for (const announce of announces) noteOne(announce.metadata.name, announce);
    },
    heardMs(clusterIDs) {
      const nowMs = clock.monotonic();
      let leastMs: number | undefined;
      for (const clusterID of clusterIDs.length === 0 ? heard.keys() : clusterIDs) {
        const found = heard.get(clusterID);
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
      if (clusterIDs.some((clusterID) => isRestoring(heard.get(clusterID)))) return 'exporter';
      return heard.values().some(isRestoring) ? 'other' : undefined;
    },
    marks: (clusterID) => heard.get(clusterID)?.marks,
  };
}

/** The cluster that speaks by this announcement; undefined where it is on its way out, or under the name of another. */
function speakerOf({ clusterID = '', metadata }: MemberClusterAnnounce): string | undefined {
  return metadata.deletionTimestamp === undefined && metadata.name === memberAnnounceName(clusterID)
    ? clusterID
    : undefined;
}

/** Whether the member says, with its last beat, that it has exports to restore (docs/spec/wire.md §9). */
export function announcesRestoring({ metadata }: Pick<MemberClusterAnnounce, 'metadata'>): boolean {
  const { [Annotation.touchTs]: touchTs = '', [Annotation.restoring]: restoring } = metadata.annotations ?? {};
  return touchTs !== '' && restoring === touchTs;
}

function look({ metadata }: MemberClusterAnnounce, before: Heard | undefined, nowMs: number): Heard {
  const { [Annotation.touchTs]: touchTs = '', ...annotations } = metadata.annotations ?? {};
  const beat = `${metadata.uid ?? ''} ${touchTs}`;
  if (before?.beat === beat) return before;
  const isRestoring = announcesRestoring({ metadata });
  // Members of every make write the time of the beat: without it, somebody removed what the announcement said.
  const marks = touchTs === '' ? before?.marks : annotations[Annotation.marksAt] === touchTs;
  if (before === undefined || isRestoring) return { beat, beatMs: nowMs, sinceMs: undefined, isRestoring, marks };
  const isUnbroken = before.sinceMs !== undefined && nowMs - before.beatMs <= disconnectedAfterMs;
  return { beat, beatMs: nowMs, sinceMs: isUnbroken ? before.sinceMs : nowMs, isRestoring, marks };
}
