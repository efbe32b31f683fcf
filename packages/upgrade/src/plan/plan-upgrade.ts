import { canonicalJson } from '@isthmus/machinery';
import type { Finding } from '../finding.ts';
import { startedRoute } from './checks/cure-start.ts';
import { startAndEndFindings } from './checks/end-findings.ts';
import { fleetFindings } from './checks/plan-checks.ts';
import { stuckFindings } from './checks/stuck-findings.ts';
import { misplacedComponentFindings } from './checks/misplaced-components.ts';
import { oldReadingFindings } from './checks/old-reading-findings.ts';
import { sharedUidFindings } from './checks/shared-uids.ts';
import { withSkippedAdvice } from './checks/skipped-advice.ts';
import { takenPlaceFindings } from './checks/taken-places.ts';
import { unknownComponentFindings } from './checks/unknown-components.ts';
import { waiveFindings } from './checks/waive-findings.ts';
import { findDifferences, whyLeftAlone } from './differences/find-differences.ts';
import type { Plan } from './format/plan.ts';
import type { PlanInput } from './input/plan-input.ts';
import { plannerContext } from './input/planner-context.ts';
import { planDocument } from './plan-document.ts';
import { hookFindings, openHooks } from './steps/hooks.ts';
import { stepsOfPlan } from './steps/plan-steps.ts';

/**
 * Plans an upgrade of a fleet to a bundle: pure, and equal inputs give equal bytes, for any order
 * of their lists.
 *
 * Guarantees: in any order that `after` allows, no state between the steps breaks a rule of the
 * policies that blocks and always holds. The exceptions are rules that a waiver names, and breaches
 * that exist at the start: least versions and Kubernetes windows, and skew that holds at the end,
 * of components that do not move to another version that breaks it. Applying all effects gives the
 * bundle, except for skipped components. A blocked plan has no steps; a fleet that has the bundle
 * gets none.
 *
 * The snapshot and the policies must have no problems: see `fleetProblems`, `policyProblems`.
 */
export function planUpgrade(input: PlanInput): Plan {
  const context = plannerContext(input);
  const differences = findDifferences(context);
  const { start, route } = startedRoute(differences, context);
  const hooks = openHooks(route.changes, context);
  const { state, tolerates } = start;
  const planned = stepsOfPlan(route.ordered.moves, { context, hooks, start: state, tolerates });
  const isStuck = route.ordered.stuck.length > 0;
  const findings = unique([
    ...route.differences.findings,
    ...route.hopFindings,
    ...(isStuck ? stuckFindings(route, start, context) : startAndEndFindings(route, start, context)),
    ...hookFindings(hooks),
    ...fleetFindings(route.changes, context),
    ...unknownComponentFindings(context),
    ...misplacedComponentFindings(context),
    ...takenPlaceFindings(context),
    ...sharedUidFindings(context),
    ...oldReadingFindings(context),
    ...planned.findings,
  ]);
  const whyAlone = whyLeftAlone(route.differences);
  const advised = findings.map((one) => withSkippedAdvice(one, whyAlone));
  const accepted = [...route.ordered.waived, ...planned.waived];
  return planDocument(
    input,
    route,
    planned,
    waiveFindings(advised, input.waivers, input.snapshot.spec.takenAt, accepted),
  );
}

function unique(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((one) => [canonicalJson(one), one])).values()];
}
