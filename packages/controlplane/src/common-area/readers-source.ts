import type { Source } from '@isthmus/kube';
import { from } from '@isthmus/kube';
import { readersOf, soleSource, unknownReaders, wireOf } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import { ExportIndex } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';

/**
 * Wakes the keys of one exchange that lack parts for readers of an older Isthmus version, when
 * these readers join or return. Existing parts stay.
 */
export function readersSource({ leader }: Exchange, { announces, exports, imports }: CommonArea): Source {
  let before = unknownReaders;
  // A heartbeat, which is nearly every change, costs the same for any number of members.
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
