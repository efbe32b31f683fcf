import type { Cidr } from '@isthmus/machinery';
import { contains, overlaps, parseCidr, specialUse } from '@isthmus/machinery';
import type { EndpointIPType, LeaderConfig } from '@isthmus/wire';

/** The rules for announced ranges, besides their comparison with each other. */
export interface RangeRules {
  /** The ranges that members may announce; empty: any range. */
  readonly allowed: readonly Cidr[];
  /** The ranges that only the leader allots. */
  readonly pool: readonly Cidr[];
  /** The type of a cluster's Service endpoints. */
  readonly endpointIPTypeOf: (clusterID: string) => EndpointIPType;
}

/**
 * The rules of a leader. `announcedBy`: the announcement of a member. If a member announces
 * nothing, the leader's setting applies.
 */
export function rangeRules(
  { allowedCIDRs, endpointIPType, virtualPodCIDRs }: LeaderConfig,
  announcedBy: (clusterID: string) => EndpointIPType | undefined,
): RangeRules {
  return {
    allowed: allowedCIDRs.flatMap((text) => parseCidr(text) ?? []),
    pool: virtualPodCIDRs.flatMap((text) => parseCidr(text) ?? []),
    endpointIPTypeOf: (clusterID) => announcedBy(clusterID) ?? endpointIPType,
  };
}

/**
 * Whether a range is not used, independent of other clusters. It has a special use, is not allowed,
 * or is in the pool and was not published before the pool existed.
 */
export function isForbidden(
  cidr: Cidr,
  isPublished: boolean,
  { allowed, pool }: Pick<RangeRules, 'allowed' | 'pool'>,
): boolean {
  const isReserved = !isPublished && pool.some((range) => overlaps(range, cidr));
  return (
    specialUse(cidr) !== undefined ||
    isReserved ||
    (allowed.length > 0 && !allowed.some((range) => contains(range, cidr)))
  );
}
