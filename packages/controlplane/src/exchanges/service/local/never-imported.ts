import type { ObjectRef } from '@isthmus/machinery';
import type { ExchangeConfig } from '../../../own-cluster/own-cluster.ts';

/**
 * Services that each cluster has for itself under the same name. Those of another cluster would be
 * useless or harmful.
 */
const ofEachCluster = ['default/kubernetes', 'kube-system/kube-dns'];

/** Whether each cluster has its own Service of this name. It is neither exported nor imported. */
export function isOfEachCluster({ namespace = '', name }: ObjectRef): boolean {
  return ofEachCluster.includes(`${namespace}/${name}`);
}

/**
 * Whether nothing with this name is imported here, independent of the exports of other clusters.
 */
export function isNeverImported(ref: ObjectRef, config: Pick<ExchangeConfig, 'importExcludedNamespaces'>): boolean {
  return isOfEachCluster(ref) || config.importExcludedNamespaces.includes(ref.namespace ?? '');
}
