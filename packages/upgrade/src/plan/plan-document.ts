import { upgradeGroup, upgradeVersion } from '../file-kind.ts';
import { withoutBeside } from '../finding.ts';
import { orderedFindings } from '../finding-order.ts';
import { fingerprintOf } from '../fleet/fingerprint.ts';
import { groupFindings } from './checks/group-findings.ts';
import { idleWaivers } from './checks/idle-waivers.ts';
import type { Judged } from './checks/waive-findings.ts';
import type { Change, Plan } from './format/plan.ts';
import { plan } from './format/plan.ts';
import { boundPolicies } from './input/bound-policies.ts';
import type { PlanInput } from './input/plan-input.ts';
import type { Route } from './order/find-route.ts';
import type { PlannedChange } from './paths/hop-paths.ts';
import { hopsOf } from './paths/hop-paths.ts';
import { estimateTimes } from './steps/estimate-times.ts';
import type { PlannedSteps } from './steps/plan-steps.ts';

/**
 * The plan as a file: its outcome, and all that was decided, in an order of its own, so that equal
 * plans are equal bytes.
 */
export function planDocument(
  input: PlanInput,
  { differences, changes, moves }: Route,
  planned: PlannedSteps,
  { findings, waived, accepted }: Judged,
): Plan {
  const { metadata, spec } = input.bundle.bundle;
  const isBlocked = findings.some(({ severity }) => severity === 'block');
  const isAtTarget = moves.length === 0 && planned.steps.length === 0;
  const outcome = isBlocked ? 'blocked' : isAtTarget ? 'up-to-date' : 'ready';
  const rows = [
    ...changes.map((one) => rowOf(one, isBlocked ? undefined : planned)),
    ...differences.unchanged.map(({ row }): Change => ({ ...row, steps: [], hops: [] })),
  ];
  return {
    apiVersion: `${upgradeGroup}/${upgradeVersion}`,
    kind: plan.kind,
    metadata: { name: `${metadata.name}-for-${input.snapshot.metadata.name}`.slice(0, 253) },
    spec: {
      outcome,
      bundle: { name: metadata.name, number: spec.number, digest: input.bundle.digest },
      snapshot: boundSnapshot(input),
      policies: boundPolicies(input).map((one) => ({ ...one })),
      kubernetes: input.kubernetes,
      changes: rows.toSorted(by(({ id }) => id)),
      steps: outcome === 'ready' ? [...planned.steps] : [],
      findings: orderedFindings(groupFindings(findings.map(withoutBeside))).map((one) => ({
        ...one,
        subject: { ...one.subject },
        clusters: [...one.clusters],
      })),
      skipped: differences.skipped
        .toSorted(by((one) => `${one.cluster ?? ''}\n${one.component ?? ''}\n${one.why}`))
        .map((one) => ({ ...one })),
      leftOut: [],
      waived: waived.toSorted(by((one) => `${one.rule}\n${one.subject}\n${one.by}`)),
      // A blocked plan does not show which waivers it would need.
      idleWaivers: isBlocked ? [] : idleWaivers(input.waivers, accepted, input.snapshot.spec.takenAt),
      notExamined: [...new Set(planned.notExamined)].toSorted(),
      estimates: outcome === 'ready' ? estimateTimes(planned.steps, input.snapshot) : [],
      pointOfNoReturn: outcome === 'ready' ? planned.pointOfNoReturn : undefined,
    },
  };
}

function rowOf(change: PlannedChange, planned: PlannedSteps | undefined): Change {
  return { ...change.row, steps: [...(planned?.stepsOfChange.get(change.row.id) ?? [])], hops: [...hopsOf(change)] };
}

function boundSnapshot({ snapshot, sha256 }: PlanInput): Plan['spec']['snapshot'] {
  const { fleet, clusters } = fingerprintOf(snapshot, sha256);
  const { takenAt } = snapshot.spec;
  const contexts = new Map(snapshot.spec.clusters.map(({ name, context }) => [name, context]));
  return {
    name: snapshot.metadata.name,
    takenAt,
    fingerprint: fleet,
    clusters: clusters.map((one) => {
      const context = contexts.get(one.name);
      return { ...one, ...(context === undefined ? {} : { context }) };
    }),
  };
}

function by<T>(text: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [text(a), text(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}
