import { ClusterSet, Event } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from './fleet.ts';
import { clusterSetName, memberNamespace } from './fleet-names.ts';

/** A condition of the ClusterSet of a member (or of the one in another Namespace), as `status reason`, or `none`. */
export function clusterSetCondition(
  cluster: VirtualCluster,
  ref: { readonly namespace: string; readonly name: string } = { namespace: memberNamespace, name: clusterSetName },
): string {
  const found = conditionOf(cluster.server.admin.get(ClusterSet, ref)?.status?.conditions, 'Ready');
  return found === undefined ? 'none' : `${found.status} ${found.reason ?? ''}`;
}

/** The Events of a cluster as `reason kind/name: message`, sorted. */
export function eventsOf(cluster: VirtualCluster): readonly string[] {
  return cluster.server.admin
    .list(Event)
    .map(
      ({ reason, involvedObject, message }) =>
        `${reason ?? ''} ${involvedObject.kind ?? ''}/${involvedObject.name ?? ''}: ${message ?? ''}`,
    )
    .toSorted();
}

/**
 * Watches what controllers write from now on. The function that is returned tells it, as `server method path code`, in the order of each
 * server. Heartbeats come by time, and Events are not part of the state: neither counts.
 */
export function recordWrites(fleet: VirtualFleet): () => readonly string[] {
  const from = new Map(fleet.clusters.map(({ name, server }) => [name, server.requestLog().length]));
  return () =>
    fleet.clusters.flatMap(({ name, server }) =>
      server
        .requestLog()
        .slice(from.get(name))
        .flatMap((line) => {
          const [, user, method = '', path = '', code = ''] = line.split(' ');
          if (user?.startsWith('system:serviceaccount:') !== true || method === 'GET') return [];
          if (path.includes('/memberclusterannounces/') && method === 'PATCH') return [];
          return path.includes('/events') ? [] : [`${name} ${method} ${path} ${code}`];
        }),
    );
}
