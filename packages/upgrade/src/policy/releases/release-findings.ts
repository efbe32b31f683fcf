import type { CustomResourceDefinition } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import type { Component } from '../../bundle/component.ts';
import { placedComponents } from '../../bundle/components-of.ts';
import type { LoadedBundle } from '../../bundle/loaded-bundle.ts';
import type { CrdFinding } from '../../crd/crd-finding.ts';
import { findingOfCrd } from '../../crd/finding-of-crd.ts';
import { readDefinition } from '../../crd/read-definition.ts';
import { orderedFindings } from '../../finding-order.ts';
import type { Finding } from '../../finding.ts';
import { compareReleases } from '../../version/compare-versions.ts';
import { minorOf, parseVersion } from '../../version/parse-version.ts';
import type { Version } from '../../version/version.ts';
import type { AggregatedApi } from './aggregated-apis.ts';
import { aggregatedApis, apisWithout } from './aggregated-apis.ts';
import type { ApiHistory } from './api-history.ts';
import { aggregatedBreaches, apiBreaches, rulesFor, silentDeprecations } from './api-promises.ts';
import type { PatchReleaseRule } from '../change-rules.ts';
import type { Policy } from '../policy.ts';
import { releaseNotes } from './release-notes.ts';
import { typeOf } from '../../bundle/type-of.ts';

/** The context for judging a release. */
export interface ReleaseContext {
  readonly policies: readonly Policy[];
  readonly histories: readonly ApiHistory[];
  /** RFC 3339. */
  readonly now: string;
  /** Checks a changed CRD for servers of any version. */
  readonly checkCrd: (old: CustomResourceDefinition, next: CustomResourceDefinition) => readonly CrdFinding[];
}

/** The result of a comparison of two bundles. */
export interface ReleaseReport {
  readonly findings: readonly Finding[];
  /** Manifests that were not available, in sentences: their CRDs were not checked. */
  readonly notExamined: readonly string[];
}

/**
 * The promises that the components of a bundle break compared with an older bundle: what patches
 * must not change (docs/spec/upgrades.md §2.4, D4: API versions, compatibility of CRDs, what they
 * are built from), how API versions are deprecated and removed (D1 to D3, D5, D7), and known facts
 * about the releases themselves. A component that only one of the bundles has is not compared.
 */
export function releaseFindings(old: LoadedBundle, next: LoadedBundle, context: ReleaseContext): ReleaseReport {
  const before = new Map(placedComponents(old.bundle).map((placed) => [keyOf(placed), placed.component]));
  const findings = placedComponents(next.bundle).flatMap((placed) => {
    const [was, { component }] = [before.get(keyOf(placed)), placed];
    if (was === undefined) return [];
    const versions = { from: versionOf(was), to: versionOf(component) };
    const definitions = pairs(definitionsOf(was, old), definitionsOf(component, next));
    const apis = changedApis(objectsOf(was, old), objectsOf(component, next));
    return [
      ...patchFindings({ was, component, versions, definitions, apis }, context),
      ...apiFindings(versions, definitions, context),
      ...apis.gone.flatMap((api) => aggregatedBreaches(api, { ...context, release: versions })),
      ...releaseNotes(versions.from, versions.to, typeOf(component), context.policies),
    ];
  });
  // Components of one unit share their manifest, and its findings.
  const once = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return { findings: orderedFindings([...once.values()]), notExamined: [...unread(old), ...unread(next)] };
}

/** A component of one Kubernetes minor is compared with itself alone. */
function keyOf({ component, minor = '' }: { readonly component: Component; readonly minor?: string | undefined }) {
  return `${minor} ${component.id}`;
}

interface Versions {
  readonly from: Version;
  readonly to: Version;
}

type DefinitionPair = readonly [
  string,
  { readonly old?: CustomResourceDefinition | undefined; readonly next?: CustomResourceDefinition | undefined },
];

interface Change {
  readonly was: Component;
  readonly component: Component;
  readonly versions: Versions;
  readonly definitions: readonly DefinitionPair[];
  readonly apis: ChangedApis;
}

/** Aggregated APIs that a release adds and removes; empty if a manifest was not available. */
interface ChangedApis {
  readonly added: readonly AggregatedApi[];
  readonly gone: readonly AggregatedApi[];
}

