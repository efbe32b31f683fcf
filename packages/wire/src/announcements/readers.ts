import type { MemberClusterAnnounce } from '@isthmus/api';
import { wireOf } from './wire-number.ts';

/**
 * Who reads what a leader publishes and answers, by the announcements as they are: a member that is silent, or about to go, counts as what it was
 * when it was last heard.
 */
export interface Readers {
  /**
   * Whether all read the endpoints of a single exporter from the merged import. Antrea's members read nothing else; those of 0.1.0 would take it for a
   * list that an Antrea leader merged. Undefined: no member is known, so the form that there is stays.
   */
  readonly allReadMerged: boolean | undefined;
  /** The clusters whose members take a published import for the usual answer to their exports, so that nothing is written on these. */
  readonly unanswered: ReadonlySet<string>;
}

/** Nothing is known of any member. */
export const unknownReaders: Readers = { allReadMerged: undefined, unanswered: new Set() };

/** The first number of the wire that reads the endpoints of a single exporter from the merged import, and takes that for an answer. */
const mergedFrom = 2;

export function readersOf(announces: readonly MemberClusterAnnounce[]): Readers {
  const members = announces.map((announce) => ({ clusterID: announce.clusterID ?? '', wire: wireOf(announce) }));
  return {
    allReadMerged: members.length === 0 ? undefined : members.every(({ wire }) => wire === 0 || wire >= mergedFrom),
    unanswered: new Set(members.flatMap(({ clusterID, wire }) => (wire >= mergedFrom ? [clusterID] : []))),
  };
}
