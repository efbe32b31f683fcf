import { componentsFor, isDisabled, kubernetesMinors, placedComponents } from '../../bundle/components-of.ts';
import type { Component } from '../../bundle/component.ts';
import type { Finding, Place, Subject } from '../../finding.ts';
import type { ClusterSnapshot, InstalledComponent } from '../../fleet/fleet-snapshot.ts';
import type { Running } from '../../fleet/live-versions.ts';
import { runningOf } from '../../fleet/live-versions.ts';
import { compareMinors } from '../../policy/kubernetes-window.ts';
import { typeOf } from '../../bundle/type-of.ts';
import { namesText } from '../../fleet/where-text.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { Difference } from './cluster-change.ts';
import { clientDifference, differenceOf, recordedDiffers } from './cluster-change.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { kubernetesOf, leftAlone, targetsOf } from '../input/planner-context.ts';
import type { Plan } from '../format/plan.ts';
import { planFinding } from '../format/plan-finding.ts';

type Skipped = Plan['spec']['skipped'][number];

/** All differences, those that are left alone with the reason, and the findings about them. */
export interface Differences {
  /** Those that the plan carries out. */
  readonly moving: readonly Difference[];
  /** Those that it only shows: skipped, or switched off in the bundle. */
  readonly unchanged: readonly Difference[];
  readonly skipped: readonly Skipped[];
  readonly findings: readonly Finding[];
}

/** The clusters that are left alone, or of which a component is. */
export function clustersLeftAlone({ skipped }: Differences): ReadonlySet<string> {
  return new Set(skipped.flatMap(({ cluster }) => cluster ?? []));
}

/**
 * Why a component of a cluster is left alone, by itself or with the whole cluster; undefined where
 * it is not.
 */
export type WhyLeftAlone = (place: Place) => string | undefined;

export function whyLeftAlone({ skipped }: Differences): WhyLeftAlone {
  const keyOf = (cluster = '', component = '') => `${cluster}\n${component}`;
  const reasons = new Map(skipped.map(({ cluster, component, why }) => [keyOf(cluster, component), why]));
  return ({ cluster, component }) => reasons.get(keyOf(cluster)) ?? reasons.get(keyOf(cluster, component));
}

/**
 * Compares every cluster and every program of people with the bundle. Clusters that are unreachable
 * or paused are left alone and reported.
 */
export function findDifferences(context: PlannerContext): Differences {
  const moving: Difference[] = [];
  const unchanged: Difference[] = [];
  const skipped: Skipped[] = [];
  const findings: Finding[] = [];
  for (const cluster of context.clusters) {
    const { components, problem } = targetsOf(cluster, context);
    const whole = leftAlone(cluster, context.input);
    if (whole !== undefined) skipped.push({ cluster: cluster.name, why: whole });
    if (problem !== undefined) findings.push(...(whole === undefined ? [notInBundle(cluster, problem, context)] : []));
    if (whole === undefined) findings.push(...notReady(cluster));
    // The content of a cluster that was never read is unknown: its components may not be missing.
    if (!cluster.reachable && cluster.components.length === 0) continue;
    const installed = new Map(cluster.components.map((one) => [one.id, one]));
    for (const component of components) {
      const one = installed.get(component.id);
      const difference = differenceOf(component, cluster, one);
      if (difference === undefined) {
        findings.push(...(one === undefined ? [] : recordedFindings(cluster, one, component)));
        continue;
      }
      if (one?.skip !== undefined) skipped.push({ cluster: cluster.name, component: component.id, why: one.skip });
      const isLeftAlone = whole !== undefined || one?.skip !== undefined;
      (isLeftAlone ? unchanged : moving).push(difference);
      if (!isLeftAlone) findings.push(...aboutChange(difference, cluster));
    }
    for (const off of disabledIn(cluster, components, context)) {
      unchanged.push(off);
      skipped.push({ cluster: cluster.name, component: off.component.id, why: 'the bundle disables it' });
    }
  }
  moving.push(...clientDifferences(context));
  return waitingForLeader({ moving, unchanged, skipped, findings }, context);
}

function notInBundle(cluster: ClusterSnapshot, problem: string, { input }: PlannerContext): Finding {
  const minors = kubernetesMinors(input.bundle.bundle).join(', ');
  const unblock = `choose a Kubernetes minor that the bundle has (--kubernetes, ${minors}), or a bundle that has this one`;
  return planFinding('plan.kubernetes', 'block', { cluster: cluster.name }, { why: problem, unblock });
}

function recordedFindings(
  cluster: ClusterSnapshot,
  installed: ClusterSnapshot['components'][number],
  component: Component,
): readonly Finding[] {
  const subject = { cluster: cluster.name, component: component.id };
  return recordedDiffers(installed, runningOf(installed, component.version.scheme)).map((why) =>
    planFinding('plan.recorded-differs', 'info', subject, { why }),
  );
}

/**
 * Reports components that were not ready when the fleet was read, so that users know before an
 * upgrade begins.
 */
function notReady(cluster: ClusterSnapshot): readonly Finding[] {
  return cluster.components.flatMap(({ id, live }): readonly Finding[] => {
    const bad = live.filter(({ ready }) => !ready);
    if (bad.length === 0) return [];
    const where = namesText(bad.flatMap(({ node, name }) => node ?? name ?? []));
    const why = `${id} was not ready${where === '' ? '' : ` (${where})`} when the snapshot was taken`;
    const unblock = 'find the cause before the upgrade, and take a new snapshot';
    return [planFinding('plan.not-ready', 'warn', { cluster: cluster.name, component: id }, { why, unblock })];
  });
}

