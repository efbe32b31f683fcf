import type { ClusterInfoImport } from '@isthmus/api';
import { clusterInfoName } from '@isthmus/api';
import { carriesOurLabel, isClaimed } from '../marks/managed-by.ts';

/** The name of the exchange, and so of its indexes. */
export const clusterInfoExchangeName = 'ClusterInfo';

/**
 * Whether the member may change or delete it: it carries our label; or, in a cluster whose ClusterSet we serve, it is as Antrea's controller
 * writes it, which marks nothing but names it after the cluster that it describes.
 */
export function isOurClusterInfoImport(object: ClusterInfoImport): boolean {
  if (carriesOurLabel(object)) return true;
  return !isClaimed(object) && object.metadata.name === clusterInfoName(object.spec?.clusterID ?? '');
}
