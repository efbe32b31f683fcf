import type { Finding } from '../../finding.ts';
import { FleetIndex } from '../../fleet/fleet-index.ts';
import type { FleetState } from '../../fleet/fleet-state.ts';
import { violationsOf } from '../../policy/skew/violations.ts';
import { groupNames } from '../paths/cluster-groups.ts';
import type { Move } from './move.ts';
import { goesBack, needsOf, ranksOf } from './move-needs.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import type { Tolerates, Accepted } from './toleration.ts';

/** The moves in an order that keeps the rules, or what keeps the rest from moving. */
export interface Ordered {
  readonly moves: readonly Move[];
  /**
   * The moves that found no place, and the rules that each step of them would break; empty if all
   * moves are ordered.
   */
  readonly stuck: readonly { readonly move: Move; readonly findings: readonly Finding[] }[];
  /** The versions that run in the end. */
  readonly end: FleetIndex;
  /** The rules that the moves in order break while they are at work, each accepted by a waiver. */
  readonly waived: readonly Accepted[];
}

/**
 * Puts moves into the usual order (round, group, wave, cluster, rank). It takes each move only when
 * its needs are met and the fleet keeps its rules during and after the move. Waiting moves are
 * tried again after every move of their family. So if the usual order breaks a rule, another order
 * is found. It never takes a move back: an order that needs a detour is not found.
 *
 * Cost: linear in the moves, times those of a family that wait at once.
 */
export function orderMoves(
  moves: readonly Move[],
  start: FleetState,
  {
    context,
    tolerates,
  }: {
    readonly context: PlannerContext;
    readonly tolerates: Tolerates;
  },
): Ordered {
  const { rules, supportOf } = context;
  const index = new FleetIndex(start);
  const needs = needsOf(moves, rules);
  const rounds = roundsLeft(moves);
  const done = new Set<string>();
  const ordered: Move[] = [];
  const waived: Accepted[] = [];
  const waiting = new Map<string, Move[]>();
  const stuckBy = new Map<string, readonly Finding[]>();

  const isReady = (move: Move): boolean => {
    if (rounds.isBehind(move)) return false;
    for (const key of needs.get(move.key) ?? []) if (!done.has(key)) return false;
    return true;
  };
  const attempt = (move: Move): boolean => {
    if (!isReady(move)) return false;
    for (const one of move.after) index.add(one);
    const moving = new Set([move.component.id]);
    const breaches = violationsOf(index, rules, false, { supportOf, touched: move.after })
      .filter(({ severity }) => severity === 'block')
      .map((finding) => ({ finding, toleration: tolerates(finding, moving) }));
    const broken = breaches.flatMap(({ finding, toleration }) => (toleration === undefined ? [finding] : []));
    if (broken.length > 0) {
      for (const one of move.after) index.remove(one);
      stuckBy.set(move.key, broken);
      return false;
    }
    for (const one of move.before) index.remove(one);
    done.add(move.key);
    rounds.take(move);
    ordered.push(move);
    for (const { finding, toleration } of breaches)
      if (toleration?.waiver !== undefined) waived.push({ finding, waiver: toleration.waiver });
    return true;
  };
  /**
   * Programs of people and clusters wait for each other, families of clusters only for themselves.
   */
  const retry = (family: string): void => {
    for (let again = true; again;) {
      again = false;
      for (const name of family === '' ? [...waiting.keys()] : [family, '']) {
        const list = waiting.get(name) ?? [];
        const at = list.findIndex(attempt);
        if (at < 0) continue;
        list.splice(at, 1);
        again = true;
        if (name === '') family = '';
      }
    }
  };
  for (const move of inUsualOrder(moves, context)) {
    if (attempt(move)) retry(move.family);
    else waiting.set(move.family, [...(waiting.get(move.family) ?? []), move]);
  }
  const stuck = [...waiting.values()]
    .flat()
    .map((move) => ({ move, findings: isReady(move) ? (stuckBy.get(move.key) ?? []) : [] }));
  return { moves: ordered, stuck, end: index, waived };
}

function inUsualOrder(moves: readonly Move[], { rules }: PlannerContext): readonly Move[] {
  const components = new Map(moves.map(({ component }) => [component.id, component]));
  const ranks = ranksOf([...components.values()], rules);
  const keyed = moves.map((move) => {
    const rank = ranks.get(move.component.id) ?? 0;
    const numbers = [move.round, groupNames.indexOf(move.group), move.wave];
    return { move, numbers, cluster: move.cluster?.name ?? '', rank: goesBack(move) ? -rank : rank };
  });
  return keyed
    .toSorted(
      (a, b) =>
        firstDifference(a.numbers, b.numbers) ||
        bytewise(a.cluster, b.cluster) ||
        lateness(a.move) - lateness(b.move) ||
        a.rank - b.rank ||
        Number(a.move.component.scope === 'node') - Number(b.move.component.scope === 'node') ||
        bytewise(a.move.component.id, b.move.component.id) ||
        bytewise(a.move.nodes[0] ?? a.move.name ?? '', b.move.nodes[0] ?? b.move.name ?? ''),
    )
    .map(({ move }) => move);
}

/**
 * Missing components are installed first; those of only this kind of cluster go before those of
 * every cluster, as its network.
 */
function lateness({ change, component }: Move): number {
  if (change.row.relation === 'added') return 0;
  return component.roles === undefined ? 2 : 1;
}

/** Each round of a family is a whole upgrade: the next begins when nothing of it is left. */
function roundsLeft(moves: readonly Move[]) {
  const left = new Map<string, number[]>();
  for (const { family, round } of moves) {
    const counts = left.get(family) ?? [];
    counts[round] = (counts[round] ?? 0) + 1;
    left.set(family, counts);
  }
  return {
    isBehind: ({ family, round }: Move) => (left.get(family) ?? []).slice(0, round).some((count) => (count ?? 0) > 0),
    take: ({ family, round }: Move) => {
      const counts = left.get(family);
      if (counts !== undefined) counts[round] = (counts[round] ?? 1) - 1;
    },
  };
}

function firstDifference(a: readonly number[], b: readonly number[]): number {
  for (const [at, one] of a.entries()) if (one !== b[at]) return one - (b[at] ?? 0);
  return 0;
}

function bytewise(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
