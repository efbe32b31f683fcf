import type { Working } from './working-value.ts';

/** The items of a merged list, and the inputs of their order. */
export interface MergedItems {
  /** The items that the patch names. */
  readonly named: readonly Working[];
  readonly others: readonly Working[];
  /** The order for those that are named. */
  readonly wanted: readonly Working[];
  /** The order in which the live list has its items. */
  readonly live: readonly Working[];
  /** The identity of an item, in the lists and in the orders. */
  readonly keyOf: (item: Working) => Working | undefined;
}

/**
 * The named items in the order of the patch, merged with the other items in the live order. A live
 * item comes before a named one only if both were in the live list, in this order.
 */
export function orderedItems({ named, others, wanted, live, keyOf }: MergedItems): readonly Working[] {
  const livePlaces = placesOf(live, keyOf);
  const waiting = sortedBy(others, livePlaces, keyOf);
  let taken = 0;
  const ordered = sortedBy(named, placesOf(wanted, keyOf), keyOf).flatMap((item) => {
    const place = livePlaces.get(keyOf(item)) ?? -1;
    const from = taken;
    while (taken < waiting.length && (livePlaces.get(keyOf(waiting[taken] ?? null)) ?? Infinity) < place) taken++;
    return [...waiting.slice(from, taken), item];
  });
  return [...ordered, ...waiting.slice(taken)];
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
