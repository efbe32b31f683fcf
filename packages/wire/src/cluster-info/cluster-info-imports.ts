import type { ClusterInfoImport } from '@isthmus/api';
import { clusterInfoName } from '@isthmus/api';
import { carriesOurLabel, isClaimed } from '../marks/managed-by.ts';

/** The name of the exchange. Its indexes have the same name. */
export const clusterInfoExchangeName = 'ClusterInfo';

/**
 * Whether the member may change or delete the object: it has our label, or, in a cluster whose
 * ClusterSet we serve, it is as Antrea's controller writes it. Antrea writes no mark, but names the
 * object after the cluster that it describes.
 */
export function isOurClusterInfoImport(object: ClusterInfoImport): boolean {
  if (carriesOurLabel(object)) return true;
  return !isClaimed(object) && object.metadata.name === clusterInfoName(object.spec?.clusterID ?? '');
}
