import { goText } from '../ownership/go-value.ts';
import { badArgument, failed, noMergeKey } from './strategic-errors.ts';
import { equalWorking, toJson } from './working-value.ts';
import type { Working } from './working-value.ts';

/** The key of the directive in a map or an item of a strategic merge patch. */
export const directiveKey = '$patch';

/**
 * Checks that the items of the patch are in the order that `$setElementOrder` gives. Items to
 * delete do not count. Items with another `$patch` do not count either, unless they come last,
 * after the end of the order.
 */
export function checkElementOrder(patch: readonly Working[], order: readonly Working[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const counted = patch.filter((item) => {
    if (mergeKey === '') return true;
    if (!(item instanceof Map)) throw badArgument('map[string]interface {}', item);
    return item.get(directiveKey) !== 'delete';
  });
  let next = 0;
  let place = 0;
  while (next < counted.length && place < order.length) {
    const item = counted[next] ?? null;
    const isDirective = item instanceof Map && item.has(directiveKey);
    if (isDirective || isSameItem(item, order[place] ?? null, mergeKey)) next++;
    if (!isDirective) place++;
  }
  if (next < counted.length) {
    const [patchText, orderText] = [patch, order].map((list) => goText(list.map(toJson)));
    throw failed(`The order in patch list:\n${patchText}\n doesn't match $setElementOrder list:\n${orderText}\n`);
  }
}

function isSameItem(a: Working, b: Working, mergeKey: string): boolean {
  return mergeKey === '' ? equalWorking(a, b) : requiredKey(a, mergeKey) === requiredKey(b, mergeKey);
}

/**
 * The live list as the order of a merged one refers to it: without the items that the patch
 * deletes, and with as many of the items that it adds in their stead. (So the API server's library
 * has it, which merges within the live list's memory.)
 */
export function liveOrder(live: readonly Working[], patch: readonly Working[], mergeKey: string): readonly Working[] {
  if (mergeKey === '') return live;
  const keysOf = (items: readonly Working[]) => new Set(items.map((item) => keyOfItem(item, mergeKey, false)));
  const directiveOf = (item: Working) => (item instanceof Map ? item.get(directiveKey) : undefined);
  if (patch.some((item) => directiveOf(item) === 'replace')) return live;
  const deleted = keysOf(patch.filter((item) => directiveOf(item) === 'delete'));
  const left = live.filter((item) => !deleted.has(keyOfItem(item, mergeKey, false)));
  const known = keysOf(left);
  const added = patch.filter((item) => directiveOf(item) === undefined && !known.has(keyOfItem(item, mergeKey, false)));
  return [...left, ...added.slice(0, live.length - left.length)];
}

/** Every item of an order must have the merge key. */
export function requireKeys(order: readonly Working[], mergeKey: string): void {
  for (const [i, item] of order.entries()) {
    if (!(item instanceof Map)) throw failed(`value for key ${i} is not a map`);
    requiredKey(item, mergeKey);
  }
}

/** The identity of an item: the value of its merge key, or the item itself in a list of scalars. */
export function keyOfItem(item: Working, mergeKey: string, isRequired: boolean): Working | undefined {
  if (mergeKey === '') return item;
  if (isRequired) return requiredKey(item, mergeKey);
  return item instanceof Map ? item.get(mergeKey) : undefined;
}

/** Errors: throws if the item is not a map, or lacks the merge key. */
export function requiredKey(item: Working, mergeKey: string): Working {
  if (!(item instanceof Map)) throw badArgument('map[string]interface {}', item);
  const key = item.get(mergeKey);
  if (key === undefined) throw noMergeKey(item, mergeKey);
  return key;
}
