import { inRange, parseVersionRange } from '../../version/parse-version-range.ts';
import type { Minor } from '../../version/version.ts';
import type { Component, Requirement } from '../component.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import {
  componentsFor,
  fullVersion,
  isDisabled,
  kubernetesMinors,
  placedComponents,
  versionOf,
} from '../components-of.ts';
import type { Found } from './lint-context.ts';

/**
 * The requirements of components must be in the bundle, for every Kubernetes that it names, and
 * must not form a circle.
 */
export function* requirementRules(bundle: ComponentBundle): Iterable<Found> {
  const paths = new Map(placedComponents(bundle).map(({ component, path }) => [component, path]));
  const minors = kubernetesMinors(bundle);
  const reported = new Map<string, { readonly found: Found; readonly minors: (Minor | undefined)[] }>();
  for (const minor of minors.length === 0 ? [undefined] : minors) {
    const components = componentsFor(bundle, minor);
    for (const found of [...unmet(components, paths, disabledIn(bundle)), ...cycles(components, paths)]) {
      const key = JSON.stringify(found);
      const known = reported.get(key);
      if (known === undefined) reported.set(key, { found, minors: [minor] });
      else known.minors.push(minor);
    }
  }
  for (const { found, minors: some } of reported.values())
    yield some.length === Math.max(minors.length, 1)
      ? found
      : { ...found, why: `${found.why} (for Kubernetes ${some.join(', ')})` };
}

/** The ids of components that are switched off somewhere in the bundle. */
function disabledIn(bundle: ComponentBundle): ReadonlySet<string> {
  return new Set(placedComponents(bundle).flatMap(({ component }) => (isDisabled(component) ? [component.id] : [])));
}

type Paths = ReadonlyMap<Component, string>;

function* unmet(components: readonly Component[], paths: Paths, disabled: ReadonlySet<string>): Iterable<Found> {
  const byId = new Map(components.map((one) => [one.id, one]));
  for (const component of components) {
    for (const [index, requirement] of component.requires.entries()) {
      const subject = { component: component.id, path: `${paths.get(component) ?? 'spec'}.requires[${index}]` };
      const required = byId.get(requirement.component);
      if (required === undefined) {
        yield {
          rule: 'bundle.requirement-unknown',
          severity: 'block',
          subject,
          why: `${component.id} requires ${requirement.component}, which ${disabled.has(requirement.component) ? 'is switched off' : 'the bundle does not have'}`,
          unblock: `add ${requirement.component}, or remove the requirement`,
        };
        continue;
      }
      if (areApart(component, required)) {
        yield {
          rule: 'bundle.requirement-apart',
          severity: 'warn',
          subject,
          why:
            `${component.id} is for clusters with the role ${rolesText(component)} and requires ${required.id}, which is ` +
            `for the role ${rolesText(required)}: only a cluster with both roles has it`,
          unblock: 'require components of the same cluster; use the order of a policy for other clusters',
        };
      }
      const lack = lackOf(required, requirement);
      if (lack === undefined) continue;
      yield {
        rule: 'bundle.requirement-unmet',
        severity: 'block',
        subject,
        why: `${component.id} requires ${lack}`,
        unblock: 'choose compatible versions of both',
      };
    }
  }
}

/** A requirement is about the same cluster. */
function areApart({ roles: some }: Component, { roles: others }: Component): boolean {
  return some !== undefined && others !== undefined && !some.some((role) => others.includes(role));
}

function rolesText({ roles = [] }: Component): string {
  return roles.length === 0 ? 'nothing' : roles.join(' or ');
}

function lackOf(required: Component, { range, contract }: Requirement): string | undefined {
  const read = range === undefined ? undefined : parseVersionRange(range);
  if (read !== undefined && !('problem' in read) && !inRange(versionOf(required), read)) {
    return `${required.id} ${read.text}; the bundle has ${fullVersion(required)}`;
  }
  if (contract === undefined || required.contracts.includes(contract)) return undefined;
  const has = required.contracts.length === 0 ? 'it implements none' : `it implements ${required.contracts.join(', ')}`;
  return `the contract ${contract} of ${required.id} ${fullVersion(required)}; ${has}`;
}

/** One finding for each circle, drawn from its first component on, bytewise: `a → b → a`. */
function* cycles(components: readonly Component[], paths: Paths): Iterable<Found> {
  const byId = new Map(components.map((one) => [one.id, one]));
  for (const circle of circlesAmong(components)) {
    const first = byId.get(circle[0] ?? '');
    if (first === undefined) continue;
    yield {
      rule: 'bundle.requirement-cycle',
      severity: 'block',
      subject: { component: first.id, path: `${paths.get(first) ?? 'spec'}.requires` },
      why: `the requirements are circular: ${[...circle, first.id].join(' → ')}; none of these can be upgraded first`,
      unblock: 'remove one of these requirements',
    };
  }
}

/**
 * The circles that a walk in depth closes, each once. Keeps its own stack: a bundle may hold a long
 * chain.
 */
function circlesAmong(components: readonly Component[]): readonly (readonly string[])[] {
  const nextOf = new Map(
    components.map(({ id, requires }) => [id, [...new Set(requires.map((one) => one.component))].toSorted()] as const),
  );
  const done = new Set<string>();
  const circles: (readonly string[])[] = [];
  for (const root of nextOf.keys()) {
    const trail: { readonly id: string; at: number }[] = [{ id: root, at: 0 }];
    const places = new Map([[root, 0]]);
    while (trail.length > 0) {
      const top = trail.at(-1);
      if (top === undefined) break;
      const next = done.has(top.id) ? undefined : nextOf.get(top.id)?.[top.at];
      top.at++;
      if (next === undefined) {
        done.add(top.id);
        places.delete(top.id);
        trail.pop();
        continue;
      }
      const place = places.get(next);
      if (place !== undefined) circles.push(fromTheFirst(trail.slice(place).map(({ id }) => id)));
      else if (!done.has(next) && nextOf.has(next)) {
        places.set(next, trail.length);
        trail.push({ id: next, at: 0 });
      }
    }
  }
  return circles;
}

/** A circle turned so that its first component, bytewise, leads. */
function fromTheFirst(circle: readonly string[]): readonly string[] {
  const at = circle.indexOf(circle.toSorted()[0] ?? '');
  return [...circle.slice(at), ...circle.slice(0, at)];
}
