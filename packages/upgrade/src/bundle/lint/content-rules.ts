import type { Minor } from '../../version/version.ts';
import type { Component } from '../component.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import { componentsFor, fullVersion, isDisabled, kubernetesMinors, placedComponents } from '../components-of.ts';
import type { Found, LintContext } from './lint-context.ts';

/** Content is named by digest, and a build and its content change together. */
export function* contentRules(bundle: ComponentBundle, { older }: LintContext): Iterable<Found> {
  for (const { component, path } of placedComponents(bundle)) {
    if (isDisabled(component)) continue;
    for (const [index, { name, digest }] of component.artifacts.entries()) {
      if (digest === undefined) yield withoutDigest(component, name, `${path}.artifacts[${index}]`);
    }
  }
  const paths = new Map(placedComponents(bundle).map(({ component, path }) => [component, path]));
  const reported = new Set<string>();
  for (const before of older) {
    for (const minor of minorsOf(bundle, before)) {
      for (const found of againstOlder(bundle, before, minor, paths)) {
        const key = JSON.stringify([found.rule, found.subject.path]);
        if (reported.has(key)) continue;
        reported.add(key);
        yield found;
      }
    }
  }
}

function withoutDigest(component: Component, name: string, path: string): Found {
  return {
    rule: 'bundle.no-digest',
    severity: 'block',
    subject: { component: component.id, path },
    why: `${name} of ${component.id} has no digest: the content at its location may change after the bundle was tested and signed`,
    unblock:
      'add the SHA-256 of its bytes, or of the manifest of an image; `isthmus upgrade bundle resolve` fetches it',
  };
}

/** Every minor that both name; all others are the same as none, `undefined`. */
function minorsOf(a: ComponentBundle, b: ComponentBundle): readonly (Minor | undefined)[] {
  const others = new Set(kubernetesMinors(b));
  return [undefined, ...kubernetesMinors(a).filter((minor) => others.has(minor))];
}

function* againstOlder(
  bundle: ComponentBundle,
  older: ComponentBundle,
  minor: Minor | undefined,
  paths: ReadonlyMap<Component, string>,
): Iterable<Found> {
  const before = new Map(componentsFor(older, minor).map((one) => [one.id, one]));
  const pairs = componentsFor(bundle, minor).flatMap((component) => {
    const old = before.get(component.id);
    return old === undefined ? [] : [{ component, old, changed: changedArtifacts(old, component) }];
  });
  // All components of a unit have one version: a build that only one of them needs is the build of
  // all.
  const unitOf = ({ unit, id }: Component) => unit ?? id;
  const sameContent = ({ component, changed }: (typeof pairs)[number]) =>
    changed.length === 0 && component.artifacts.some(({ digest }) => digest !== undefined);
  const builtForNothing = new Set(
    [...Map.groupBy(pairs, ({ component }) => unitOf(component))]
      .filter(([, some]) => some.every(({ changed }) => changed.length === 0) && some.some(sameContent))
      .map(([unit]) => unit),
  );
  for (const { component, old, changed } of pairs) {
    const path = `${paths.get(component) ?? 'spec'}.version`;
    const name = `${older.metadata.name} (number ${older.spec.number})`;
    const [from, to] = [fullVersion(old), fullVersion(component)];
    if (from === to && changed.length > 0) {
      yield {
        rule: 'bundle.content-without-build',
        severity: 'block',
        subject: { component: component.id, path },
        why: `${component.id} is ${to} as in ${name}, but its content differs: ${changed.join(', ')}`,
        unblock: 'give it another build',
      };
    } else if (
      from !== to &&
      builtForNothing.has(unitOf(component)) &&
      old.version.upstream === component.version.upstream
    ) {
      yield {
        rule: 'bundle.build-without-content',
        severity: 'warn',
        subject: { component: component.id, path },
        why: `${component.id} is ${to}, and ${from} in ${name}, with the same content: fleets would be upgraded without need`,
        unblock: `keep ${from}`,
      };
    }
  }
}

/**
 * The names of the artifacts that were added, went or have another digest, bytewise. One without a
 * digest is reported by another rule.
 */
function changedArtifacts(old: Component, component: Component): readonly string[] {
  const [before, after] = [old, component].map(
    ({ artifacts }) => new Map(artifacts.map(({ name, digest }) => [name, digest] as const)),
  );
  if (before === undefined || after === undefined) return [];
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names.filter((name) => {
    const bothKnown = before.get(name) !== undefined && after.get(name) !== undefined;
    return before.has(name) && after.has(name) ? bothKnown && before.get(name) !== after.get(name) : true;
  });
}
