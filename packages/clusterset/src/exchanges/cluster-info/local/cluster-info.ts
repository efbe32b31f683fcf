import { ClusterInfoImport, clusterInfoName } from '@isthmus/api';
import type { Resource } from '@isthmus/kube';
import type { OwnCluster } from '../../../exchange/member/own-cluster.ts';
import { carriesOurLabel, isClaimed } from '../../../exchange/ownership.ts';

/** The name of the exchange, and so of its indexes. */
export const clusterInfoExchangeName = 'ClusterInfo';

/** What the exchange of cluster information works on in the own cluster, all of it in the controller's Namespace. */
export interface LocalClusterInfo extends OwnCluster {
  readonly clusterInfoImports: Resource<ClusterInfoImport>;
}

export function openLocalClusterInfo(own: OwnCluster): LocalClusterInfo {
  return {
    ...own,
    clusterInfoImports: own.open(ClusterInfoImport, { name: 'clusterInfoImports', scope: 'own', optional: true }),
  };
}

/**
 * Whether the member may change or delete it: it carries our label; or, in a cluster whose ClusterSet we serve, it is as Antrea's controller
 * writes it, which marks nothing but names it after the cluster that it describes.
 */
export function isOurClusterInfoImport(object: ClusterInfoImport): boolean {
  if (carriesOurLabel(object)) return true;
  return !isClaimed(object) && object.metadata.name === clusterInfoName(object.spec?.clusterID ?? '');
}
