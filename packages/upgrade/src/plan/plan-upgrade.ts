import { canonicalJson } from '@isthmus/machinery';
import { upgradeGroup, upgradeVersion } from '../file-kind.ts';
import type { Finding } from '../finding.ts';
import { orderedFindings } from '../finding-order.ts';
import { fingerprintOf } from '../fleet/fingerprint.ts';
import { stateOf } from '../fleet/state-of.ts';
import { startViolations, violationsOf } from '../policy/skew/violations.ts';
import { boundPolicies } from './input/bound-policies.ts';
import { clusterGroups } from './paths/cluster-groups.ts';
import type { Difference } from './differences/cluster-change.ts';
import { findDifferences } from './differences/find-differences.ts';
import { groupFindings } from './checks/group-findings.ts';
import type { Differences } from './differences/find-differences.ts';
import type { PlannedChange, Stopping } from './paths/hop-paths.ts';
import { hopsOf, withHops } from './paths/hop-paths.ts';
import { hookFindings, openHooks } from './steps/hooks.ts';
import type { Move } from './order/move.ts';
import { movesOf } from './order/move.ts';
import type { Ordered } from './order/order-moves.ts';
import { orderMoves } from './order/order-moves.ts';
import type { Change, Plan } from './format/plan.ts';
import { plan } from './format/plan.ts';
import type { PlanInput } from './input/plan-input.ts';
import type { PlannerContext } from './input/planner-context.ts';
import { plannerContext } from './input/planner-context.ts';
import { planFinding } from './format/plan-finding.ts';
import { bundleFindings, changeFindings, requirementFindings } from './checks/plan-checks.ts';
import { stepsOfPlan } from './steps/plan-steps.ts';
import type { PlannedSteps } from './steps/plan-steps.ts';
import { leaveWaitingClients } from './order/waiting-clients.ts';
import { fits, waiveFindings } from './checks/waive-findings.ts';

/**
 * Plans an upgrade of a fleet to a bundle: pure, and equal inputs give equal bytes, whatever the order of what is in them.
 *
 * Guarantees: no state that the steps pass through, in any order that `after` allows, breaks a rule of the policies that blocks and always holds,
 * but for rules that a waiver names, and for least versions and Kubernetes windows that the fleet does not meet already at the start; applying all effects
 * gives the bundle, but for what is skipped; a blocked plan has no steps; a fleet that has the bundle gets none.
 *
 * The snapshot and the policies must have no problems: see `fleetProblems`, `policyProblems`.
 */
