import { placedComponents } from '../bundle/components-of.ts';
import type { Component } from '../bundle/component.ts';
import type { ComponentBundle } from '../bundle/component-bundle.ts';
import type { ClusterPlace, FleetState, Instance } from './fleet-state.ts';
import { parseVersion } from '../version/parse-version.ts';
import type { ClusterSnapshot, FleetSnapshot } from './fleet-snapshot.ts';
import { runningOf } from './live-versions.ts';

/**
 * The state of a snapshot for rules: live versions if they were read, otherwise recorded ones.
 * Types and schemes of versions are those of the bundle; a component without a bundle has its own
 * type and semver. Components without a known version are left out: a rule cannot judge them.
 */
export function stateOf({ spec }: FleetSnapshot, { bundle }: { readonly bundle: ComponentBundle }): FleetState {
  const known = componentsById(bundle);
  const clusters = spec.clusters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const clients = spec.clients.map((one): Instance => {
    const component = known.get(one.component);
    const version = parseVersion(one.version, component?.version.scheme);
    return { type: component?.type ?? one.component, component: one.component, name: one.name, version };
  });
  return {
    clusters: clusters.map(placeOfCluster),
    instances: [...clusters.flatMap((cluster) => instancesOf(cluster, known)), ...clients.toSorted(byComponent)],
  };
}

/**
 * The components of a bundle by id, whatever the Kubernetes minor; of several with one id any: type
 * and scheme are the same for all.
 */
export function componentsById(bundle: ComponentBundle): ReadonlyMap<string, Component> {
  return new Map(placedComponents(bundle).map(({ component }) => [component.id, component]));
}

function placeOfCluster({ name, roles, clusterSet, managedBy }: ClusterSnapshot): ClusterPlace {
  return { name, roles, clusterSet, managedBy };
}

/** The versions that run in one cluster, by component, Node and name. */
function instancesOf(cluster: ClusterSnapshot, known: ReadonlyMap<string, Component>): readonly Instance[] {
  return cluster.components
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap((installed) => {
      const component = known.get(installed.id);
      const type = component?.type ?? installed.type ?? installed.id;
      return runningOf(installed, component?.version.scheme)
        .filter(({ version }) => version.text !== '')
        .map(({ version, node, name }) => ({
          type,
          component: installed.id,
          cluster: cluster.name,
          node,
          name,
          version,
        }));
    });
}

function byComponent(a: Instance, b: Instance): number {
  const [left, right] = [a, b].map(({ component, name = '', version }) => `${component}\n${name}\n${version.text}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
