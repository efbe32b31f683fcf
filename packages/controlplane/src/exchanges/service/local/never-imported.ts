import type { ObjectRef } from '@isthmus/machinery';
import type { ExchangeConfig } from '../../../own-cluster/own-cluster.ts';

/** Services that each cluster has for itself, under the same name: those of another cluster would be of no use, or do harm. */
const ofEachCluster = ['default/kubernetes', 'kube-system/kube-dns'];

/** Whether each cluster has a Service of this name for itself: it is neither exported nor imported. */
export function isOfEachCluster({ namespace = '', name }: ObjectRef): boolean {
  return ofEachCluster.includes(`${namespace}/${name}`);
}

/** Whether nothing of this name is imported here, whatever other clusters export. */
export function isNeverImported(ref: ObjectRef, config: Pick<ExchangeConfig, 'importExcludedNamespaces'>): boolean {
  return isOfEachCluster(ref) || config.importExcludedNamespaces.includes(ref.namespace ?? '');
}
