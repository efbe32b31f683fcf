import { compareReleases } from '../version/compare-versions.ts';
import { parseVersion } from '../version/parse-version.ts';
import type { Minor, Revision, Version } from '../version/version.ts';
import type { Component } from './component.ts';
import type { ComponentBundle } from './component-bundle.ts';

/**
 * The components that a bundle has for clusters of a Kubernetes minor, by id, bytewise. Components
 * in `perKubernetes` replace those of the same id; those that are switched off are left out.
 * Without a minor, or for a minor that the bundle does not name, the components for every
 * Kubernetes are returned. {@link kubernetesProblem} reports whether the bundle may be used for a
 * minor at all.
 */
export function componentsFor(bundle: ComponentBundle, kubernetesMinor?: Minor): readonly Component[] {
  const byId = new Map(bundle.spec.components.map((one) => [one.id, one]));
  const own = kubernetesMinor === undefined ? undefined : ownEntry(bundle, kubernetesMinor);
  for (const one of own?.components ?? []) byId.set(one.id, one);
  return [...byId.values()].filter((one) => !isDisabled(one)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The minors that a bundle names, oldest first; none where it is the same for all. */
export function kubernetesMinors(bundle: ComponentBundle): readonly Minor[] {
  const version = (minor: Minor) => parseVersion(`${minor}.0`);
  return Object.keys(bundle.spec.perKubernetes).toSorted(
    (a, b) => compareReleases(version(a), version(b)) || (a < b ? -1 : 1),
  );
}

/**
 * Why a bundle cannot be used for clusters of this minor, with its name and number; undefined where
 * it can.
 */
export function kubernetesProblem(bundle: ComponentBundle, minor: Minor): string | undefined {
  const minors = kubernetesMinors(bundle);
  if (minors.length === 0 || minors.includes(minor)) return undefined;
  const { metadata, spec } = bundle;
  return `Kubernetes ${minor} is not in the bundle ${metadata.name} (number ${spec.number}); it has ${minors.join(', ')}`;
}

/**
 * Whether a component is switched off: its version is the word `deprecated`, or that or a location
 * is a `<placeholder>`.
 */
export function isDisabled({ version, artifacts }: Component): boolean {
  if (version.upstream === 'deprecated' || isPlaceholder(version.upstream)) return true;
  return artifacts.some(({ uri }) => isPlaceholder(uri));
}

/**
 * The version of a component in one text, `upstream+build`, which is compared, recorded and shown.
 */
export function fullVersion({ version: { upstream, build } }: Component): string {
  return build === undefined ? upstream : `${upstream}+${build}`;
}

/** The version of a component, read by its scheme, its build included. */
export function versionOf(component: Component): Version {
  return parseVersion(fullVersion(component), component.version.scheme);
}

/**
 * A component with its version and digests, for comparison with another one, or with a running one.
 */
export function revisionOf(component: Component): Revision {
  const digests = component.artifacts.flatMap(({ name, digest }) => (digest === undefined ? [] : [[name, digest]]));
  return {
    version: versionOf(component),
    digests: Object.fromEntries(digests) as Record<string, string>,
    sequence: component.version.sequence,
  };
}

/** A component of a bundle, and its path in the bundle. */
export interface PlacedComponent {
  readonly component: Component;
  /** `spec.components[2]`, `spec.perKubernetes[1.31].components[0]`. */
  readonly path: string;
  /** The minor that it is for; absent: every one. */
  readonly minor?: Minor | undefined;
}

/** All components of a bundle in the order of its file, including those that are switched off. */
export function placedComponents(bundle: ComponentBundle): readonly PlacedComponent[] {
  const placed = (components: readonly Component[], at: string, minor?: Minor) =>
    components.map((component, index) => ({ component, path: `${at}.components[${index}]`, minor }));
  return [
    ...placed(bundle.spec.components, 'spec'),
    ...kubernetesMinors(bundle).flatMap((minor) =>
      placed(ownEntry(bundle, minor)?.components ?? [], `spec.perKubernetes[${minor}]`, minor),
    ),
  ];
}

function ownEntry(bundle: ComponentBundle, minor: Minor) {
  const { perKubernetes } = bundle.spec;
  return Object.hasOwn(perKubernetes, minor) ? perKubernetes[minor] : undefined;
}

function isPlaceholder(text: string): boolean {
  return text.startsWith('<') && text.endsWith('>');
}
