import type { Finding } from '../../finding.ts';
import { FleetIndex } from '../../fleet/fleet-index.ts';
import type { FleetState, Instance } from '../../fleet/fleet-state.ts';
import { floorFindings } from './floor-findings.ts';
import { orderedFindings } from '../../finding-order.ts';
import type { Rules } from '../rule-set.ts';
import { rulesOf } from '../rule-set.ts';
import { skewFindings } from './skew-findings.ts';
import type { SupportOf } from './window-findings.ts';
import { supportFindings, windowFindings } from './window-findings.ts';

/** The context of a state beside the policies. */
export interface ViolationOptions {
  /**
   * The Kubernetes range that a bundle gives a component; it wins over the windows of policies.
   * Default: no bundle gives a range.
   */
  readonly supportOf?: SupportOf | undefined;
  /**
   * Instances that were added or removed since the state was last judged: only their possible
   * effects are judged. Default: everything.
   */
  readonly touched?: readonly Instance[] | undefined;
}

/**
 * The promises that a state of a fleet breaks: skew, least versions, Kubernetes windows
 * (docs/spec/upgrades.md §2.2, §2.8). Rules for the end of an upgrade apply only if the state is
 * `settled`. Deterministic in the contents of the state, for any order.
 *
 * Errors: throws for policies that `policyProblems` rejects.
 */
export function violationsOf(
  state: FleetState | FleetIndex,
  policies: Rules,
  settled: boolean,
  options: ViolationOptions = {},
): readonly Finding[] {
  return violations(state, policies, settled ? 'as-they-are' : 'left-out', options);
}

/**
 * The same for a state that no plan made, such as an interrupted upgrade: rules for the end of an
 * upgrade are warnings.
 */
export function startViolations(
  state: FleetState | FleetIndex,
  policies: Rules,
  options: ViolationOptions = {},
): readonly Finding[] {
  return violations(state, policies, 'warn', options);
}

function violations(
  state: FleetState | FleetIndex,
  policies: Rules,
  settled: 'as-they-are' | 'left-out' | 'warn',
  { supportOf, touched }: ViolationOptions,
): readonly Finding[] {
  const rules = rulesOf(policies);
  const index = state instanceof FleetIndex ? state : new FleetIndex(state);
  const skew = rules.skew
    .filter(({ holds }) => holds === 'always' || settled !== 'left-out')
    .flatMap((rule) => {
      const isSoft = rule.holds === 'settled' && settled === 'warn' && rule.severity === 'block';
      return skewFindings(isSoft ? { ...rule, severity: 'warn' } : rule, index, touched);
    });
  const context = { index, supportOf: supportOf ?? (() => undefined), touched };
  return orderedFindings([
    ...skew,
    ...rules.floors.flatMap((rule) => floorFindings(rule, index, touched)),
    ...rules.kubernetes.flatMap((rule) => windowFindings(rule, context)),
    ...(supportOf === undefined ? [] : supportFindings(context)),
  ]);
}
