import { compareReleases, compareVersions } from '../../version/compare-versions.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { parseVersionRange } from '../../version/parse-version-range.ts';
import type { Component } from '../component.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import {
  componentsFor,
  fullVersion,
  isDisabled,
  kubernetesMinors,
  placedComponents,
  versionOf,
} from '../components-of.ts';
import type { PlacedComponent } from '../components-of.ts';
import type { Found } from './lint-context.ts';

/** Checks the versions of the components and the ranges that they name. */
export function* versionRules(bundle: ComponentBundle): Iterable<Found> {
  const placed = placedComponents(bundle);
  for (const one of placed) {
    if (isDisabled(one.component)) yield disabled(one);
    else {
      yield* unreadable(one);
      yield* upperCase(one);
      yield* origins(one);
    }
    yield* ranges(one);
  }
  yield* units(bundle, placed);
}

function disabled({ component, path }: PlacedComponent): Found {
  return {
    rule: 'bundle.disabled',
    severity: 'info',
    subject: { component: component.id, path: `${path}.version.upstream` },
    why: `${component.id} is switched off: its version or a location is \`deprecated\` or a placeholder`,
  };
}

function* unreadable({ component, path }: PlacedComponent): Iterable<Found> {
  const { upstream, scheme } = component.version;
  if (scheme === 'opaque' || versionOf(component).core !== undefined) return;
  const expected =
    scheme === 'calver' ? 'year.month or year.month.count, such as 2026.11.3' : 'major.minor.patch, such as v1.13.2';
  yield {
    rule: 'bundle.version',
    severity: 'block',
    subject: { component: component.id, path: `${path}.version.upstream` },
    why: `the version ${JSON.stringify(upstream)} of ${component.id} does not match scheme ${scheme}: expected ${expected}`,
    unblock: 'write the whole version, or give it the scheme opaque, under which versions have no order',
  };
}

/**
 * Tools that take `namespace/name:version` lower the case (docs/spec/upgrades.md §1.1): a build in
 * capitals would be another one afterwards.
 */
function* upperCase({ component, path }: PlacedComponent): Iterable<Found> {
  const { build } = versionOf(component);
  if (build === build.toLowerCase()) return;
  yield {
    rule: 'bundle.build-case',
    severity: 'block',
    subject: { component: component.id, path: `${path}.version.upstream` },
    why: `the build ${build} of ${component.id} has upper-case letters; clusterctl lower-cases versions and would not find it`,
    unblock: `write ${build.toLowerCase()}`,
  };
}

/** Checks the versions from which an upgrade may come. */
function* origins({ component, path }: PlacedComponent): Iterable<Found> {
  const { via } = component.upgradeFrom;
  const own = versionOf(component);
  const stops = via.map((text) => parseVersion(text, component.version.scheme));
  const wrong = (index: number, why: string): Found => ({
    rule: 'bundle.upgrade-from',
    severity: 'block',
    subject: { component: component.id, path: `${path}.upgradeFrom.via[${index}]` },
    why,
    unblock: 'list versions before this one, oldest first',
  });
  for (const [index, stop] of stops.entries()) {
    const before = stops[index - 1];
    if (stop.core === undefined)
      yield wrong(index, `${JSON.stringify(stop.text)} is not a version with major, minor and patch`);
    else if (own.core !== undefined && compareReleases(stop, own) >= 0) {
      yield wrong(index, `the stop ${stop.text} on the way to ${own.text} is not older than it`);
    } else if (before?.core !== undefined && compareVersions(before, stop) !== 'newer') {
      yield wrong(index, `the stop ${stop.text} is not newer than ${before.text}, which precedes it`);
    }
  }
}

function* ranges({ component, path }: PlacedComponent): Iterable<Found> {
  const written: readonly (readonly [string, string | undefined])[] = [
    ...component.requires.map(({ range }, index) => [`requires[${index}].range`, range] as const),
    ['upgradeFrom.range', component.upgradeFrom.range],
    ...component.hooks.map(({ whenFrom }, index) => [`hooks[${index}].whenFrom`, whenFrom] as const),
  ];
  for (const [field, text] of written) {
    const range = text === undefined ? undefined : parseVersionRange(text);
    if (range === undefined || !('problem' in range)) continue;
    yield {
      rule: 'bundle.range',
      severity: 'block',
      subject: { component: component.id, path: `${path}.${field}` },
      why: range.problem,
      unblock: 'write bounds such as >=1.13.0 <2.0.0',
    };
  }
}

/** Components of one unit are one release, for every Kubernetes that the bundle names. */
function* units(bundle: ComponentBundle, placed: readonly PlacedComponent[]): Iterable<Found> {
  const paths = new Map(placed.map(({ component, path }) => [component, path]));
  const minors = kubernetesMinors(bundle);
  const reported = new Set<string>();
  for (const minor of minors.length === 0 ? [undefined] : minors) {
    const firsts = new Map<string, Component>();
    for (const component of componentsFor(bundle, minor)) {
      const unit = component.unit ?? component.id;
      const first = firsts.get(unit);
      firsts.set(unit, first ?? component);
      if (first === undefined || fullVersion(first) === fullVersion(component)) continue;
      const path = `${paths.get(component) ?? 'spec'}.version`;
      const why =
        `${first.id} ${fullVersion(first)} and ${component.id} ${fullVersion(component)} share the unit ${unit} ` +
        `and must have one version`;
      if (reported.has(why)) continue;
      reported.add(why);
      yield {
        rule: 'bundle.unit',
        severity: 'block',
        subject: { component: component.id, path },
        why,
        unblock: 'give them the same version, or different units',
      };
    }
  }
}
