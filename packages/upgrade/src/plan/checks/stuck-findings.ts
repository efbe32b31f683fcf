import { canonicalJson } from '@isthmus/machinery';
import type { Finding } from '../../finding.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import type { Route } from '../order/find-route.ts';
import type { StartCheck } from './start-check.ts';
import { fits } from './waive-findings.ts';

type Stuck = Route['ordered']['stuck'][number];

/**
 * Reports the moves without a place in the order, with the rules that keep them, after the breaches
 * at the start. Not reported: moves that only wait for those, client programs beside a cluster, and
 * the effects of a path that is too long, which has a finding of its own.
 */
export function stuckFindings(route: Route, start: StartCheck, context: PlannerContext): readonly Finding[] {
  const own = route.ordered.stuck.filter((one) => !followsFromTooFar(one, tooFarFamilies(route, context)));
  const causes = own.filter(({ findings }) => findings.length > 0);
  const ofClusters = causes.filter(({ move }) => move.cluster !== undefined);
  const roots = ofClusters.length > 0 ? ofClusters : causes;
  const named = roots.length > 0 ? roots : own;
  const known = new Set(start.violations.map((one) => canonicalJson(one)));
  return [
    ...start.findings,
    ...roots.flatMap(({ findings }) => findings.filter((one) => !known.has(canonicalJson(one)))),
    ...named.map((one) => noOrder(one, causes.length > 0)),
  ];
}

/**
 * The families of clusters in which a change has no way that the policies allow; the empty text
 * stands for programs of people.
 */
function tooFarFamilies({ hopFindings }: Route, { input, familyOf }: PlannerContext): ReadonlySet<string> {
  const { waivers, snapshot } = input;
  const isWaived = (one: Finding) => waivers.some((waiver) => fits(waiver, one, snapshot.spec.takenAt));
  const tooFar = hopFindings.filter((one) => one.severity === 'block' && !isWaived(one));
  return new Set(tooFar.map(({ subject }) => (subject.cluster === undefined ? '' : familyOf(subject.cluster))));
}

function followsFromTooFar({ move }: Stuck, families: ReadonlySet<string>): boolean {
  return families.has(move.family) || (move.cluster === undefined && families.size > 0);
}

function noOrder({ move: { cluster, component, change } }: Stuck, hasCauses: boolean): Finding {
  return planFinding(
    'plan.order',
    'block',
    { cluster: cluster?.name, component: component.id },
    {
      why: `found no order of the steps in which ${component.id} can be upgraded from ${change.row.from.version || 'nothing'} to ${change.row.to.version} without breaking a rule`,
      unblock: hasCauses
        ? 'see the other findings: use a bundle with intermediate versions, or upgrade the components that they name first'
        : 'components wait for each other: check their requirements',
    },
  );
}
