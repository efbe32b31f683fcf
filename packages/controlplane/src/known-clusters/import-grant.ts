import type { ClusterInfo, KnownCluster } from '@isthmus/api';
import type { Grant } from '@isthmus/wire';
import { readGrant, withoutGrant } from '@isthmus/wire';
import { recordOf } from './decide.ts';
import type { Grants } from './grants.ts';

export interface ImportGrantInput {
  readonly clusterID: string;
  /** Whether the leader compared the network with the grant of its cluster. */
  readonly isJudgedByLeader: boolean;
  /** The network that is imported, with the own Pod CIDRs of that cluster. */
  readonly inUse: ClusterInfo | undefined;
}

/**
 * The grant by which a member judges what another cluster announces; undefined: it takes what the
 * leader publishes.
 *
 * A leader that judges is trusted, unless an administrator of this cluster wrote something else. Of
 * a cluster that has no KnownCluster yet, what is in use is what will be recorded.
 */
export function importGrant(
  grants: Pick<Grants, 'of' | 'objectOf' | 'areUsed'>,
  { clusterID, isJudgedByLeader, inUse }: ImportGrantInput,
): Grant | undefined {
  if (!grants.areUsed) return undefined;
  const known = grants.objectOf(clusterID);
  if (known !== undefined) return isJudgedByLeader && isRecord(known) ? undefined : readGrant(known);
  const grant = grants.of(clusterID);
  if (grant.state !== 'Accepted') return grant;
  if (isJudgedByLeader) return undefined;
  return inUse === undefined ? withoutGrant : readGrant(recordOf(clusterID, inUse));
}

/** Whether a KnownCluster is as the controller wrote it: no administrator decided anything. */
export function isRecord({ spec }: KnownCluster): boolean {
  return spec.origin === 'Observed' && spec.state === 'Accepted';
}
