import { violationsOf } from '../../policy/skew/violations.ts';
import type { Differences } from '../differences/find-differences.ts';
import { whyLeftAlone } from '../differences/find-differences.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import type { Route } from '../order/find-route.ts';
import { findRoute } from '../order/find-route.ts';
import type { StartCheck } from './start-check.ts';
import { checkStart, isOnlyBeside, placeOf } from './start-check.ts';

/** A way to the bundle, and what of the start it accepts. */
export interface StartedRoute {
  readonly start: StartCheck;
  readonly route: Route;
}

/**
 * Finds a way to the bundle from a fleet that may break rules already: an agent ahead of its
 * controller, a leader behind its members. What holds again at the end of a way does not block it.
 * A violation that is left at the end blocks, as one that keeps moves from their place.
 */
export function startedRoute(differences: Differences, context: PlannerContext): StartedRoute {
  const start = checkStart(differences, context);
  const strict = (): StartedRoute => ({ start, route: findRoute(differences, start, context) });
  if (!start.findings.some(({ severity }) => severity === 'block')) return strict();
  const all = checkStart(differences, context, () => true);
  const tried = { start: all, route: findRoute(differences, all, context) };
  if (tried.route.ordered.stuck.length > 0) return strict();
  const { rules, supportOf } = context;
  const atEnd = violationsOf(tried.route.ordered.end, rules, true, { supportOf });
  const whyAlone = whyLeftAlone(tried.route.differences);
  const left = new Set(atEnd.filter((one) => one.severity === 'block' && !isOnlyBeside(one, whyAlone)).map(placeOf));
  if (all.violations.every((one) => !left.has(placeOf(one)))) return tried;
  const some = checkStart(differences, context, (place) => !left.has(place));
  return { start: some, route: findRoute(differences, some, context) };
}
