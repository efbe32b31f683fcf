import { compareRevisions } from '../version/compare-revisions.ts';
import type { Minor, Relation, VersionOrder } from '../version/version.ts';
import type { Component } from './component.ts';
import type { ComponentBundle } from './component-bundle.ts';
import {
  componentsFor,
  fullVersion,
  isDisabled,
  kubernetesMinors,
  placedComponents,
  revisionOf,
} from './components-of.ts';

/** An artifact whose content differs: its digests, where they are known. */
export interface ChangedArtifact {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The change of one component from one bundle to another. */
export interface BundleChange {
  readonly component: string;
  /** The minors of Kubernetes for which it holds; absent: all. */
  readonly kubernetes?: readonly Minor[] | undefined;
  readonly relation: Relation | 'added' | 'removed';
  readonly order: VersionOrder;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly reason: string;
  readonly artifacts: readonly ChangedArtifact[];
}

/**
 * The differences between two bundles, by component, bytewise. A difference that is not the same
 * for every Kubernetes lists its minors. Equal components are left out; those that are switched off
 * count as absent.
 */
export function diffBundles(from: ComponentBundle, to: ComponentBundle): readonly BundleChange[] {
  const named = [...new Set([...kubernetesMinors(from), ...kubernetesMinors(to)])].toSorted();
  const minors: readonly (Minor | undefined)[] = named.length === 0 ? [undefined] : named;
  const byChange = new Map<string, { readonly change: BundleChange; readonly minors: (Minor | undefined)[] }>();
  for (const minor of minors) {
    for (const change of changesFor(from, to, minor)) {
      const key = JSON.stringify(change);
      const known = byChange.get(key);
      if (known === undefined) byChange.set(key, { change, minors: [minor] });
      else known.minors.push(minor);
    }
  }
  const rows = [...byChange.values()].map(({ change, minors: where }) =>
    where.length === minors.length ? change : { ...change, kubernetes: where.filter((minor) => minor !== undefined) },
  );
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function* changesFor(from: ComponentBundle, to: ComponentBundle, minor: Minor | undefined): Iterable<BundleChange> {
  const before = new Map(componentsFor(from, minor).map((one) => [one.id, one]));
  const after = new Map(componentsFor(to, minor).map((one) => [one.id, one]));
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const isOff = (bundle: ComponentBundle) =>
      placedComponents(bundle).some(({ component }) => component.id === id && isDisabled(component));
    const change = changeOf(id, before.get(id), after.get(id), isOff(before.has(id) ? to : from));
    if (change !== undefined) yield change;
  }
}

/** `isOff`: the side that does not have it names it, and has it switched off. */
function changeOf(
  id: string,
  old: Component | undefined,
  next: Component | undefined,
  isOff: boolean,
): BundleChange | undefined {
  const artifacts = changedArtifacts(old, next);
  const [from, to] = [old, next].map((one) => (one === undefined ? undefined : fullVersion(one)));
  if (old === undefined || next === undefined) {
    const relation = old === undefined ? 'added' : 'removed';
    const [came, went] = isOff ? ['was switched off', 'is switched off'] : ['is new', 'was removed'];
    const reason = old === undefined ? `${id} ${to} ${came}` : `${id} ${from} ${went}`;
    return { component: id, relation, order: 'unknown', from, to, reason, artifacts };
  }
  const { relation, order, reason } = compareRevisions(revisionOf(old), revisionOf(next));
  if (relation !== 'same') return { component: id, relation, order, from, to, reason, artifacts };
  if (artifacts.length === 0) return undefined;
  // All artifacts that both have are the same; others were added or removed.
  const names = artifacts.map(({ name }) => name).join(', ');
  const drift = `the version is ${to} on both sides, but only one side has ${names}`;
  return { component: id, relation: 'content-drift', order, from, to, reason: drift, artifacts };
}

function changedArtifacts(old: Component | undefined, next: Component | undefined): readonly ChangedArtifact[] {
  const [before, after] = [old, next].map((one) => new Map(one?.artifacts.map(({ name, digest }) => [name, digest])));
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].toSorted();
  return names
    .map((name) => {
      const change = !before?.has(name) ? 'added' : after?.has(name) ? 'changed' : 'removed';
      return { name, change, from: before?.get(name), to: after?.get(name) } as const;
    })
    .filter(({ change, from, to }) => change !== 'changed' || from !== to);
}

function keyOf({ component, kubernetes = [] }: BundleChange): string {
  return JSON.stringify([component, kubernetes]);
}
