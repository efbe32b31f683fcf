import { compareReleases } from '../../version/compare-versions.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { Minor } from '../../version/version.ts';
import type { Artifact, Component } from '../component.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import { componentsFor, fullVersion, isDisabled, kubernetesMinors, placedComponents } from '../components-of.ts';
import type { Found } from './lint-context.ts';

/** Checks the parts of a bundle that depend on the Kubernetes minor. */
export function* kubernetesRules(bundle: ComponentBundle): Iterable<Found> {
  yield* minors(bundle);
  yield* supported(bundle);
  yield* managementParts(bundle);
}

const minorPattern = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

function* minors(bundle: ComponentBundle): Iterable<Found> {
  for (const minor of kubernetesMinors(bundle)) {
    if (minorPattern.test(minor)) continue;
    yield {
      rule: 'bundle.kubernetes-range',
      severity: 'block',
      subject: { path: `spec.perKubernetes[${minor}]` },
      why: `${JSON.stringify(minor)} is not a Kubernetes minor: expected two numbers, such as "1.31"`,
      unblock: 'write the minor in quotation marks, without v and patch',
    };
  }
}

/** A component must run on every minor that the bundle has it for. */
function* supported(bundle: ComponentBundle): Iterable<Found> {
  const named = kubernetesMinors(bundle)
    .filter((minor) => minorPattern.test(minor))
    .map((minor) => ({ minor, components: new Set(componentsFor(bundle, minor)) }));
  for (const { component, path } of placedComponents(bundle)) {
    const range = component.supports.kubernetes;
    if (range === undefined || isDisabled(component)) continue;
    const subject = { component: component.id, path: `${path}.supports.kubernetes` };
    if (compareMinors(range.min, range.max) > 0) {
      yield {
        rule: 'bundle.kubernetes-range',
        severity: 'block',
        subject,
        why: `${component.id} runs on Kubernetes from ${range.min} to ${range.max}, which is an empty range`,
        unblock: 'put the older minor first',
      };
      continue;
    }
    const outside = named
      .filter(({ components }) => components.has(component))
      .map(({ minor }) => minor)
      .filter((minor) => compareMinors(minor, range.min) < 0 || compareMinors(minor, range.max) > 0);
    if (outside.length === 0) continue;
    yield {
      rule: 'bundle.kubernetes-range',
      severity: 'block',
      subject,
      why: `${component.id} runs on Kubernetes ${range.min} to ${range.max}; the bundle also has it for ${outside.join(', ')}`,
      unblock: 'put a version that supports this minor into perKubernetes, or remove the minor',
    };
  }
}

/**
 * A management cluster has one of each: which minor's should it be? EKS Anywhere takes the first
 * entry without a word (docs/spec/upgrades.md §1.1). Of one version, only images that belong to the
 * clusters of a minor may differ: each has a location of its own.
 */
function* managementParts(bundle: ComponentBundle): Iterable<Found> {
  const firsts = new Map<string, { readonly minor: Minor; readonly component: Component }>();
  const reported = new Set<string>();
  const paths = new Map(placedComponents(bundle).map(({ component, path }) => [component, path]));
  const own = new Map<string, { readonly path: string; readonly minors: Minor[]; readonly names: Set<string> }>();
  for (const minor of kubernetesMinors(bundle)) {
    for (const component of componentsFor(bundle, minor).filter(isManagementPart)) {
      const { id } = component;
      const first = firsts.get(id);
      if (first === undefined) firsts.set(id, { minor, component });
      if (first === undefined || reported.has(id)) continue;
      const path = paths.get(component) ?? 'spec.perKubernetes';
      const { why, ownImages } = difference(first.component, component);
      if (why !== undefined) {
        reported.add(id);
        yield {
          rule: 'bundle.management-disagrees',
          severity: 'block',
          subject: { component: id, path },
          why: `${id} belongs only to the management cluster, but differs between Kubernetes ${first.minor} and ${minor}: ${why}`,
          unblock: 'define it once, in spec.components',
        };
      } else if (ownImages.length > 0) {
        const known = own.get(id) ?? { path, minors: [], names: new Set() };
        own.set(id, known);
        known.minors.push(minor);
        ownImages.forEach((name) => known.names.add(name));
      }
    }
  }
  for (const [id, { path, minors, names }] of own) {
    const first = firsts.get(id);
    if (reported.has(id) || first === undefined) continue;
    yield {
      rule: 'bundle.own-images',
      severity: 'info',
      subject: { component: id, path },
      why: `${id} ${fullVersion(first.component)} has its own images for Kubernetes ${minors.join(', ')}: ${[...names].toSorted().join(', ')}; everything else is the same as for ${first.minor}`,
    };
  }
}

interface Difference {
  /** Why both cannot be the part of one management cluster. */
  readonly why?: string | undefined;
  /** The artifacts that a minor has for itself. */
  readonly ownImages: readonly string[];
}

function difference(first: Component, other: Component): Difference {
  const [from, to] = [fullVersion(first), fullVersion(other)];
  if (from !== to) return { why: `${from} and ${to}`, ownImages: [] };
  const [before, after] = [first, other].map(({ artifacts }) => new Map(artifacts.map((one) => [one.name, one])));
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].toSorted();
  const differing = names.filter((name) => !isSame(before?.get(name), after?.get(name)));
  const wrong = differing.filter((name) => !isOwnImage(before?.get(name), after?.get(name)));
  return wrong.length === 0
    ? { ownImages: differing }
    : { why: `both ${to}, with different content: ${wrong.join(', ')}`, ownImages: [] };
}

function isSame(a: Artifact | undefined, b: Artifact | undefined): boolean {
  return a?.uri === b?.uri && a?.digest === b?.digest && a?.kind === b?.kind;
}

/** One location with two digests is a mistake, and so are two manifests for one cluster. */
function isOwnImage(a: Artifact | undefined, b: Artifact | undefined): boolean {
  const isInstalled = [a, b].some((one) => one?.kind === 'manifest' || one?.kind === 'crdset');
  return !isInstalled && a?.uri !== b?.uri;
}

function isManagementPart({ roles }: Component): boolean {
  return roles !== undefined && roles.length > 0 && roles.every((role) => role === 'management');
}

function compareMinors(a: Minor, b: Minor): number {
  return compareReleases(parseVersion(`${a}.0`), parseVersion(`${b}.0`));
}
