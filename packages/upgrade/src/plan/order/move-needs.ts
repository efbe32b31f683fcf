import type { Component } from '../../bundle/component.ts';
import type { RuleSet } from '../../policy/rule-set.ts';
import { typeOf } from '../../bundle/type-of.ts';
import type { Move } from './move.ts';

/** The keys of the moves that must be done before each move, by its key. */
export type Needs = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Decides which move goes first: by the order rules of the policies, in their scopes, and by the
 * requirements of components in their cluster. Between two components that both go back the order
 * is reversed. Rounds are not compared: each is a whole upgrade, see `orderMoves`.
 */
export function needsOf(moves: readonly Move[], rules: RuleSet): Needs {
  const needs = new Map<string, Set<string>>();
  const add = (later: Move, first: Move) => {
    if (later.key === first.key) return;
    needs.set(later.key, (needs.get(later.key) ?? new Set()).add(first.key));
  };
  const byType = Map.groupBy(moves, (one) => `${one.round}\n${typeOf(one.component)}`);
  for (const { first, next, scope } of rules.order) {
    const firstByRegion = new Map<string, readonly Move[]>();
    const key = (move: Move) => regionOf(move, scope, 'first');
    for (const [typed, all] of byType) {
      if (!typed.endsWith(`\n${first}`)) continue;
      const round = typed.slice(0, typed.indexOf('\n'));
      for (const [region, some] of Map.groupBy(all, key)) firstByRegion.set(`${round}\n${region}`, some);
    }
    for (const [typed, all] of byType) {
      if (!typed.endsWith(`\n${next}`) || first === next) continue;
      for (const move of all) {
        for (const other of firstByRegion.get(`${move.round}\n${regionOf(move, scope, 'next')}`) ?? []) {
          const back = [move, other].map(goesBack);
          if (back[0] === true && back[1] === true) add(other, move);
          else if (back[0] === back[1]) add(move, other);
        }
      }
    }
  }
  const byPlace = Map.groupBy(moves, (one) => `${one.round}\n${one.cluster?.name ?? ''}\n${one.component.id}`);
  for (const move of moves) {
    for (const { component } of move.component.requires) {
      for (const other of byPlace.get(`${move.round}\n${move.cluster?.name ?? ''}\n${component}`) ?? [])
        add(move, other);
    }
  }
  return needs;
}

export function goesBack({ change }: Pick<Move, 'change'>): boolean {
  return change.row.relation === 'downgrade';
}

/** The rank of a component by order rules and requirements: 0 goes first. Circles count once. */
export function ranksOf(components: readonly Component[], rules: RuleSet): ReadonlyMap<string, number> {
  const byId = new Map(components.map((one) => [one.id, one]));
  const byType = Map.groupBy(components, typeOf);
  const ranks = new Map<string, number>();
  const rankOf = (component: Component, on: ReadonlySet<string>): number => {
    const known = ranks.get(component.id);
    if (known !== undefined) return known;
    if (on.has(component.id)) return 0;
    const path = new Set([...on, component.id]);
    const before = [
      ...component.requires.flatMap(({ component: id }) => byId.get(id) ?? []),
      ...rules.order.filter(({ next }) => next === typeOf(component)).flatMap(({ first }) => byType.get(first) ?? []),
    ].filter(({ id }) => id !== component.id);
    const rank = Math.max(0, ...before.map((one) => rankOf(one, path) + 1));
    if (on.size === 0) ranks.set(component.id, rank);
    return rank;
  };
  for (const component of components) rankOf(component, new Set());
  return ranks;
}

/** Moves with the same region are in the scope of each other. */
function regionOf({ cluster, nodes }: Move, scope: string, side: 'first' | 'next'): string {
  if (scope === 'fleet') return '';
  if (scope === 'clusterset') return cluster?.clusterSet ?? `cluster ${cluster?.name ?? ''}`;
  if (scope === 'management') return side === 'first' ? (cluster?.name ?? '') : (cluster?.managedBy ?? '');
  return scope === 'node' && nodes.length === 1 ? `${cluster?.name ?? ''}\n${nodes[0] ?? ''}` : (cluster?.name ?? '');
}
