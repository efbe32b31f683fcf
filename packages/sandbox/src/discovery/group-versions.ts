import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { compareVersions } from './version-order.ts';

/** An API group with its versions, the preferred one first. */
export interface ServedGroup {
  /** Empty for the core group. */
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/**
 * Priorities of the built-in groups (`groupPriorityMinimum` of their APIServices); custom ones
 * have 1000.
 */
const priorities: Readonly<Record<string, number>> = {
  '': 18_000,
  'apiregistration.k8s.io': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'coordination.k8s.io': 16_500,
  'scheduling.k8s.io': 16_600,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
  'resource.k8s.io': 16_200,
};

const customPriority = 1000;

/**
 * Everything served, in the order of discovery: groups by priority, then name; versions by
 * preference; built-in resources by name.
 */
export function servedGroups(registry: Registry): readonly ServedGroup[] {
  const groups = Map.groupBy(registry.all(), ({ group }) => group);
  const priority = (group: string) => priorities[group] ?? customPriority;
  return [...groups.keys()]
    .toSorted((a, b) => priority(b) - priority(a) || (a < b ? -1 : 1))
    .map((name) => ({ name, versions: versionsOf(groups.get(name) ?? []) }));
}

function versionsOf(resources: readonly ServedResource[]): readonly ServedVersion[] {
  const versions = Map.groupBy(resources, ({ version }) => version);
  return [...versions.keys()].toSorted(compareVersions).map((version) => ({
    version,
    resources: (versions.get(version) ?? []).toSorted((a, b) => (a.plural < b.plural ? -1 : 1)),
  }));
}
