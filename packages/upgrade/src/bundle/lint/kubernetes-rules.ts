import { compareReleases } from '../../version/compare-versions.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { Minor } from '../../version/version.ts';
import type { Component } from '../component.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import { componentsFor, fullVersion, isDisabled, kubernetesMinors, placedComponents } from '../components-of.ts';
import type { Found } from './lint-context.ts';

/** What a bundle says by Kubernetes minor. */
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

/** A management cluster has one of each: which minor's should it be? EKS Anywhere takes the first entry without a word (docs/spec/upgrades.md §1.1). */
function* managementParts(bundle: ComponentBundle): Iterable<Found> {
  const firsts = new Map<string, { readonly minor: Minor; readonly text: string; readonly shown: string }>();
  const reported = new Set<string>();
  const paths = new Map(placedComponents(bundle).map(({ component, path }) => [component, path]));
  for (const minor of kubernetesMinors(bundle)) {
    for (const component of componentsFor(bundle, minor).filter(isManagementPart)) {
      const text = JSON.stringify([component.version, component.artifacts]);
      const first = firsts.get(component.id);
      if (first === undefined) firsts.set(component.id, { minor, text, shown: fullVersion(component) });
      else if (first.text !== text && !reported.has(component.id)) {
        reported.add(component.id);
        const shown = fullVersion(component);
        const how = shown === first.shown ? `both ${shown}, with different content` : `${first.shown} and ${shown}`;
        yield {
          rule: 'bundle.management-disagrees',
          severity: 'block',
          subject: { component: component.id, path: paths.get(component) ?? 'spec.perKubernetes' },
          why: `${component.id} belongs only to the management cluster, but differs between Kubernetes ${first.minor} and ${minor}: ${how}`,
          unblock: 'define it once, in spec.components',
        };
      }
    }
  }
}

function isManagementPart({ roles }: Component): boolean {
  return roles !== undefined && roles.length > 0 && roles.every((role) => role === 'management');
}

function compareMinors(a: Minor, b: Minor): number {
  return compareReleases(parseVersion(`${a}.0`), parseVersion(`${b}.0`));
}