function aboutChange({ row, running, component }: Difference, cluster: ClusterSnapshot): readonly Finding[] {
  const subject = { cluster: cluster.name, component: component.id };
  const installed = cluster.components.find(({ id }) => id === component.id);
  const lost = installed?.handSet ?? [];
  const odd = running.filter(({ version }) => version.core === undefined && component.version.scheme !== 'opaque');
  return [
    ...(lost.length === 0
      ? []
      : [
          planFinding('plan.hand-set', 'warn', subject, {
            why: `manually set arguments will be lost: ${lost.join(', ')}`,
            unblock: 'move them to the configuration of the component, or set them again afterwards',
          }),
        ]),
    ...(row.relation === 'added' ? [] : odd.slice(0, 1).map((one) => unknownVersion(one, installed, subject))),
  ];
}

/**
 * A running tag that is not a version is a build of the user's own: nothing is changed. A wrong
 * record is not an obstacle (docs/spec/upgrades.md §4).
 */
function unknownVersion({ version }: Running, installed: InstalledComponent | undefined, subject: Subject): Finding {
  const runs = version.text !== '' && installed?.live.some((live) => live.version === version.text) === true;
  const what =
    version.text === ''
      ? 'no version is known'
      : `${runs ? 'what runs is' : 'recorded is'} ${JSON.stringify(version.text)}`;
  return planFinding('plan.unknown-version', runs ? 'block' : 'warn', subject, {
    why: `the version cannot be compared: ${what}; rules about it could not be checked`,
    unblock: runs
      ? 'upgrade to a released version first, or waive this finding if the upgrade is supported'
      : 'check that an upgrade from it is supported',
  });
}

function disabledIn(
  cluster: ClusterSnapshot,
  components: readonly Component[],
  { input }: PlannerContext,
): readonly Difference[] {
  const wanted = new Set(components.map(({ id }) => id));
  const minor = input.kubernetes ?? kubernetesOf(cluster);
  const off = placedComponents(input.bundle.bundle).filter(
    (one) =>
      (one.minor === undefined || one.minor === minor) && isDisabled(one.component) && !wanted.has(one.component.id),
  );
  const byId = new Map(off.map(({ component }) => [component.id, component]));
  return cluster.components
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap((installed) => {
      const component = byId.get(installed.id);
      const difference = component === undefined ? undefined : differenceOf(component, cluster, installed);
      if (difference === undefined || component === undefined) return [];
      const reasons = [`the bundle has no version of it: ${component.version.upstream}`];
      return [{ ...difference, row: { ...difference.row, relation: 'disabled' as const, orderKnown: true, reasons } }];
    });
}

function clientDifferences(context: PlannerContext): readonly Difference[] {
  const { bundle, snapshot, kubernetes } = context.input;
  const minors = context.clusters.map(kubernetesOf).filter((one) => one !== undefined);
  const newest = minors.toSorted(compareMinors).at(-1);
  const clients = componentsFor(bundle.bundle, kubernetes ?? newest).filter(({ scope }) => scope === 'client');
  return clients.flatMap((component) => {
    const running: readonly Running[] = snapshot.spec.clients
      .filter((one) => one.component === component.id)
      .map(({ version, name }) => ({ version: parseVersion(version, component.version.scheme), name, digests: {} }))
      .toSorted((a, b) =>
        (a.name ?? '') < (b.name ?? '')
          ? -1
          : (a.name ?? '') > (b.name ?? '')
            ? 1
            : a.version.text < b.version.text
              ? -1
              : 1,
      );
    const difference = running.length === 0 ? undefined : clientDifference(component, running);
    return difference === undefined ? [] : [difference];
  });
}

/** A change that must follow another cluster is left alone if that cluster is left alone. */
function waitingForLeader(found: Differences, context: PlannerContext): Differences {
  const behind = found.unchanged.filter(({ row }) => row.relation !== 'disabled');
  const setOf = new Map(context.clusters.map(({ name, clusterSet }) => [name, clusterSet]));
  const whyAlone = whyLeftAlone(found);
  const reasonFor = ({ component, cluster }: Difference): string | undefined => {
    const set = setOf.get(cluster?.name ?? '');
    if (set === undefined) return undefined;
    const reasons = context.rules.order
      .filter(({ scope, next }) => scope === 'clusterset' && next === typeOf(component))
      .flatMap(({ id, first }) => {
        const leader = behind.find(
          (one) => typeOf(one.component) === first && setOf.get(one.cluster?.name ?? '') === set,
        );
        if (leader?.cluster === undefined) return [];
        const place = { cluster: leader.cluster.name, component: leader.component.id };
        return [
          `${id}: ${place.component} must be upgraded first, and is skipped in ${place.cluster}: ${whyAlone(place)}`,
        ];
      });
    return reasons[0];
  };
  const waiting = found.moving.map((difference) => ({ difference, why: reasonFor(difference) }));
  return {
    ...found,
    moving: waiting.filter(({ why }) => why === undefined).map(({ difference }) => difference),
    unchanged: [
      ...found.unchanged,
      ...waiting.filter(({ why }) => why !== undefined).map(({ difference }) => difference),
    ],
    skipped: [
      ...found.skipped,
      ...waiting.flatMap(({ difference: { cluster, component }, why }) =>
        why === undefined ? [] : [{ cluster: cluster?.name, component: component.id, why }],
      ),
    ],
  };
}
