import type { MemberClusterAnnounce } from '@isthmus/api';
import { clusterIDErrors, memberAnnounceName } from '@isthmus/api';

/**
 * The ID of the cluster that an announcement speaks for. Undefined where its name is not that cluster's, or the ID cannot be one: then it
 * speaks for nobody, and nothing that a member exported follows it (control-plane.md §0, §5.4).
 */
export function announcedCluster({ metadata, clusterID = '' }: MemberClusterAnnounce): string | undefined {
  return clusterIDErrors(clusterID).length === 0 && metadata.name === memberAnnounceName(clusterID)
    ? clusterID
    : undefined;
}
