import { versionOf } from '../../bundle/components-of.ts';
import type { Component } from '../../bundle/component.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import type { Running } from '../../fleet/live-versions.ts';
import type { Instance } from '../../fleet/fleet-state.ts';
import { typeOf } from '../../bundle/type-of.ts';
import { compareReleases } from '../../version/compare-versions.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { isAtTarget } from '../differences/cluster-change.ts';
import type { GroupName, PlaceOf } from '../paths/cluster-groups.ts';
import type { PlannedChange } from '../paths/hop-paths.ts';

/**
 * The smallest thing that changes what runs: a component of a cluster, one replica of an API
 * server, some Nodes, or a program of people.
 */
export interface Move {
  /** Unique: `round/cluster/component/part`. */
  readonly key: string;
  readonly change: PlannedChange;
  /** As it is after this move: in an early round, a stop. */
  readonly component: Component;
  readonly cluster?: ClusterSnapshot | undefined;
  readonly family: string;
  readonly round: number;
  readonly group: GroupName;
  readonly wave: number;
  readonly nodes: readonly string[];
  /** Which replica, for API servers. */
  readonly name?: string | undefined;
  readonly before: readonly Instance[];
  readonly after: readonly Instance[];
  /**
   * Whether both versions run during the move. A newly installed component has no `before`, so it
   * does not.
   */
  readonly rolling: boolean;
}

export interface MoveOptions {
  readonly place: PlaceOf;
  readonly nodesAtOnce: number;
  /** The round of the first hop. */
  readonly firstRound: number;
}

/**
 * The moves of one change, by round and then by replica or Node. Instances that already have their
 * target do not move.
 */
export function movesOf(change: PlannedChange, { place, nodesAtOnce, firstRound }: MoveOptions): readonly Move[] {
  const { cluster, running } = change;
  const moves: Move[] = [];
  let now = running.length === 0 ? [nothingYet] : running;
  for (const [at, component] of change.path.entries()) {
    const round = at + firstRound;
    if (component === undefined) continue;
    const to = versionOf(component);
    const installed = cluster?.components.find(({ id }) => id === component.id);
    const moving = now.filter((one) => !isAtTarget(one, component, installed) && !isPast(one, component, change));
    for (const [part, some] of partsOf(component, moving, nodesAtOnce).entries()) {
      const type = typeOf(component);
      const instance = ({ node, name, version }: Running): Instance => ({
        type,
        component: component.id,
        cluster: cluster?.name,
        node,
        name,
        version,
      });
      moves.push({
        key: [round, cluster?.name ?? '', component.id, part].join('/'),
        change,
        component,
        cluster,
        family: change.family,
        round,
        ...place(change),
        nodes: component.scope === 'node' ? some.flatMap(({ node }) => (node === undefined ? [] : [node])) : [],
        name: component.scope === 'cluster' && some.length === 1 ? some[0]?.name : undefined,
        before: some.filter(({ version }) => version.text !== '').map(instance),
        after: some.map((one) => instance({ ...one, version: to })),
        rolling: some.some(({ version }) => version.text !== ''),
      });
    }
    now = now.map((one) => (moving.includes(one) ? { ...one, version: to, digests: {} } : one));
  }
  return moves;
}

/** In a round that leads to a stop, what runs that release or a later one stays where it is. */
function isPast(one: Running, component: Component, { path }: PlannedChange): boolean {
  if (component === path.at(-1) || one.version.core === undefined) return false;
  return compareReleases(one.version, versionOf(component)) >= 0;
}

/**
 * API servers move one by one, Nodes some at a time, instances without a Node before those on
 * Nodes, all others at once. A new component has one part without a version.
 */
function partsOf(
  component: Component,
  moving: readonly Running[],
  nodesAtOnce: number,
): readonly (readonly Running[])[] {
  if (moving.length === 0) return [];
  if (component.scope === 'node') {
    const elsewhere = moving.filter(({ node }) => node === undefined);
    const onNodes = moving.filter(({ node }) => node !== undefined);
    return [...(elsewhere.length > 0 ? [elsewhere] : []), ...chunks(onNodes, Math.max(1, nodesAtOnce))];
  }
  return typeOf(component) === 'kube-apiserver' ? chunks(moving, 1) : [moving];
}

/** A component before it is installed, without a version. */
const nothingYet: Running = { version: parseVersion(''), digests: {} };

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