export function planUpgrade(input: PlanInput): Plan {
  const context = plannerContext(input);
  const today = input.snapshot.spec.takenAt;
  const differences = findDifferences(context);
  const start = stateOf(input.snapshot, { bundle: input.bundle.bundle });
  const { supportOf } = context;
  const standing = startViolations(start, context.rules, { supportOf }).filter(({ severity }) => severity !== 'info');
  const lenient = new Set(standing.filter((one) => isBorne(one, differences, context)).map(placeOf));
  const atStart = standing.map((one) => atTheStart(one, lenient));
  const tolerates = (finding: Finding) =>
    lenient.has(placeOf(finding)) || input.waivers.some((waiver) => fits(waiver, finding, today));
  const attempt = ({ moving }: Differences, stopping: Stopping) => {
    const { changes, findings } = withHops(moving, context, stopping);
    const moves = movesOfPlan(changes, context);
    return { changes, findings, moves, ordered: orderMoves(moves, start, { context, tolerates }) };
  };
  const best = (some: Differences) => {
    const first = attempt(some, 'as-rules-demand');
    const hasStops = first.changes.some(({ path }) => path.length > 1);
    const second = first.ordered.stuck.length > 0 && hasStops ? attempt(some, 'with-the-bundle') : first;
    return second.ordered.stuck.length === 0 ? second : first;
  };
  const usual = best(differences);
  const found = leaveWaitingClients(differences, usual.ordered, { context, start, tolerates });
  const { changes, findings: hopFindings, moves, ordered } = found === differences ? usual : best(found);
  const atEnd = violationsOf(ordered.end, context.rules, true, { supportOf });
  const hooks = openHooks(changes, context);
  const planned = stepsOfPlan(ordered.moves, { context, hooks, start, tolerates });

  const all = [
    ...found.findings,
    ...hopFindings,
    ...(ordered.stuck.length > 0 ? atStart : mended(atStart, atEnd)),
    ...(ordered.stuck.length > 0
      ? stuckFindings(ordered, { context, standing, hopFindings })
      : endFindings(atEnd, atStart, found)),
    ...hookFindings(hooks),
    ...unreachableFindings(context),
    ...bundleFindings(context),
    ...changeFindings(changes, context),
    ...requirementFindings(changes, context),
    ...planned.findings,
  ];
  const { findings, waived } = waiveFindings(unique(all), input.waivers, today);
  const isBlocked = findings.some(({ severity }) => severity === 'block');
  const steps = isBlocked ? [] : planned.steps;
  const isAtTarget = moves.length === 0 && planned.steps.length === 0;
  const outcome = isBlocked ? 'blocked' : isAtTarget ? 'up-to-date' : 'ready';
  const rows = [
    ...changes.map((one) => rowOf(one, isBlocked ? undefined : planned)),
    ...found.standing.map(standingRow),
  ];
  const spec: Plan['spec'] = {
    outcome,
    bundle: {
      name: input.bundle.bundle.metadata.name,
      number: input.bundle.bundle.spec.number,
      digest: input.bundle.digest,
    },
    snapshot: boundTo(input),
    policies: boundPolicies(input).map((one) => ({ ...one })),
    kubernetes: input.kubernetes,
    changes: rows.toSorted(by(({ id }) => id)),
    steps: outcome === 'ready' ? [...steps] : [],
    findings: orderedFindings(groupFindings(findings)).map((one) => ({
      ...one,
      subject: { ...one.subject },
      clusters: [...one.clusters],
    })),
    skipped: found.skipped
      .toSorted(by((one) => `${one.cluster ?? ''}\n${one.component ?? ''}\n${one.why}`))
      .map((one) => ({ ...one })),
    waived: [...waived, ...planned.waived].toSorted(by((one) => `${one.rule}\n${one.subject}\n${one.by}`)),
    notExamined: [...new Set(planned.notExamined)].toSorted(),
    pointOfNoReturn: outcome === 'ready' ? planned.pointOfNoReturn : undefined,
  };
  const name = `${input.bundle.bundle.metadata.name}-for-${input.snapshot.metadata.name}`.slice(0, 253);
  return { apiVersion: `${upgradeGroup}/${upgradeVersion}`, kind: plan.kind, metadata: { name }, spec };
}

function movesOfPlan(changes: readonly PlannedChange[], context: PlannerContext): readonly Move[] {
  const { waves } = context.input;
  const place = clusterGroups(context.clusters, waves, context.familyOf);
  const longest = (some: readonly PlannedChange[]) => some.reduce((most, { path }) => Math.max(most, path.length), 0);
  const rounds = new Map(
    [...Map.groupBy(changes, ({ family }) => family)].map(([family, some]) => [family, longest(some)] as const),
  );
  const all = longest(changes);
  return changes.flatMap((change) => {
    // What has fewer stops than others of its family comes to its target with them, in the last round; programs of people in the last one of all.
    const last = change.cluster === undefined ? all : (rounds.get(change.family) ?? 0);
    const firstRound = last - change.path.length;
    return movesOf(change, { place, nodesAtOnce: waves.nodesAtOnce, firstRound });
  });
}

function rowOf(change: PlannedChange, planned: PlannedSteps | undefined): Change {
  return { ...change.row, steps: [...(planned?.stepsOfChange.get(change.row.id) ?? [])], hops: [...hopsOf(change)] };
}

function standingRow({ row }: Difference): Change {
  return { ...row, steps: [], hops: [] };
}

function boundTo({ snapshot, sha256 }: PlanInput): Plan['spec']['snapshot'] {
  const { fleet, clusters } = fingerprintOf(snapshot, sha256);
  const { takenAt } = snapshot.spec;
  return { name: snapshot.metadata.name, takenAt, fingerprint: fleet, clusters: clusters.map((one) => ({ ...one })) };
}

/** What stands before the plan begins: it blocks, unless the plan bears it. */
function atTheStart(finding: Finding, lenient: ReadonlySet<string>): Finding {
  if (finding.severity !== 'block') return finding;
  const why = `${finding.why}; it is so before the plan begins`;
  return lenient.has(placeOf(finding)) ? { ...finding, severity: 'warn', why } : { ...finding, why };
}

