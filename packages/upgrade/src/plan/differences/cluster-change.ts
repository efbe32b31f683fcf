import { fullVersion, revisionOf } from '../../bundle/components-of.ts';
import type { Component } from '../../bundle/component.ts';
import type { ClusterSnapshot, InstalledComponent } from '../../fleet/fleet-snapshot.ts';
import type { Running } from '../../fleet/live-versions.ts';
import { runningOf } from '../../fleet/live-versions.ts';
import { typeOf } from '../../bundle/type-of.ts';
import { compareReleases, compareVersions } from '../../version/compare-versions.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { compareRevisions } from '../../version/compare-revisions.ts';
import type { Comparison, Revision, Version } from '../../version/version.ts';
import type { Change } from '../format/plan.ts';

/** A component that differs from the bundle in one place, and what runs there now. */
export interface Difference {
  readonly row: Omit<Change, 'steps' | 'hops'>;
  readonly component: Component;
  /** Absent for programs of people. */
  readonly cluster?: ClusterSnapshot | undefined;
  /** All that runs of it, what has the target already included; empty where it is to be added. */
  readonly running: readonly Running[];
}

/**
 * The difference of a cluster's component from the bundle (docs/spec/upgrades.md §1.2–§1.4);
 * undefined if there is none. Running versions decide; recorded ones decide if no running version
 * was read. If several versions run, the one that needs the greatest change gives the relation.
 */
export function differenceOf(
  component: Component,
  cluster: ClusterSnapshot,
  installed: InstalledComponent | undefined,
): Difference | undefined {
  const target = revisionOf(component);
  const to = { version: target.version.text, digests: { ...target.digests }, source: 'bundle' as const, versions: [] };
  const base = {
    id: `${cluster.name}/${component.id}`,
    component: component.id,
    type: typeOf(component),
    displayName: component.displayName ?? component.id,
    cluster: cluster.name,
    scope: scopeOf(component),
    to,
    method: component.method,
  };
  const running = installed === undefined ? [] : runningOf(installed, component.version.scheme);
  if (installed === undefined || (installed.recorded === undefined && running.length === 0)) {
    const from = { version: '', digests: {}, source: 'none' as const, versions: [] };
    const reasons = ['it is not installed, and the bundle requires it in this cluster'];
    return { row: { ...base, from, relation: 'added', orderKnown: true, reasons }, component, cluster, running: [] };
  }
  const compared = running.map((one) => compareRevisions(revisionOfRunning(one, installed), target));
  const worst = greatest(compared);
  if (worst === undefined || worst.relation === 'same') return undefined;
  const oldest = sortedVersions(running);
  const reasons = [worst.reason, ...recordedDiffers(installed, running)];
  return {
    row: {
      ...base,
      from: {
        version: oldest[0] ?? '',
        digests: { ...digestsOf(running[0], installed) },
        source: sourceOf(installed, running),
        versions: oldest.length > 1 ? [...oldest] : [],
      },
      relation: worst.relation,
      orderKnown: worst.order !== 'unknown',
      reasons,
    },
    component,
    cluster,
    running,
  };
}

/** Which of the versions that run differ from the target, and so move. */
export function isAtTarget(one: Running, component: Component, installed?: InstalledComponent): boolean {
  return compareRevisions(revisionOfRunning(one, installed), revisionOf(component)).relation === 'same';
}

/** Reports that the recorded and the running versions differ (docs/spec/upgrades.md §4). */
export function recordedDiffers(installed: InstalledComponent, running: readonly Running[]): readonly string[] {
  const recorded = installed.recorded?.version;
  const others = sortedVersions(running.filter(({ version }) => !isVersion(version, recorded)));
  const isKnown = others.length === 0 && (running.some(({ version }) => version.text !== '') || recorded === '');
  if (recorded === undefined || installed.live.length === 0 || isKnown) return [];
  const what = recorded === '' ? 'nothing is recorded' : `the recorded version is ${recorded}`;
  return [`the recorded version differs: ${what}, but ${others.join(', ') || 'nothing'} runs`];
}

/** Whether this is the recorded version, in any spelling. */
function isVersion(version: Version, recorded: string | undefined): boolean {
  return recorded !== undefined && compareVersions(parseVersion(recorded, version.scheme), version) === 'equal';
}

/** The texts of the versions that run, oldest first, each once. */
export function sortedVersions(running: readonly Running[]): readonly string[] {
  const versions = running.map(({ version }) => version).filter(({ text }) => text !== '');
  const sorted = versions.toSorted((a, b) => compareReleases(a, b) || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return [...new Set(sorted.map(({ text }) => text))];
}

/**
 * The change of a client program; undefined if all its instances have the version of the bundle.
 */
export function clientDifference(component: Component, running: readonly Running[]): Difference | undefined {
  const target = revisionOf(component);
  const worst = greatest(running.map(({ version, digests }) => compareRevisions({ version, digests }, target)));
  if (worst === undefined || worst.relation === 'same') return undefined;
  const versions = sortedVersions(running);
  return {
    row: {
      id: component.id,
      component: component.id,
      type: typeOf(component),
      displayName: component.displayName ?? component.id,
      scope: 'client',
      from: {
        version: versions[0] ?? '',
        digests: {},
        source: 'live',
        versions: versions.length > 1 ? [...versions] : [],
      },
      to: { version: fullVersion(component), digests: { ...target.digests }, source: 'bundle', versions: [] },
      relation: worst.relation,
      orderKnown: worst.order !== 'unknown',
      reasons: [worst.reason],
      method: component.method,
    },
    component,
    running,
  };
}

/** Worst last. */
const weights = ['same', 'content-drift', 'rebuild', 'patch', 'minor', 'major', 'unknown', 'downgrade'] as const;

function greatest(compared: readonly Comparison[]): Comparison | undefined {
  return compared.toSorted((a, b) => weights.indexOf(b.relation) - weights.indexOf(a.relation))[0];
}

function revisionOfRunning(one: Running, installed: InstalledComponent | undefined): Revision {
  return { version: one.version, digests: digestsOf(one, installed) };
}

/**
 * The digests that were seen. If none were seen and the recorded version runs, the recorded
 * digests.
 */
function digestsOf(
  one: Running | undefined,
  installed: InstalledComponent | undefined,
): Readonly<Record<string, string>> {
  if (one === undefined) return {};
  const isRecorded = isVersion(one.version, installed?.recorded?.version);
  return Object.keys(one.digests).length === 0 && isRecorded ? (installed?.recorded?.digests ?? {}) : one.digests;
}

function sourceOf(installed: InstalledComponent, running: readonly Running[]): 'recorded' | 'live' | 'both' {
  if (installed.live.length === 0) return 'recorded';
  const same = running.every(({ version }) => isVersion(version, installed.recorded?.version));
  return same ? 'both' : 'live';
}

function scopeOf(component: Component): 'management' | 'cluster' | 'node' | 'client' {
  const isManagement = component.roles !== undefined && component.roles.every((role) => role === 'management');
  return component.scope === 'cluster' && isManagement ? 'management' : component.scope;
}
