import type { Json } from '@isthmus/schema';
import type { PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { asList, asObject, elementOfItem, keysOf, memberOf, shapeOf } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';

/**
 * Merges `applied` into `live`: leaves and atomic values of `applied` win, maps are merged by key,
 * keyed lists and sets by item. The items of `applied` keep their order. An item that only `live`
 * has stays after the one that it followed. Parts that `applied` does not mention stay unchanged.
 * `undefined` is absence; neither argument is changed.
 */
export function mergeTyped(type: TypeNode, live: Json | undefined, applied: Json | undefined): Json | undefined {
  if (applied === undefined) return live;
  return mergeAs(shapeOf(type, applied), live, applied);
}

function mergeAs(shape: Shape, live: Json | undefined, applied: Json): Json {
  switch (shape.kind) {
    case 'scalar':
      return applied;
    case 'map':
      return mergeMaps(shape, live, applied);
    case 'list':
      return mergeLists(shape, live, applied);
  }
}

function mergeMaps(shape: MapShape, live: Json | undefined, applied: Json): Json {
  const old = asObject(live);
  const next = asObject(applied);
  const keys = new Set([...keysOf(old), ...keysOf(next)]);
  if (shape.atomic || keys.size === 0) return applied;
  const members: [string, Json][] = [];
  for (const key of keys) {
    const type = shape.typeOf(key);
    const before = memberOf(old, key);
    const merged = type === undefined ? (memberOf(next, key) ?? before) : mergeTyped(type, before, memberOf(next, key));
    if (merged !== undefined) members.push([key, merged]);
  }
  return Object.fromEntries(members);
}

function mergeLists(shape: ListShape, live: Json | undefined, applied: Json): Json {
  const left = indexed(shape, asList(live) ?? []);
  const right = indexed(shape, asList(applied) ?? []);
  if (shape.list.listType === 'atomic' || (left.items.length === 0 && right.items.length === 0)) return applied;
  return interleaved(left, right).map(({ live, applied }) => {
    return mergeTyped(shape.list.items, live, applied) ?? null;
  });
}

interface IndexedItem {
  readonly element: PathElement;
  readonly item: Json;
}

interface IndexedList {
  readonly items: readonly IndexedItem[];
  /** Items by the text of their step; null if several items have the same. */
  readonly byElement: ReadonlyMap<string, Json>;
}

interface Pair {
  readonly live: Json | undefined;
  readonly applied: Json | undefined;
}

function indexed(shape: ListShape, list: readonly Json[]): IndexedList {
  const items: IndexedItem[] = [];
  const byElement = new Map<string, Json>();
  for (const item of list) {
    const element = elementOfItem(shape.list, item);
    if (typeof element === 'string') continue;
    byElement.set(element.text, byElement.has(element.text) ? null : item);
    items.push({ element, item });
  }
  return { items, byElement };
}

/**
 * The order of a merged list. Two cursors: an item that only `live` has is taken when the cursor
 * reaches it; one that both have is taken at its turn in `applied`, and the cursor over `live`
 * passes it over when it comes too early.
 */
function interleaved(live: IndexedList, applied: IndexedList): readonly Pair[] {
  const pairs: Pair[] = [];
  const taken = new Set<string>();
  const shared = applied.items.map((item) => item.element.text).filter((text) => live.byElement.has(text));
  let turn = 0;
  let l = 0;
  let r = 0;
  const takeApplied = (text: string) => {
    taken.add(text);
    pairs.push({ live: live.byElement.get(text), applied: applied.byElement.get(text) });
    r++;
  };
  while (l < live.items.length || r < applied.items.length) {
    const left = live.items[l];
    const right = applied.items[r];
    if (left !== undefined && right !== undefined) {
      if (left.element.text === right.element.text) {
        takeApplied(right.element.text);
        l++;
        turn++;
        continue;
      }
      const next = shared[turn];
      if (applied.byElement.has(left.element.text) && next !== undefined && next !== left.element.text) {
        l++;
        continue;
      }
    }
    if (left !== undefined) {
      if (!applied.byElement.has(left.element.text)) {
        pairs.push({ live: left.item, applied: undefined });
        l++;
        continue;
      }
      if (taken.has(left.element.text)) l++;
    }
    if (right !== undefined) {
      takeApplied(right.element.text);
      if (shared[turn] === right.element.text) turn++;
    }
  }
  return pairs;
}
