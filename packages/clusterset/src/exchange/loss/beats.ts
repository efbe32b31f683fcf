import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, memberAnnounceName } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import { disconnectedAfterMs } from '../silence.ts';
import { departures } from './departures.ts';

/**
 * Since when each member has been heard, by looking at the announcements again and again. Lost with the process, and then everybody has to be
 * heard anew.
 */
export interface Beats {
  /** Takes note of the announcements as they are now. */
  note(announces: readonly MemberClusterAnnounce[]): void;
  /**
   * For how long all these members have been heard without a break, and without having exports to restore; of no IDs all that announce themselves.
   * Undefined: not all of them are heard, or there are none. One that has left needs not be heard: nothing is to be expected of it.
   */
  heardMs(clusterIDs: readonly string[]): number | undefined;
  /** Whether the member marks what it withdraws; undefined: it does not announce itself. */
  marks(clusterID: string): boolean | undefined;
}

interface Heard {
  /** What it was read from. */
  readonly announce: MemberClusterAnnounce;
  readonly beat: string;
  readonly beatMs: number;
  /** When it was first seen to beat; undefined: it has not been, or has something to restore. */
  readonly sinceMs: number | undefined;
  readonly marks: boolean;
}

export function createBeats(clock: Clock): Beats {
  let heard: ReadonlyMap<string, Heard> = new Map();
  let left: ReadonlySet<string> = new Set();
  let noted: readonly MemberClusterAnnounce[] | undefined;
  // Of many announcements one has changed since the last look.
  const departed = new WeakMap<MemberClusterAnnounce, readonly string[]>();
  const departedOf = (announce: MemberClusterAnnounce): readonly string[] => {
    let found = departed.get(announce);
    if (found === undefined) departed.set(announce, (found = [...departures(announce).keys()]));
    return found;
  };
  return {
    note(announces) {
      if (announces === noted) return;
      noted = announces;
      const nowMs = clock.monotonic();
      const next = new Map<string, Heard>();
      for (const announce of announces) {
        const { clusterID = '' } = announce;
        const before = heard.get(clusterID);
        if (before?.announce === announce) {
          next.set(clusterID, before);
          continue;
        }
        const { name, deletionTimestamp } = announce.metadata;
        if (deletionTimestamp !== undefined || name !== memberAnnounceName(clusterID)) continue;
        next.set(clusterID, { ...look(announce, before, nowMs), announce });
      }
      heard = next;
      left = new Set(announces.flatMap(departedOf).filter((id) => !next.has(id)));
    },
    heardMs(clusterIDs) {
      const nowMs = clock.monotonic();
      let leastMs: number | undefined;
      for (const clusterID of clusterIDs.length === 0 ? heard.keys() : clusterIDs) {
        const found = heard.get(clusterID);
        if (found === undefined && left.has(clusterID)) {
          leastMs ??= Number.POSITIVE_INFINITY;
          continue;
        }
        if (found?.sinceMs === undefined || nowMs - found.beatMs > disconnectedAfterMs) return undefined;
        leastMs = Math.min(leastMs ?? Number.POSITIVE_INFINITY, nowMs - found.sinceMs);
      }
      return leastMs;
    },
    marks: (clusterID) => heard.get(clusterID)?.marks,
  };
}

function look({ metadata }: MemberClusterAnnounce, before: Heard | undefined, nowMs: number): Omit<Heard, 'announce'> {
  const { [Annotation.touchTs]: touchTs = '', ...annotations } = metadata.annotations ?? {};
  const beat = `${metadata.uid ?? ''} ${touchTs}`;
  if (before?.beat === beat) return before;
  const isRestoring = touchTs !== '' && annotations[Annotation.restoring] === touchTs;
  const marks = touchTs !== '' && annotations[Annotation.marksAt] === touchTs;
  if (before === undefined || isRestoring) return { beat, beatMs: nowMs, sinceMs: undefined, marks };
  const isUnbroken = before.sinceMs !== undefined && nowMs - before.beatMs <= disconnectedAfterMs;
  return { beat, beatMs: nowMs, sinceMs: isUnbroken ? before.sinceMs : nowMs, marks };
}
