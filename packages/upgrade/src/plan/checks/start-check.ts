import type { Finding } from '../../finding.ts';
import type { FleetState } from '../../fleet/fleet-state.ts';
import { stateOf } from '../../fleet/state-of.ts';
import { startViolations } from '../../policy/skew/violations.ts';
import type { Differences } from '../differences/find-differences.ts';
import { clustersLeftAlone } from '../differences/find-differences.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { fits } from './waive-findings.ts';

/** The rules that the fleet breaks before the plan begins, and what the plan may do about them. */
export interface StartCheck {
  readonly state: FleetState;
  /** As the rules word them, without notes. */
  readonly violations: readonly Finding[];
  /** The same as findings of the plan: a warning where the plan goes on in spite of it. */
  readonly findings: readonly Finding[];
  /** Whether a state of the plan may break a rule in this way: the fleet breaks it already and the plan goes on, or a waiver names it. */
  readonly tolerates: (finding: Finding) => boolean;
}

/** Checks the fleet as it is, before anything moves. */
export function checkStart(differences: Differences, { input, rules, supportOf }: PlannerContext): StartCheck {
  const { snapshot, bundle, waivers } = input;
  const state = stateOf(snapshot, { bundle: bundle.bundle });
  const violations = startViolations(state, rules, { supportOf }).filter(({ severity }) => severity !== 'info');
  const alone = clustersLeftAlone(differences);
  // Least versions and Kubernetes windows stop no step: an upgrade is what cures them. Nor does anything about clusters that are left alone.
  const isBorne = ({ rule, subject }: Finding) =>
    !rules.skew.some(({ id }) => id === rule) || alone.has(subject.cluster ?? '');
  const borne = new Set(violations.filter(isBorne).map(placeOf));
  return {
    state,
    violations,
    findings: violations.map((one) => asStartFinding(one, borne.has(placeOf(one)))),
    tolerates: (finding) =>
      borne.has(placeOf(finding)) || waivers.some((waiver) => fits(waiver, finding, snapshot.spec.takenAt)),
  };
}

/** A rule in one place: what is broken there at the start and later is one finding. */
export function placeOf({ rule, subject: { cluster, component, node } }: Finding): string {
  return JSON.stringify([rule, cluster, component, node]);
}

function asStartFinding(finding: Finding, isBorne: boolean): Finding {
  if (finding.severity !== 'block') return finding;
  const why = `${finding.why}; this is the state before the plan starts`;
  return isBorne ? { ...finding, severity: 'warn', why } : { ...finding, why };
}
