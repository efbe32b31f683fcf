import type { MemberClusterAnnounce } from '@isthmus/api';
import { wireOf } from './wire-number.ts';

/**
 * Which members read what a leader publishes and answers, by the present announcements. A member
 * that is silent, or is leaving, counts as it was when it sent its last heartbeat.
 */
export interface Readers {
  /**
   * Whether all members read the endpoints of a single exporter from the merged import. Antrea's
   * members read only that import. Members of 0.1.0 would take it for a list that an Antrea leader
   * merged. Undefined: no member is known, so the present form stays.
   */
  readonly allReadMerged: boolean | undefined;
  /**
   * The clusters whose members take a published import as the usual answer to their exports, so
   * that no condition is written on these exports.
   */
  readonly unanswered: ReadonlySet<string>;
}

/** The value while no member is known. */
export const unknownReaders: Readers = { allReadMerged: undefined, unanswered: new Set() };

/**
 * The first wire number whose members read the endpoints of a single exporter from the merged
 * import, and take that import as an answer.
 */
const mergedFrom = 2;

export function readersOf(announces: readonly MemberClusterAnnounce[]): Readers {
  const members = announces.map((announce) => ({ clusterID: announce.clusterID ?? '', wire: wireOf(announce) }));
  return {
    allReadMerged: members.length === 0 ? undefined : members.every(({ wire }) => wire === 0 || wire >= mergedFrom),
    unanswered: new Set(members.flatMap(({ clusterID, wire }) => (wire >= mergedFrom ? [clusterID] : []))),
  };
}
