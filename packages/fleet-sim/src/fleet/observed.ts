import { ClusterSet, Event } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from './fleet.ts';
import { clusterSetName, memberNamespace } from './fleet-names.ts';

/**
 * The condition `Ready` of the ClusterSet of a member, or of another ClusterSet, as `status
 * reason`; `none` if it has none.
 */
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
 * Records the writes of controllers from now on. The returned function gives them as `server method
 * path code`, in the order of each server. Heartbeats depend on time, and Events are not part of
 * the state: neither is recorded.
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
          // The heartbeat of its controller, each minute.
          if (/\/clustersets\/[^/]+\/status$/.test(path) && method === 'PATCH') return [];
          return path.includes('/events') ? [] : [`${name} ${method} ${path} ${code}`];
        }),
    );
}
