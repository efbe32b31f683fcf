import type { MemberClusterAnnounce, ReasonOn, leaderClusterSetStatus } from '@isthmus/api';
import { clusterIDErrors, memberAnnounceName } from '@isthmus/api';

/**
 * The ID of the cluster that an announcement speaks for. Undefined where its name is not that cluster's, or the ID cannot be one: then it
 * speaks for nobody, and nothing that a member exported follows it (docs/spec/wire.md §1, §10).
 */
export function announcedCluster(announce: MemberClusterAnnounce): string | undefined {
  return announceProblem(announce) === undefined ? announce.clusterID : undefined;
}

/** Why an announcement speaks for nobody; undefined where it speaks for a cluster. */
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
