import type { ClusterRole } from '../../words.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { ClusterPlace, FleetState, Instance } from '../../fleet/fleet-state.ts';

/**
 * A fleet as tests write it: `cluster/type[@node|#name] version`, with no cluster for programs of
 * people.
 */
export function fleet(clusters: readonly ClusterPlace[], ...lines: readonly string[]): FleetState {
  return { clusters, instances: lines.map(instance) };
}

/** A cluster that plays `roles` in ClusterSet `shop`. */
export function inShop(name: string, ...roles: readonly ClusterRole[]): ClusterPlace {
  return { name, roles, clusterSet: 'shop' };
}

/** A cluster, and the one that manages it. */
export function managed(name: string, managedBy?: string): ClusterPlace {
  return { name, roles: [managedBy === undefined ? 'management' : 'workload'], managedBy };
}

function instance(line: string): Instance {
  const [place = '', version = ''] = line.split(' ');
  const [, cluster, type = '', node, name] = /^(?:([^/]*)\/)?([^@#]+)(?:@(.+))?(?:#(.+))?$/.exec(place) ?? [];
  return { type, component: type, cluster, node, name, version: parseVersion(version) };
}
