import type { FleetState, Instance } from '../../fleet/fleet-state.ts';
import { violationsOf } from '../../policy/skew/violations.ts';
import type { Differences } from '../differences/find-differences.ts';
import type { Finding } from '../../finding.ts';
import { clustersText } from '../../fleet/where-text.ts';
import type { WhyLeftAlone } from '../differences/find-differences.ts';
import { clustersLeftAlone, whyLeftAlone } from '../differences/find-differences.ts';
import type { Ordered } from './order-moves.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import type { Tolerates } from './toleration.ts';

/**
 * Leaves client programs alone that cannot move only because of clusters that are left alone:
 * without those clusters no rule would keep them. They are left alone with the rule, and do not
 * block the rest (docs/spec/upgrades.md §4).
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
  const whyAlone = whyLeftAlone(found);
  const waiting = new Map(clients.map(({ move, findings }) => [move.change.row.id, reasonOf(findings, whyAlone)]));
  return {
    ...found,
    moving: found.moving.filter(({ row }) => !waiting.has(row.id)),
    unchanged: [...found.unchanged, ...found.moving.filter(({ row }) => waiting.has(row.id))],
    skipped: [...found.skipped, ...[...waiting].map(([component, why]) => ({ component, why }))],
  };
}

/** The first rule that a component left alone breaks, with that component. */
function reasonOf(findings: readonly Finding[], whyAlone: WhyLeftAlone): string {
  const [reason] = findings.flatMap(({ rule, behind = [] }) => {
    const skipped = behind.filter((one) => whyAlone(one) !== undefined);
    const where = clustersText(skipped.map(({ cluster }) => cluster));
    return skipped
      .slice(0, 1)
      .map(({ component }) => `${rule}: it waits for ${component}, which is skipped in ${where}`);
  });
  return reason ?? `${findings[0] === undefined ? '' : `${findings[0].rule}: `}it waits for skipped components`;
}

function keyOf({ component, cluster, node, name, version }: Instance): string {
  return JSON.stringify([component, cluster, node, name, version.text]);
}
