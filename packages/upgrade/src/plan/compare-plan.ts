import type { Finding } from '../finding.ts';
import { fingerprintOf } from '../fleet/fingerprint.ts';
import type { FleetSnapshot } from '../fleet/fleet-snapshot.ts';
import { boundPolicies } from './input/bound-policies.ts';
import { planFinding } from './format/plan-finding.ts';
import type { PlanInput } from './input/plan-input.ts';
import type { Plan } from './format/plan.ts';

/**
 * The changes since a plan was made, because of which it must not be carried out any more
 * (docs/spec/upgrades.md §4). One finding for each cluster whose fingerprint differs, that is new
 * or that is gone, and one if only ClusterSets or clients changed. Empty: the plan still holds.
 */
function comparePlanWithSnapshot(
  { spec }: Plan,
  snapshot: FleetSnapshot,
  sha256: (text: string) => string,
): readonly Finding[] {
  const now = fingerprintOf(snapshot, sha256);
  const before = new Map(spec.snapshot.clusters.map((one) => [one.name, one.fingerprint]));
  const after = new Map(now.clusters.map((one) => [one.name, one.fingerprint]));
  const unblock = 'create a new plan from this snapshot';
  const stale = (cluster: string, what: string) =>
    planFinding(
      'plan.stale',
      'block',
      { cluster },
      { why: `${cluster} ${what} since the plan was created from ${spec.snapshot.takenAt}`, unblock },
    );
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const clusters = names.flatMap((name) => {
    if (!after.has(name)) return [stale(name, 'was removed')];
    if (!before.has(name)) return [stale(name, 'was added')];
    return before.get(name) === after.get(name) ? [] : [stale(name, 'has changed')];
  });
  if (clusters.length > 0 || now.fleet === spec.snapshot.fingerprint) return clusters;
  return [
    planFinding(
      'plan.stale',
      'block',
      {},
      { why: 'ClusterSets or clients have changed since the plan was created', unblock },
    ),
  ];
}

/** The input that a plan is compared with. */
export type PlanBounds = Pick<PlanInput, 'bundle' | 'snapshot' | 'policies' | 'policyDigests' | 'sha256'>;

/**
 * Why a plan must not be carried out with the given files: it leads to another bundle, was made
 * with other policies, or the fleet has changed since. Empty: it is still valid.
 */
export function comparePlan(plan: Plan, input: PlanBounds): readonly Finding[] {
  const { bundle, policies } = plan.spec;
  const unblock = 'create a new plan from these files, or use the files that it was created from';
  const block = (rule: 'plan.other-bundle' | 'plan.other-policy', why: string) =>
    planFinding(rule, 'block', {}, { why, unblock });
  const { name, number } = { name: input.bundle.bundle.metadata.name, number: input.bundle.bundle.spec.number };
  const now = new Map(boundPolicies(input).map((one) => [one.name, one.digest]));
  const then = new Map(policies.map((one) => [one.name, one.digest]));
  const names = [...new Set([...then.keys(), ...now.keys()])].toSorted();
  return [
    ...(bundle.digest === input.bundle.digest
      ? []
      : [
          block(
            'plan.other-bundle',
            `the plan is for bundle ${bundle.name} (number ${bundle.number}, digest ${bundle.digest}), but the given bundle is ${name} (number ${number}, digest ${input.bundle.digest})`,
          ),
        ]),
    ...names
      .filter((one) => then.get(one) !== now.get(one))
      .map((one) =>
        block(
          'plan.other-policy',
          !now.has(one)
            ? `the plan was created with policy ${one}, which was not given`
            : `policy ${one} has changed since the plan was created`,
        ),
      ),
    ...comparePlanWithSnapshot(plan, input.snapshot, input.sha256),
  ];
}