/** Changes in a patch or a rebuild that only a minor may make. */
function patchFindings(
  { was, component, versions, definitions, apis }: Change,
  context: ReleaseContext,
): readonly Finding[] {
  const minor = minorOf(versions.from);
  if (minor === undefined || minor !== minorOf(versions.to)) return [];
  const rules = context.policies.flatMap(({ spec }) => spec.patchReleases);
  return rules
    .filter((rule) => rule.component === typeOf(component))
    .flatMap((rule) => [
      ...dependencyFindings(rule, was, component),
      ...(rule.features ? featureFindings(rule, component, versions, context.policies) : []),
      ...(rule.apis ? definitions.flatMap((pair) => changedVersions(rule, pair)) : []),
      ...(rule.apis ? aggregatedChanges(rule, apis) : []),
      ...(rule.crdSchemas ? definitions.flatMap((pair) => incompatibilities(rule, pair, context)) : []),
    ]);
}

function dependencyFindings(rule: PatchReleaseRule, was: Component, component: Component): readonly Finding[] {
  const names = [...new Set([...Object.keys(was.builtFrom), ...Object.keys(component.builtFrom)])].toSorted();
  return names.flatMap((name): readonly Finding[] => {
    const mode = modeOf(name, rule);
    if (mode === undefined) return [];
    const [from, to] = [was.builtFrom[name], component.builtFrom[name]];
    const subject = { component: component.id, path: `builtFrom.${name}` };
    if (from === undefined || to === undefined) {
      const why = `${component.id} does not list the version of ${name} for both releases`;
      return [{ rule: rule.id, severity: 'info', subject, why, source: rule.source }];
    }
    if (mode === 'exact' ? from === to : minorText(from) === minorText(to)) return [];
    const what = mode === 'exact' ? name : `the minor of ${name}`;
    return [
      {
        rule: rule.id,
        severity: rule.severity,
        subject,
        why: `${component.id} is a patch release and changes ${what}: ${from} → ${to}`,
        unblock: `build it with ${name} ${mode === 'exact' ? from : minorText(from)}, or waive it if an important fix needs the change`,
        source: rule.source,
      },
    ];
  });
}

/** Features of which a stage begins with a patch after the old release. */
function featureFindings(
  rule: PatchReleaseRule,
  component: Component,
  { from, to }: Versions,
  policies: readonly Policy[],
): readonly Finding[] {
  const isBetween = (since: string) => {
    const version = parseVersion(since);
    return compareReleases(version, from) > 0 && compareReleases(version, to) <= 0;
  };
  return policies
    .flatMap(({ spec }) => spec.features)
    .filter((feature) => feature.component === typeOf(component))
    .flatMap(({ name, stages, source }) =>
      stages
        .filter(({ since }) => isBetween(since))
        .map(({ stage, since }) => ({
          rule: rule.id,
          severity: rule.severity,
          subject: { component: component.id },
          why: `${component.id} is a patch release, and ${name} is ${stage} since ${since} (${source}): features are added and changed only in minors`,
          unblock: 'move it to the next minor',
          source: rule.source,
        })),
    );
}

/**
 * How much of a dependency's version must stay the same: by its name, or else by the longest
 * prefix.
 */
function modeOf(name: string, { dependencies }: PatchReleaseRule): 'minor' | 'exact' | undefined {
  const prefixes = Object.keys(dependencies).filter((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)));
  const key = Object.hasOwn(dependencies, name) ? name : prefixes.toSorted((a, b) => b.length - a.length)[0];
  return key === undefined ? undefined : dependencies[key];
}

/** `1.22` of `go1.22.3`; the whole text where there is no number with a dot. */
function minorText(text: string): string {
  return /\d+\.\d+/.exec(text)?.[0] ?? text;
}

/** D4. */
function changedVersions(rule: PatchReleaseRule, [name, { old, next }]: DefinitionPair): readonly Finding[] {
  const served = (definition: CustomResourceDefinition | undefined) =>
    definition?.spec.versions.filter((version) => version.served).map((version) => version.name) ?? [];
  const [before, after] = [served(old), served(next)];
  const changes = [
    ...after.filter((version) => !before.includes(version)).map((version) => ['adds', version] as const),
    ...before.filter((version) => !after.includes(version)).map((version) => ['removes', version] as const),
  ];
  return changes.map(([verb, version]) => ({
    rule: 'P04',
    severity: rule.severity,
    subject: { object: name, path: version },
    why: `a patch release ${verb} ${version} of ${name}; API versions are added and removed only in minors (${rule.id})`,
    unblock: verb === 'adds' ? 'add it in the next minor' : 'serve it until the next minor',
    source: rule.source,
  }));
}

