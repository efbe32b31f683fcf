import {
  Annotation,
  ClusterSet,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  Secret,
  Service,
  ServiceExport,
  perClusterImportName,
  resourceExportName,
} from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, leaderNamespace } from '@isthmus/fleet-sim';
import { partName } from '@isthmus/wire';
import type { FleetShape } from './fleet-shape.ts';

/**
 * A fleet without faults, with the final wishes of the users in `model`: the same objects of users
 * with the same addresses. They are exported in the order of age that the leader of `model` has
 * recorded.
 */
export async function calmRun(model: VirtualFleet, shape: FleetShape): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ ...shape, join: false });
  for (const { name, server } of model.clusters) {
    const { admin } = fleet.cluster(name).server;
    for (const object of server.admin.list(Namespace)) admin.put(Namespace, plain(object));
    for (const object of server.admin.list(Service)) {
      if (object.metadata.annotations?.[Annotation.importedService] !== undefined) continue;
      admin.put(Service, { ...plain(object), spec: object.spec });
    }
    for (const object of server.admin.list(Pod))
      admin.put(Pod, { ...plain(object), spec: object.spec, status: object.status });
    for (const object of server.admin.list(Secret)) admin.put(Secret, { ...plain(object), data: object.data });
    for (const object of server.admin.list(ClusterSet)) admin.put(ClusterSet, { ...plain(object), spec: object.spec });
  }
  for (const cluster of fleet.clusters) cluster.start();
  await fleet.clock.advance(30_000);
  for (const { cluster, object } of exportsByAge(model)) {
    fleet.cluster(cluster).server.admin.put(ServiceExport, plain(object));
    await fleet.clock.advance(3_000);
  }
  await fleet.clock.advance(120_000);
  return fleet;
}

/** Every ServiceExport, the oldest first. Those without an export come last. */
function exportsByAge(model: VirtualFleet): readonly { readonly cluster: string; readonly object: ServiceExport }[] {
  return model.clusters
    .flatMap(({ name, server }) => {
      const clusterID = clusterIDOf(model, name);
      return server.admin.list(ServiceExport).map((object) => {
        const { namespace = '', name: service } = object.metadata;
        const { admin } = model.leader.server;
        const stampOf = admin
          .list(ResourceImport, leaderNamespace)
          .find((found) => partName(found) === perClusterImportName(namespace, service, clusterID));
        const existing = admin.get(ResourceExport, {
          namespace: leaderNamespace,
          name: resourceExportName(clusterID, namespace, service, 'Service'),
        });
        const isIts = existing?.spec?.namespace === namespace && existing.spec.name === service;
        const time =
          stampOf?.spec?.namespace === namespace ? stampOf.metadata.annotations?.[Annotation.firstExported] : undefined;
        const since = isIts ? (time ?? existing.metadata.creationTimestamp) : undefined;
        return { cluster: name, object, order: `${since ?? '9'} ${namespace} ${clusterID} ${service}` };
      });
    })
    .toSorted((a, b) => (a.order < b.order ? -1 : 1));
}

/** The cluster ID of a cluster, independent of its name in the test. */
export function clusterIDOf(fleet: VirtualFleet, name: string): string {
  const [clusterSet] = fleet.cluster(name).server.admin.list(ClusterSet, 'kube-system');
  return clusterSet?.spec?.clusterID ?? name;
}

function plain<T extends KubernetesObject>(object: T): { readonly metadata: T['metadata'] } {
  const { name, namespace, labels, annotations } = object.metadata;
  return { metadata: { name, namespace, labels, annotations } };
}
