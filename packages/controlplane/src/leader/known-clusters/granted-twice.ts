import type { KnownCluster } from '@isthmus/api';
import type { RunnableCache, Source } from '@isthmus/kube';
import type { Cidr } from '@isthmus/machinery';
import { cidrText } from '@isthmus/machinery';
import { readGrant } from '@isthmus/wire';
import type { GrantedTwice } from '../../known-clusters/decide.ts';
import type { RangeIndex } from '../../exchanges/cluster-info/leader/range-index.ts';
import { createRangeIndex } from '../../exchanges/cluster-info/leader/range-index.ts';
import { differ, following } from '../../reporting/following.ts';

/** The ranges that administrators have granted, each compared with those of all other clusters. */
export interface GrantedRanges {
  twice(known: KnownCluster): readonly GrantedTwice[];
  /** Wakes the clusters whose grants overlap with one that changes. */
  readonly source: Source;
}

interface GrantedRange {
  readonly clusterID: string;
  readonly field: 'pods' | 'services';
  readonly cidr: Cidr;
}

interface GrantedRangesOptions {
  readonly cache: Pick<RunnableCache<KnownCluster>, 'list' | 'subscribe'>;
  /** Whether ranges of one kind may overlap in the fleet. */
  readonly mayOverlap: (field: GrantedRange['field'], a: string, b: string) => boolean;
}

export function grantedRanges({ cache, mayOverlap }: GrantedRangesOptions): GrantedRanges {
  const remembered: { index: RangeIndex<GrantedRange> | undefined } = { index: undefined };
  const indexed = () => {
    if (remembered.index !== undefined) return remembered.index;
    const all = cache.list().flatMap(rangesOf);
    const index = createRangeIndex<GrantedRange>(all.map(({ cidr }) => cidr));
    for (const one of all) index.add(one.cidr, one);
    remembered.index = index;
    return index;
  };
  const conflicts = (a: GrantedRange, b: GrantedRange) =>
    a.clusterID !== b.clusterID && !(a.field === b.field && mayOverlap(a.field, a.clusterID, b.clusterID));
  const twice = (known: KnownCluster) =>
    rangesOf(known).flatMap((own) => {
      const found: GrantedTwice[] = [];
      const seen = new Set<string>();
      for (;;) {
        const other = indexed().firstOverlap(own.cidr, (one) => conflicts(own, one) && !seen.has(one.clusterID));
        if (other === undefined) return found;
        seen.add(other.clusterID);
        found.push({
          range: cidrText(own.cidr),
          otherClusterID: other.clusterID,
          otherRange: cidrText(other.cidr),
        });
      }
    });
  return {
    twice,
    source: {
      ...following(),
      start: (wake) =>
        cache.subscribe(({ before, after }) => {
          if (before !== undefined && after !== undefined && !differ(before, after)) return;
          const partners = new Set(before === undefined ? [] : twice(before).map((one) => one.otherClusterID));
          remembered.index = undefined;
          for (const one of after === undefined ? [] : twice(after)) partners.add(one.otherClusterID);
          for (const clusterID of partners) wake(clusterID);
        }),
    },
  };
}

/** The ranges that an administrator has granted and not refused. */
function rangesOf(known: KnownCluster): readonly GrantedRange[] {
  const grant = readGrant(known);
  const { clusterID } = known.spec;
  if (!grant.isByPerson || grant.state === 'Refused') return [];
  return (['pods', 'services'] as const).flatMap((field) =>
    (grant[field] ?? []).map((cidr) => ({ clusterID, field, cidr })),
  );
}
