import type { Cidr } from '@isthmus/machinery';
import { contains, overlaps, parseCidr, specialUse } from '@isthmus/machinery';
import type { EndpointIPType, LeaderConfig } from '@isthmus/wire';

/** What announced ranges are judged by, besides each other. */
export interface RangeRules {
  /** What members may announce; empty: anything. */
  readonly allowed: readonly Cidr[];
  /** What only the leader gives away. */
  readonly pool: readonly Cidr[];
  /** What a cluster has for endpoints of its Services. */
  readonly endpointIPTypeOf: (clusterID: string) => EndpointIPType;
}

/** `announcedBy`: what a member announces; of one that announces nothing the setting of the leader is assumed. */
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

/** Whether a range is not used, whatever the other clusters announce: it has a special use, is not allowed, or is in the pool and was not published before there was one. */
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
