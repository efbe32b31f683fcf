import type { Working } from './working-value.ts';

/** The items of a merged list, and what their order depends on. */
export interface MergedItems {
  /** Those that the patch names. */
  readonly patchItems: readonly Working[];
  /** The rest. */
  readonly serverItems: readonly Working[];
  readonly patchOrder: readonly Working[];
  readonly serverOrder: readonly Working[];
  /** What tells items apart, in the lists and in the orders. */
  readonly keyOf: (item: Working) => Working | undefined;
}

/**
 * The items that the patch names in its order, and among them the others in the live order: a live item stands before one of the patch only
 * where both were in the live list, and there in this order.
 */
export function orderedItems(merged: MergedItems): readonly Working[] {
  const { keyOf } = merged;
  const live = placesOf(merged.serverOrder, keyOf);
  const patch = sortedBy(merged.patchItems, placesOf(merged.patchOrder, keyOf), keyOf);
  const server = sortedBy(merged.serverItems, live, keyOf);
  const ordered: Working[] = [];
  let s = 0;
  for (const item of patch) {
    for (; s < server.length; s++) {
      const left = live.get(keyOf(server[s] ?? null));
      const right = live.get(keyOf(item));
      if (left === undefined || right === undefined || left >= right) break;
      ordered.push(server[s] ?? null);
    }
    ordered.push(item);
  }
  return [...ordered, ...server.slice(s)];
}

type Places = ReadonlyMap<Working | undefined, number>;

/** The first place of each key. */
function placesOf(order: readonly Working[], keyOf: MergedItems['keyOf']): Places {
  const places = new Map<Working | undefined, number>();
  for (const [place, item] of order.entries()) if (!places.has(keyOf(item))) places.set(keyOf(item), place);
  return places;
}

function sortedBy(items: readonly Working[], places: Places, keyOf: MergedItems['keyOf']): readonly Working[] {
  return items.toSorted((a, b) => (places.get(keyOf(a)) ?? -1) - (places.get(keyOf(b)) ?? -1));
}