/** What is broken at the start and not at the end is no warning: the plan is its cure. */
function mended(atStart: readonly Finding[], atEnd: readonly Finding[]): readonly Finding[] {
  const key = ({ rule, subject: { cluster, component } }: Finding) => JSON.stringify([rule, cluster, component]);
  const left = new Set(atEnd.map(key));
  return atStart.map((finding) => {
    if (finding.severity !== 'warn' || left.has(key(finding))) return finding;
    const { unblock: _, ...rest } = finding;
    return { ...rest, severity: 'info', why: `${finding.why}; the plan mends it` };
  });
}

/** Least versions and Kubernetes windows stop no step: an upgrade is what cures them. Nor does anything about what is left alone. */
function isBorne({ rule, subject }: Finding, found: Differences, { rules }: PlannerContext): boolean {
  return !rules.skew.some(({ id }) => id === rule) || leftAlone(found).has(subject.cluster ?? '');
}

function endFindings(atEnd: readonly Finding[], atStart: readonly Finding[], found: Differences): readonly Finding[] {
  const alone = leftAlone(found);
  const before = new Set(atStart.map(placeOf));
  return atEnd.flatMap((finding): readonly Finding[] => {
    const isAlone = finding.severity === 'block' && alone.has(finding.subject.cluster ?? '');
    const severity = isAlone ? 'warn' : finding.severity;
    if (severity === 'info') return [finding];
    // What is so from the start is told there.
    if (severity === 'warn' && before.has(placeOf(finding))) return [];
    return [{ ...finding, severity, why: `${finding.why}; it would be so at the end` }];
  });
}

function leftAlone({ skipped }: Differences): ReadonlySet<string> {
  return new Set(skipped.flatMap(({ cluster }) => cluster ?? []));
}

/** What else is known where no order was found. */
interface StuckContext {
  readonly context: PlannerContext;
  /** What is broken before the plan begins, as it is told already. */
  readonly standing: readonly Finding[];
  readonly hopFindings: readonly Finding[];
}

/**
 * What cannot move, with the rules that keep it. What only waits for it is not told, nor are programs of people beside a cluster, nor what
 * follows from a way that is too far: that is told by itself.
 */
function stuckFindings({ stuck }: Ordered, { context, standing, hopFindings }: StuckContext): readonly Finding[] {
  const { waivers, snapshot } = context.input;
  const isWaived = (one: Finding) => waivers.some((waiver) => fits(waiver, one, snapshot.spec.takenAt));
  const tooFar = hopFindings.filter((one) => one.severity === 'block' && !isWaived(one));
  const families = new Set(
    tooFar.map(({ subject }) => (subject.cluster === undefined ? '' : context.familyOf(subject.cluster))),
  );
  const follows = ({ move }: Ordered['stuck'][number]) =>
    families.has(move.family) || (move.cluster === undefined && families.size > 0);
  const own = stuck.filter((one) => !follows(one));
  const causes = own.filter(({ findings }) => findings.length > 0);
  const ofClusters = causes.filter(({ move }) => move.cluster !== undefined);
  const roots = ofClusters.length > 0 ? ofClusters : causes;
  const named = roots.length > 0 ? roots : own;
  const told = new Set(standing.map((one) => canonicalJson(one)));
  return [
    ...roots.flatMap(({ findings }) => findings.filter((one) => !told.has(canonicalJson(one)))),
    ...named.map(({ move: { cluster, component, change } }) =>
      planFinding(
        'plan.order',
        'block',
        { cluster: cluster?.name, component: component.id },
        {
          why: `no order of the steps was found in which ${component.id} gets from ${change.row.from.version || 'nothing'} to ${change.row.to.version} and all rules hold`,
          unblock:
            causes.length > 0
              ? 'see the rules beside this finding: go over a bundle with versions in between, or upgrade what they name first'
              : 'components wait for each other: look at what they require',
        },
      ),
    ),
  ];
}

function unreachableFindings({ clusters, input }: PlannerContext): readonly Finding[] {
  const dead = clusters.filter(({ reachable, paused }) => !reachable && !paused).map(({ name }) => name);
  if (dead.length <= input.unreachableAllowed) return [];
  const why = `${dead.length === 1 ? 'a cluster' : `${dead.length} clusters`} did not answer (${dead.join(', ')}), and ${input.unreachableAllowed} may`;
  return [planFinding('plan.unreachable', 'block', {}, { why, unblock: 'bring them back, pause them, or allow more' })];
}

function placeOf({ rule, subject: { cluster, component, node } }: Finding): string {
  return JSON.stringify([rule, cluster, component, node]);
}

function unique(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((one) => [canonicalJson(one), one])).values()];
}

function by<T>(text: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [text(a), text(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}
