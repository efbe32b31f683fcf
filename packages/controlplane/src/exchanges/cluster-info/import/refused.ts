import { clusterInfoImportStatus, clusterInfoName } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { carriesOurLabel } from '@isthmus/wire';
import { refusedMessage } from '../../../known-clusters/judge-import.ts';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';
import { clusterInfoImportAccess } from './reconcile.ts';

/**
 * Withdraws the networks of clusters that an administrator refuses while the leader cannot be read.
 * All other facts of a ClusterInfoImport are from the leader. One key: its name.
 */
export function refusedNetworksController(local: OwnCluster): Reconciler {
  const { namespace, clusterInfoImports, knownClusters, grants, events } = local;
  return defineReconciler({
    name: 'cluster-info-refused',
    sources: [
      from(clusterInfoImports.cache, ({ metadata }) => [metadata.name]),
      from(knownClusters.cache, ({ spec }) => [clusterInfoName(spec.clusterID)]),
    ],
    access: clusterInfoImportAccess,
    async reconcile(name, { signal }) {
      const object = clusterInfoImports.cache.get({ namespace, name });
      const clusterID = object?.spec?.clusterID ?? '';
      if (object === undefined || !carriesOurLabel(object)) return done;
      if (grants.objectOf(clusterID)?.spec.state !== 'Refused') return done;
      const message = refusedMessage(clusterID, namespace);
      events.report(object, clusterInfoImportStatus, { reason: 'OutsideGrant', message });
      await clusterInfoImports.delete(object, signal);
      return done;
    },
  });
}
