import type { MemberClusterAnnounce } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import { from } from '@isthmus/kube';
import type { CommonArea } from '../common-area.ts';
import { ExportIndex } from '../common-area.ts';
import type { Exchange } from '../exchange.ts';
import { soleSource } from '../source-cluster.ts';
import { wireOf } from '../wire-number.ts';

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

/** Wakes the keys of one exchange that lack something for readers of an older version of ours, who have come or are back. What is there already stays. */
export function readersSource({ leader }: Exchange, { announces, exports, imports }: CommonArea): Source {
  let before = unknownReaders;
  // A heartbeat, which is nearly every change, costs the same however many members there are.
  const spoken = new Map<string, string>();
  return from(announces.cache, ({ metadata }) => {
    const announce = announces.cache.get(metadata);
    const speaks = announce === undefined ? '' : `${wireOf(announce)} ${announce.clusterID ?? ''}`;
    if ((spoken.get(metadata.name) ?? '') === speaks) return [];
    if (speaks === '') spoken.delete(metadata.name);
    else spoken.set(metadata.name, speaks);
    const all = announces.cache.list();
    const [was, now] = [before, readersOf(all)];
    before = now;
    const merged = was.allReadMerged !== false && now.allReadMerged === false ? imports.cache.list() : [];
    const older = all.filter((announce) => wireOf(announce) === 1);
    const others = older.map(({ clusterID = '' }) => clusterID).filter((clusterID) => was.unanswered.has(clusterID));
    return [
      ...merged.filter((object) => soleSource(object) !== undefined).flatMap(leader.importKeys),
      ...others
        .flatMap((clusterID) => exports.cache.byIndex(ExportIndex.clusterID, clusterID))
        .flatMap(leader.exportKeys),
    ];
  });
}
