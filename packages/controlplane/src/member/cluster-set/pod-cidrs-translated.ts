import type { ClusterSet, Verdict, memberClusterSetStatus } from '@isthmus/api';
import { Annotation, parseVirtualPodCIDRs } from '@isthmus/api';
import { cidrText } from '@isthmus/machinery';

/**
 * The condition PodCIDRsTranslated of a member's ClusterSet. Its agents read their ranges there.
 */
export function translatedVerdict({
  metadata,
}: ClusterSet): Verdict<typeof memberClusterSetStatus, 'PodCIDRsTranslated'> | 'absent' {
  const pairs = parseVirtualPodCIDRs(metadata.annotations?.[Annotation.virtualPodCIDRs]);
  if (pairs.length === 0) return 'absent';
  const named = pairs.map(({ own, virtual }) => `${cidrText(virtual)} instead of ${cidrText(own)}`).join(', ');
  const message = `A Pod CIDR of this cluster overlaps with a range of another cluster. Other clusters use these virtual ranges for Pods of this cluster: ${named}. Inside this cluster, Pods keep their own addresses.`;
  return { status: 'True', reason: 'VirtualPodCIDRsAllotted', message };
}
