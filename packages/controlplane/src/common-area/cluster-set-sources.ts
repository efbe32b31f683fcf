import type { Source } from '@isthmus/kube';
import { from } from '@isthmus/kube';
import type { CommonArea } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';

/**
 * Wakes all keys of an exchange when the fields that it reads of the served ClusterSet change. The
 * status of a ClusterSet changes often, and wakes no key.
 */
export function clusterSetSources(
  { leader }: Exchange,
  { clusterSets, served, exports, imports }: CommonArea,
): readonly Source[] {
  const { ofClusterSet } = leader;
  if (ofClusterSet === undefined) return [];
  const read = () => {
    const clusterSet = served();
    return clusterSet === undefined ? undefined : ofClusterSet(clusterSet);
  };
  let known: string | undefined;
  return [
    from(clusterSets.cache, () => {
      const now = read();
      if (now === known) return [];
      known = now;
      return [
        ...new Set([
          ...exports.cache.list().flatMap(leader.exportKeys),
          ...imports.cache.list().flatMap(leader.importKeys),
        ]),
      ];
    }),
  ];
}
