import type { Finding } from '../../finding.ts';
import type { FleetState } from '../../fleet/fleet-state.ts';
import { stateOf } from '../../fleet/state-of.ts';
import { startViolations } from '../../policy/skew/violations.ts';
import type { Differences, WhyLeftAlone } from '../differences/find-differences.ts';
import { clustersLeftAlone, whyLeftAlone } from '../differences/find-differences.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import type { Tolerates } from '../order/toleration.ts';
import { fits } from './waive-findings.ts';

/** The rules that the fleet breaks before the plan begins, and what the plan may do about them. */
export interface StartCheck {
  readonly state: FleetState;
  /** As the rules word them, without notes. */
  readonly violations: readonly Finding[];
  /** The same as findings of the plan: a warning where the plan goes on in spite of it. */
  readonly findings: readonly Finding[];
  /**
   * Whether a state of the plan may break a rule: the fleet breaks it already and the plan goes on,
   * or a waiver names it.
   */
  readonly tolerates: Tolerates;
}

/** Which of the violations at the start the plan is asked to cure: by {@link placeOf}. */
export type ToCure = (place: string) => boolean;

/**
 * Checks the fleet as it is, before anything moves. Violations that the plan cures stop no step; by
 * default it is asked to cure none.
 */
export function checkStart(
  differences: Differences,
  { input, rules, supportOf }: PlannerContext,
  toCure: ToCure = () => false,
): StartCheck {
  const { snapshot, bundle, waivers } = input;
  const state = stateOf(snapshot, { bundle: bundle.bundle });
  const violations = startViolations(state, rules, { supportOf }).filter(({ severity }) => severity !== 'info');
  const alone = clustersLeftAlone(differences);
  const whyAlone = whyLeftAlone(differences);
  const isBesideAlone = (finding: Finding) => isOnlyBeside(finding, whyAlone);
  // Least versions and Kubernetes windows stop no step: an upgrade is what cures them. Nor does
  // anything about clusters that are left alone.
  const isBorne = ({ rule, subject }: Finding) =>
    !rules.skew.some(({ id }) => id === rule) || alone.has(subject.cluster ?? '');
  const borne = new Set(violations.filter(isBorne).map(placeOf));
  const others = violations.filter((one) => !isBesideAlone(one)).map(placeOf);
  const cured = new Set(others.filter((place) => !borne.has(place) && toCure(place)));
  return {
    state,
    violations,
    findings: violations.map((one) =>
      asStartFinding(one, isBesideAlone(one) || borne.has(placeOf(one)) || cured.has(placeOf(one))),
    ),
    tolerates: (finding, moving) => {
      const place = placeOf(finding);
      const isOfOthers = cured.has(place) || isBesideAlone(finding);
      if (borne.has(place) || (isOfOthers && !moving.has(finding.subject.component ?? ''))) return {};
      const waiver = waivers.find((one) => fits(one, finding, snapshot.spec.takenAt));
      return waiver === undefined ? undefined : { waiver };
    },
  };
}

/** A rule in one place: a breach there at the start and later is one finding. */
export function placeOf({ rule, subject: { cluster, component, node } }: Finding): string {
  return JSON.stringify([rule, cluster, component, node]);
}

/**
 * Whether it is about programs of people, and only about components that are left alone and with
 * which they do not go.
 */
export function isOnlyBeside({ beside }: Finding, whyAlone: WhyLeftAlone): boolean {
  return beside?.every((one) => whyAlone(one) !== undefined) === true;
}

function asStartFinding(finding: Finding, isBorne: boolean): Finding {
  if (finding.severity !== 'block') return finding;
  const why = `${finding.why}; this is the state before the plan starts`;
  return isBorne ? { ...finding, severity: 'warn', why } : { ...finding, why };
}
