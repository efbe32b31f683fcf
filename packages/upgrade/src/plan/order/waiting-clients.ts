import type { FleetState, Instance } from '../../fleet/fleet-state.ts';
import { violationsOf } from '../../policy/skew/violations.ts';
import type { Differences } from '../differences/find-differences.ts';
import { clustersLeftAlone } from '../differences/find-differences.ts';
import type { Ordered } from './order-moves.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import type { Tolerates } from './toleration.ts';

/**
 * Programs of people that cannot move only because of what is left alone: nothing speaks against them once those clusters are thought away. They are
 * left alone too, with the rule, instead of blocking what all others can do (docs/spec/upgrades.md §4).
 */
export function leaveWaitingClients(
  found: Differences,
  { moves, stuck }: Ordered,
  {
    context,
    start,
    tolerates,
  }: {
    readonly context: PlannerContext;
    readonly start: FleetState;
    readonly tolerates: Tolerates;
  },
): Differences {
  const alone = clustersLeftAlone(found);
  const clients = stuck.filter(({ move }) => move.cluster === undefined);
  if (alone.size === 0 || clients.length === 0 || clients.length < stuck.length) return found;
  const gone = new Set([...moves, ...clients.map(({ move }) => move)].flatMap(({ before }) => before.map(keyOf)));
  const others = start.instances.filter((one) => !gone.has(keyOf(one)) && !alone.has(one.cluster ?? ''));
  const after = clients.flatMap(({ move }) => move.after);
  const state = { ...start, instances: [...others, ...moves.flatMap((one) => one.after), ...after] };
  const moving = new Set(after.map(({ component }) => component));
  const broken = violationsOf(state, context.rules, false, { supportOf: context.supportOf, touched: after });
  if (broken.some((one) => one.severity === 'block' && tolerates(one, moving) === undefined)) return found;
  const waiting = new Map(clients.map(({ move, findings }) => [move.change.row.id, findings[0]] as const));
  return {
    ...found,
    moving: found.moving.filter(({ row }) => !waiting.has(row.id)),
    unchanged: [...found.unchanged, ...found.moving.filter(({ row }) => waiting.has(row.id))],
    skipped: [
      ...found.skipped,
      ...[...waiting].map(([component, finding]) => ({
        component,
        why: `${finding === undefined ? '' : `${finding.rule}: `}it waits for skipped components in ${[...alone].toSorted().join(', ')}`,
      })),
    ],
  };
}

function keyOf({ component, cluster, node, name, version }: Instance): string {
  return JSON.stringify([component, cluster, node, name, version.text]);
}