function aggregatedChanges(rule: PatchReleaseRule, { added, gone }: ChangedApis): readonly Finding[] {
  const finding = (verb: string, { group, version }: AggregatedApi): Finding => ({
    rule: 'P04',
    severity: rule.severity,
    subject: { object: group, path: version },
    why: `a patch release ${verb} ${version} of ${group}; API versions are added and removed only in minors (${rule.id})`,
    unblock: verb === 'adds' ? 'add it in the next minor' : 'serve it until the next minor',
    source: rule.source,
  });
  return [...added.map((api) => finding('adds', api)), ...gone.map((api) => finding('removes', api))];
}

function incompatibilities(
  rule: PatchReleaseRule,
  [, { old, next }]: DefinitionPair,
  { checkCrd }: ReleaseContext,
): readonly Finding[] {
  if (old === undefined || next === undefined) return [];
  return checkCrd(old, next)
    .filter(({ severity }) => ['X', 'B', 'C'].includes(severity))
    .map((found) => {
      const { severity, why, ...finding } = findingOfCrd(found);
      const reported = `${why}; patch releases must be compatible (${rule.id})`;
      return { ...finding, severity: severity === 'info' ? severity : rule.severity, why: reported };
    });
}

/** D1 to D3, D5, D7. D4 already covers removals by a patch, if there is a rule about patches. */
function apiFindings(
  release: Versions,
  definitions: readonly DefinitionPair[],
  context: ReleaseContext,
): readonly Finding[] {
  return definitions.flatMap(([, { old, next }]) => {
    const group = (next ?? old)?.spec.group ?? '';
    const isPromised = rulesFor(group, context.policies).length > 0;
    return [
      ...apiBreaches(old, next, { ...context, release }).map(({ finding }) => finding),
      ...(next === undefined || !isPromised ? [] : silentDeprecations(next)),
    ];
  });
}

function versionOf({ version: { upstream, scheme } }: Component): Version {
  return parseVersion(upstream, scheme);
}

/** The objects of a component; undefined if none of its manifests was available. */
function objectsOf({ artifacts }: Component, { contents }: LoadedBundle): readonly KubernetesObject[] | undefined {
  const manifests = artifacts.flatMap(({ digest = '' }) => {
    const objects = contents.get(digest);
    return objects === undefined ? [] : [objects];
  });
  return manifests.length === 0 ? undefined : manifests.flat();
}

function changedApis(
  old: readonly KubernetesObject[] | undefined,
  next: readonly KubernetesObject[] | undefined,
): ChangedApis {
  if (old === undefined || next === undefined) return { added: [], gone: [] };
  const [before, after] = [aggregatedApis(old), aggregatedApis(next)];
  return { added: apisWithout(after, before), gone: apisWithout(before, after) };
}

/** The CRDs of a component by name; undefined if none of its manifests was available. */
function definitionsOf(component: Component, bundle: LoadedBundle) {
  const objects = objectsOf(component, bundle);
  if (objects === undefined) return undefined;
  const definitions = objects
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .map((object) => readDefinition(object))
    .flatMap((reading) => (reading.kind === 'read' ? [reading.definition] : []));
  return new Map(definitions.map((definition) => [definition.metadata.name ?? '', definition]));
}

type Definitions = ReadonlyMap<string, CustomResourceDefinition> | undefined;

/** CRDs of both sides; where one side is not known, those of the new one as they are. */
function pairs(old: Definitions, next: Definitions): readonly DefinitionPair[] {
  if (next === undefined) return [];
  const before = old ?? next;
  const names = [...new Set([...before.keys(), ...next.keys()])].toSorted();
  return names.map((name) => [name, { old: before.get(name), next: next.get(name) }]);
}

function unread({ bundle, contents }: LoadedBundle): readonly string[] {
  const lines = placedComponents(bundle).flatMap(({ component: { id, artifacts } }) =>
    artifacts
      .filter(({ kind, digest = '' }) => (kind === 'manifest' || kind === 'crdset') && !contents.has(digest))
      .map(({ name }) => `${bundle.metadata.name}: ${name} of ${id} was not available; its CRDs were not checked`),
  );
  // A component can be in the entry of each Kubernetes minor.
  return [...new Set(lines)];
}
