import type { ClusterInfo, ResourceImport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';

/** The value of {@link Annotation.judgedRanges} for a network. */
export function judgedRangesText({ serviceCIDR = '', podCIDRs = [], gatewayInfos = [] }: ClusterInfo): string {
  return [serviceCIDR, ...podCIDRs, ...gatewayInfos.map(({ gatewayIP = '' }) => gatewayIP)].join(',');
}

/** Whether the leader compared the network that it publishes with the grant of its cluster. */
export function isJudgedByLeader({ metadata, spec }: ResourceImport): boolean {
  return metadata.annotations?.[Annotation.judgedRanges] === judgedRangesText(spec?.clusterinfo ?? {});
}
