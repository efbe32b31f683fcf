import type { MemberClusterAnnounce, ReasonOn, leaderClusterSetStatus } from '@isthmus/api';
import { clusterIDErrors, memberAnnounceName } from '@isthmus/api';

/**
 * The ID of the cluster that an announcement is valid for. Undefined if the name of the
 * announcement is not that of the cluster, or the ID is not valid. Such an announcement is valid
 * for no cluster, and no export of a member is attributed by it (docs/spec/wire.md §1, §10).
 */
export function announcedCluster(announce: MemberClusterAnnounce): string | undefined {
  return announceProblem(announce) === undefined ? announce.clusterID : undefined;
}

/** Why an announcement is valid for no cluster; undefined if it is valid for one. */
export function announceProblem({ metadata, clusterID = '' }: MemberClusterAnnounce): AnnounceProblem | undefined {
  const expectedName = memberAnnounceName(clusterID);
  if (metadata.name !== expectedName) {
    const message = `MemberClusterAnnounce ${metadata.name} must be named ${expectedName} for the cluster it announces`;
    return { reason: 'InvalidAnnounce', message };
  }
  const errors = clusterIDErrors(clusterID);
  if (errors.length === 0) return undefined;
  return {
    reason: 'InvalidAnnounce',
    message: `The cluster ID is not valid: ${errors.join('; ')}. Choose another ID.`,
  };
}

interface AnnounceProblem {
  readonly reason: ReasonOn<typeof leaderClusterSetStatus, 'clusterStatuses[].Ready=False'>;
  readonly message: string;
}
