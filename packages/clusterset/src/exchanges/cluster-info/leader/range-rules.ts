import type { Cidr } from '@isthmus/machinery';
import { parseCidr } from '@isthmus/machinery';
import type { EndpointIPType } from '../../../config.ts';
import type { LeaderConfig } from '../../../exchange/leader/leader-config.ts';

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
