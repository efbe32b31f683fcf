import type { Finding } from '../../finding.ts';
import type { FleetState } from '../../fleet/fleet-state.ts';
import type { Differences } from '../differences/find-differences.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { leftAlone } from '../input/planner-context.ts';
import { clusterGroups } from '../paths/cluster-groups.ts';
import type { PlannedChange, Stopping } from '../paths/hop-paths.ts';
import { withHops } from '../paths/hop-paths.ts';
import type { Move } from './move.ts';
import { movesOf } from './move.ts';
import type { Ordered } from './order-moves.ts';
import { orderMoves } from './order-moves.ts';
import type { Tolerates } from './toleration.ts';
import { leaveWaitingClients } from './waiting-clients.ts';

/**
 * How the fleet gets from its present versions to those of the bundle: over which stops, in which
 * order.
 */
export interface Route {
  /** With the programs of people that have to wait among those that are left alone. */
  readonly differences: Differences;
  readonly changes: readonly PlannedChange[];
  /** The findings of choosing the stops. */
  readonly hopFindings: readonly Finding[];
  readonly moves: readonly Move[];
  readonly ordered: Ordered;
}

/** The start of the search. */
export interface RouteStart {
  readonly state: FleetState;
  readonly tolerates: Tolerates;
}

/**
 * Finds stops and an order. First with the stops that the rules demand; where moves are stuck so,
 * with those that the bundle names; where only programs of people are stuck, and only because of
 * clusters that are left alone, without those programs.
 */
export function findRoute(differences: Differences, start: RouteStart, context: PlannerContext): Route {
  const { state, tolerates } = start;
  const route = bestRoute(differences, start, context);
  const rest = leaveWaitingClients(differences, route.ordered, { context, start: state, tolerates });
  return rest === differences ? route : bestRoute(rest, start, context);
}

function bestRoute(differences: Differences, start: RouteStart, context: PlannerContext): Route {
  const usual = routeWith('as-rules-demand', differences, start, context);
  const hasStops = usual.changes.some(({ path }) => path.length > 1);
  if (usual.ordered.stuck.length === 0 || !hasStops) return usual;
  const other = routeWith('with-the-bundle', differences, start, context);
  return other.ordered.stuck.length === 0 ? other : usual;
}

function routeWith(
  stopping: Stopping,
  differences: Differences,
  { state, tolerates }: RouteStart,
  context: PlannerContext,
): Route {
  const { changes, findings } = withHops(differences.moving, context, stopping);
  const moves = movesOfPlan(changes, context);
  const ordered = orderMoves(moves, state, { context, tolerates });
  return { differences, changes, hopFindings: findings, moves, ordered };
}

function movesOfPlan(changes: readonly PlannedChange[], context: PlannerContext): readonly Move[] {
  const { waves } = context.input;
  // A canary that is left alone would be none: the waves are of the others.
  const clusters = context.clusters.filter((one) => leftAlone(one, context.input) === undefined);
  const place = clusterGroups(clusters, waves, context.familyOf);
  const longest = (some: readonly PlannedChange[]) => some.reduce((most, { path }) => Math.max(most, path.length), 0);
  const rounds = new Map(
    [...Map.groupBy(changes, ({ family }) => family)].map(([family, some]) => [family, longest(some)] as const),
  );
  const all = longest(changes);
  return changes.flatMap((change) => {
    // A change with fewer stops than others of its family reaches its target with them, in the last
    // round; client programs in the last round of all.
    const last = change.cluster === undefined ? all : (rounds.get(change.family) ?? 0);
    const firstRound = last - change.path.length;
    return movesOf(change, { place, nodesAtOnce: waves.nodesAtOnce, firstRound });
  });
}
