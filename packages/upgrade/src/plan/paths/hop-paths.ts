import { fullVersion, versionOf } from '../../bundle/components-of.ts';
import type { Component } from '../../bundle/component.ts';
import type { Finding } from '../../finding.ts';
import { hopOf } from '../../policy/hops/hop.ts';
import { compareReleases } from '../../version/compare-versions.ts';
import type { Version } from '../../version/version.ts';
import type { Difference } from '../differences/cluster-change.ts';
import type { PlannerContext } from '../input/planner-context.ts';

/**
 * A difference, and what the component becomes in each round; nothing in a round in which it stays.
 * The last one is the target.
 */
export interface PlannedChange extends Difference {
  readonly family: string;
  readonly path: readonly (Component | undefined)[];
}

/**
 * Whether only those components stop on the way that have to, or all that the bundle of a stop has:
 * what lags behind may have to come along.
 */
export type Stopping = 'as-rules-demand' | 'with-the-bundle';

/**
 * The hops of each difference (docs/spec/upgrades.md §2.2, end). Components of one unit stop at the
 * same versions in all clusters of a family, so that one hop is a whole upgrade; one that runs a
 * stop already stays in that round. What cannot be reached blocks, with the rule.
 */
export function withHops(
  differences: readonly Difference[],
  context: PlannerContext,
  stopping: Stopping,
): { readonly changes: readonly PlannedChange[]; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const memo = new Map<string, ReturnType<typeof hopOf>>();
  const groups = new Map<string, { readonly difference: Difference; readonly via: readonly Version[] }[]>();
  for (const difference of differences) {
    const { component, running } = difference;
    const to = versionOf(component);
    let via: readonly Version[] = [];
    for (const { version } of running) {
      if (version.core === undefined) continue;
      const key = JSON.stringify([component.id, version.text, to.text]);
      const known = context.knownVersions(component.id);
      const hop = memo.get(key) ?? hopOf(version, to, component, { policies: context.rules, known });
      memo.set(key, hop);
      const subject = { cluster: difference.cluster?.name, component: component.id };
      for (const finding of hop.findings) findings.push({ ...finding, subject: { ...finding.subject, ...subject } });
      if (hop.kind === 'hops' && hop.via.length > via.length) via = hop.via;
    }
    const key = `${familyOf(difference, context)}\n${component.unit ?? component.id}`;
    const group = groups.get(key) ?? [];
    group.push({ difference, via });
    groups.set(key, group);
  }
  const changes = [...groups.values()].flatMap((group) => {
    const [longest] = group
      .map(({ via }) => via)
      .toSorted((a, b) => b.length - a.length || bytewise(textOf(a), textOf(b)));
    return group.map(({ difference, via }) => planned(difference, { own: via, unit: longest ?? [] }, context));
  });
  const along = stopping === 'with-the-bundle' ? comingAlong(changes, context) : changes;
  const unique = new Map(findings.map((one) => [JSON.stringify(one), one]));
  return { changes: along, findings: [...unique.values()] };
}

function planned(
  difference: Difference,
  { own, unit }: { readonly own: readonly Version[]; readonly unit: readonly Version[] },
  context: PlannerContext,
): PlannedChange {
  const { component, running } = difference;
  const has = (stop: Version) => context.atVersion(component.id, stop.text) !== undefined;
  const stops = own.length === unit.length || !unit.every(has) ? own : unit;
  const [oldest] = running
    .map(({ version }) => version)
    .filter(({ core }) => core !== undefined)
    .toSorted(compareReleases);
  const path = stops.map((stop) =>
    oldest !== undefined && compareReleases(stop, oldest) > 0 && compareReleases(versionOf(component), stop) > 0
      ? context.atVersion(component.id, stop.text)?.component
      : undefined,
  );
  return { ...difference, family: familyOf(difference, context), path: [...path, component] };
}

/**
 * Lets everything stop at the bundles at which the longest way of its family stops; programs of
 * people follow the longest way of all.
 */
function comingAlong(changes: readonly PlannedChange[], context: PlannerContext): readonly PlannedChange[] {
  const longer = (a: PlannedChange, b: PlannedChange) => b.path.length - a.path.length || bytewise(a.row.id, b.row.id);
  const [longest] = changes.toSorted(longer);
  const ofFamily = new Map(
    [...Map.groupBy(changes, ({ family }) => family)].map(([name, some]) => [name, some.toSorted(longer)[0]]),
  );
  return changes.map((change) => {
    const leading = change.cluster === undefined ? longest : ofFamily.get(change.family);
    if (leading === undefined || leading.path.length < 2 || change.path.length > 1) return change;
    const stops = leading.path.slice(0, -1).map((one) => {
      const bundle = one === undefined ? undefined : context.atVersion(leading.component.id, fullVersion(one))?.bundle;
      return bundle === undefined ? undefined : context.inBundle(bundle, change.component.id);
    });
    return { ...change, path: [...between(change, stops), change.component] };
  });
}

/**
 * Stops that lie between what runs and the target, each newer than the one before; in other rounds
 * it stays.
 */
function between(
  { running, component }: Difference,
  stops: readonly (Component | undefined)[],
): readonly (Component | undefined)[] {
  let at = running
    .map(({ version }) => version)
    .filter(({ core }) => core !== undefined)
    .toSorted(compareReleases)[0];
  return stops.map((stop) => {
    if (stop === undefined || at === undefined) return undefined;
    const version = versionOf(stop);
    if (compareReleases(version, at) <= 0 || compareReleases(versionOf(component), version) <= 0) return undefined;
    at = version;
    return stop;
  });
}

/** The versions that a change stops at, oldest first, the target last. */
export function hopsOf({ path }: PlannedChange): readonly string[] {
  return path.flatMap((one) => (one === undefined ? [] : [fullVersion(one)]));
}

/** Programs of people belong to the whole fleet. */
function familyOf({ cluster }: Difference, context: PlannerContext): string {
  return cluster === undefined ? '' : context.familyOf(cluster.name);
}

function textOf(versions: readonly Version[]): string {
  return versions.map(({ text }) => text).join('\n');
}

function bytewise(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
