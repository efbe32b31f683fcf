import type { ClusterInfoImport, KnownCluster, ResourceImport } from '@isthmus/api';
import type { Grant } from '@isthmus/wire';
import { grantFields, isJudgedByLeader, isOurClusterInfoImport, readGrant, withoutGrant } from '@isthmus/wire';
import { recordOf } from './decide.ts';
import type { Grants } from './grants.ts';
import { announcedIn } from './judge-import.ts';

/**
 * The grant by which a member judges what the leader publishes of another cluster; undefined: it
 * takes all of it. `current`: what is imported.
 *
 * A leader that judges is trusted, unless an administrator of this cluster wrote something else. Of
 * a cluster that has no KnownCluster yet, what is in use is what will be recorded.
 */
export function grantForImport(
  grants: Pick<Grants, 'of' | 'objectOf' | 'areUsed'>,
  remote: ResourceImport,
  current: ClusterInfoImport | undefined,
): Grant | undefined {
  if (!grants.areUsed) return undefined;
  const clusterID = remote.spec?.clusterinfo?.clusterID ?? '';
  const isJudged = isJudgedByLeader(remote);
  const known = grants.objectOf(clusterID);
  if (known !== undefined)
    return isJudged && (isRecord(known) || !isAboutNetworks(known)) ? undefined : readGrant(known);
  const grant = grants.of(clusterID);
  if (grant.state !== 'Accepted') return grant;
  if (isJudged) return undefined;
  const inUse = current !== undefined && isOurClusterInfoImport(current) ? announcedIn(current) : undefined;
  return inUse === undefined ? withoutGrant : readGrant(recordOf(clusterID, inUse));
}

/** Whether a KnownCluster is as the controller wrote it: no administrator decided anything. */
export function isRecord({ spec }: Pick<KnownCluster, 'spec'>): boolean {
  return spec.origin === 'Observed' && spec.state === 'Accepted';
}

/** Whether an administrator decided about the network, and not about quotas or Namespaces alone. */
function isAboutNetworks({ spec }: KnownCluster): boolean {
  return (spec.state ?? 'Accepted') !== 'Accepted' || grantFields.some((field) => spec[field] !== undefined);
}
