import type { Json } from '@isthmus/schema';
import { canonicalJson } from '@isthmus/machinery';
import { goText } from '../ownership/go-value.ts';
import type { ListNode, TypeNode } from '../typed/type-node.ts';
import { checkElementOrder, directiveKey, keyOfItem, liveOrder, requiredKey, requireKeys } from './element-order.ts';
import { orderedItems } from './merged-order.ts';
import {
  badArgument,
  badElementOrder,
  badPrimitiveList,
  badRetainKeys,
  failed,
  goTypeName,
  unknownDirective,
  unprocessableLists,
} from './strategic-errors.ts';
import { PatchError } from './patch-error.ts';
import { isContainer, toJson, toWorking } from './working-value.ts';
import type { Working } from './working-value.ts';

/**
 * The object after a strategic merge patch. Maps are merged by key, and null removes a key. If the
 * type has a `patch`, lists of objects are merged by their merge key and lists of scalars as sets;
 * otherwise lists are replaced. Directives: `$patch: replace` and `delete` in a map or an item,
 * `$retainKeys`, `$deleteFromPrimitiveList/<field>`, `$setElementOrder/<field>`. In a merged list,
 * items of the patch keep its order. They come before live items that the patch does not name,
 * unless the live list has these before a shared item.
 *
 * The result is not validated: the decoder handles unknown fields and nulls that the patch added.
 * Neither argument is changed.
 *
 * Errors: {@link PatchError}: 400 for directives of a wrong form, 422 for lists of lists, 500 in
 * the API server's words for the rest.
 */
export function applyStrategicMergePatch(type: TypeNode, original: Json, patch: Json): Json {
  const changes = toWorking(patch);
  if (changes === null) return original;
  if (!(changes instanceof Map)) {
    const kind = Array.isArray(changes) ? 'array' : typeof changes === 'boolean' ? 'bool' : typeof changes;
    const message = `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
    throw new PatchError({ reason: 'BadRequest', message });
  }
  const live = toWorking(original);
  return toJson(mergeMap(live instanceof Map ? live : new Map(), changes, type));
}

type WorkingMap = Map<string, Working>;

/** Both maps are used up: `live` becomes the result. */
function mergeMap(live: WorkingMap, patch: WorkingMap, type: TypeNode | undefined): WorkingMap {
  const directive = patch.get(directiveKey);
  if (directive !== undefined) return mapByDirective(directive, patch);
  retainKeys(live, patch);
  setElementOrders(live, patch, type);
  for (const [key, value] of patch) {
    if (key.startsWith(deleteFromListPrefix))
      deleteFromList(live, fieldNamedBy(key, deleteFromListPrefix), value, type);
    else mergeField(live, key, value, type);
  }
  return live;
}

function mapByDirective(directive: Working, patch: WorkingMap): WorkingMap {
  if (directive === 'delete') return new Map();
  if (directive !== 'replace') throw unknownDirective(directive, patch);
  patch.delete(directiveKey);
  return patch;
}

/** Drops keys that `$retainKeys` does not list. */
function retainKeys(live: WorkingMap, patch: WorkingMap): void {
  const listed = patch.get(retainKeysKey);
  if (listed === undefined) return;
  patch.delete(retainKeysKey);
  if (!Array.isArray(listed)) throw badRetainKeys();
  const retained = new Set(listed);
  for (const [key, value] of patch) {
    const isDirective = key.startsWith(deleteFromListPrefix) || key.startsWith(elementOrderPrefix);
    if (value !== null && !isDirective && !retained.has(key)) throw badRetainKeys();
  }
  for (const key of live.keys()) if (!retained.has(key)) live.delete(key);
}

/** Merges and orders each list that a `$setElementOrder` names, and removes both from the patch. */
function setElementOrders(live: WorkingMap, patch: WorkingMap, type: TypeNode | undefined): void {
  for (const [key, order] of patch) {
    if (!key.startsWith(elementOrderPrefix)) continue;
    patch.delete(key);
    if (!Array.isArray(order)) throw badArgument('[]interface {}', order);
    const field = fieldNamedBy(key, elementOrderPrefix);
    const before = listAt(live, field);
    const changes = listAt(patch, field);
    const list = listOfField(type, field);
    const mergeKey = list?.patch?.mergeKey ?? '';
    checkElementOrder(changes ?? [], order, mergeKey);
    if (before === undefined && changes === undefined) continue;
    if (mergeKey !== '') requireKeys(order, mergeKey);
    const standing = liveOrder(before ?? [], changes ?? [], mergeKey);
    const merged = mergedForOrder(before, changes, list);
    const named = new Set(order.map((item) => keyOfItem(item, mergeKey, false)));
    const isNamed = (item: Working) => named.has(keyOfItem(item, mergeKey, true));
    checkUniform([standing, changes ?? []], true);
    live.set(field, [
      ...orderedItems({
        named: merged.filter(isNamed),
        others: merged.filter((item) => !isNamed(item)),
        wanted: order,
        live: standing,
        keyOf: (item) => keyOfItem(item, mergeKey, false),
      }),
    ]);
    patch.delete(field);
  }
}

function mergedForOrder(
  before: Working[] | undefined,
  changes: Working[] | undefined,
  list: ListNode | undefined,
): Working[] {
  if (changes === undefined) return before ?? [];
  if (before === undefined) return changes.flatMap(withoutDirectives);
  return list?.patch === undefined ? changes : mergeLists(before, changes, list);
}

function deleteFromList(live: WorkingMap, field: string, values: Working, type: TypeNode | undefined): void {
  const list = live.get(field);
  if (values === null) {
    live.delete(field);
    return;
  }
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  listOfField(type, field);
  if (list.length === 0 && values.length === 0) return;
  checkUniform([list, values], false);
  const deleted = new Set(values.map(identityOf));
  live.set(
    field,
    list.filter((item) => !deleted.has(identityOf(item))),
  );
}

/** The same for equal items of a list whose items are of one type. */
function identityOf(item: Working): Working {
  return isContainer(item) ? canonicalJson(toJson(item)) : item;
}

function mergeField(live: WorkingMap, key: string, value: Working, type: TypeNode | undefined): void {
  if (value === null) {
    live.delete(key);
    return;
  }
  const current = live.get(key);
  if (current instanceof Map && value instanceof Map) {
    live.set(key, mergeMap(current, value, typeOfField(type, key)));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const list = listOfField(type, key);
    live.set(key, list?.patch === undefined ? value : mergeLists(current, value, list));
  } else {
    const added = withoutDirectives(withoutNulls(value));
    const [only] = added;
    if (only === undefined) live.delete(key);
    else live.set(key, only);
  }
}

/** `live` is used up. */
function mergeLists(live: Working[], patch: Working[], list: ListNode): Working[] {
  if (live.length === 0 && patch.length === 0) return live;
  checkUniform([live, patch], false);
  const isOfMaps = live[0] instanceof Map || patch[0] instanceof Map;
  if (!isOfMaps) return mergeScalars(live, patch);
  const mergeKey = list.patch?.mergeKey ?? '';
  if (mergeKey === '') throw failed(`cannot merge lists without merge key for ${list.items.kind}`);
  const plain = carryOutDirectives(live, patch, mergeKey);
  const merged = [...plain.live];
  const places = new Map<Working | undefined, number[]>();
  const note = (item: Working, place: number) => {
    if (!(item instanceof Map)) return;
    const key = item.get(mergeKey);
    const same = places.get(key);
    if (same === undefined) places.set(key, [place]);
    else same.push(place);
  };
  // The first place of a key is taken from the end.
  for (let place = merged.length - 1; place >= 0; place--) note(merged[place] ?? null, place);
  for (const item of plain.patch) {
    const key = requiredKey(item, mergeKey);
    const index = places.get(key)?.at(-1) ?? -1;
    const found = merged[index];
    if (found instanceof Map && item instanceof Map) {
      const both = mergeMap(found, item, list.items);
      merged[index] = both;
      // It has lost its key.
      if (both.get(mergeKey) !== key) places.get(key)?.pop();
    } else {
      note(item, merged.length);
      merged.push(item);
    }
  }
  const keyOf = (item: Working) => keyOfItem(item, mergeKey, false);
  const named = new Set(plain.patch.map(keyOf));
  const isNamed = (item: Working) => named.has(requiredKey(item, mergeKey));
  return [
    ...orderedItems({
      named: merged.filter(isNamed),
      others: merged.filter((item) => !isNamed(item)),
      wanted: plain.patch,
      live: plain.live,
      keyOf,
    }),
  ];
}

function mergeScalars(live: Working[], patch: Working[]): Working[] {
  const all = [...new Set([...live, ...patch])];
  const named = new Set(patch);
  return [
    ...orderedItems({
      named: all.filter((item) => named.has(item)),
      others: all.filter((item) => !named.has(item)),
      wanted: patch,
      live: live,
      keyOf: (item) => item,
    }),
  ];
}

interface Lists {
  readonly live: Working[];
  readonly patch: Working[];
}

/**
 * Deletes items that `$patch: delete` names. With an item `$patch: replace`, the other items of the
 * patch become the list.
 */
function carryOutDirectives(live: Working[], patch: Working[], mergeKey: string): Lists {
  const plain: Working[] = [];
  const deleted = new Set<Working | undefined>();
  let replaces = false;
  for (const item of patch) {
    const directive = item instanceof Map ? item.get(directiveKey) : undefined;
    if (directive === undefined || !(item instanceof Map)) {
      plain.push(item);
    } else if (directive === 'delete') {
      deleted.add(requiredKey(item, mergeKey));
    } else if (directive === 'replace') {
      replaces = true;
    } else if (directive === 'merge') {
      throw failed('merging lists cannot yet be specified in the patch');
    } else {
      throw unknownDirective(directive, item);
    }
  }
  if (replaces) return { live: plain, patch: [] };
  const isLeft = (item: Working) => !(item instanceof Map && deleted.has(item.get(mergeKey)));
  return { live: deleted.size === 0 ? live : live.filter(isLeft), patch: plain };
}

/** All items must be of one JSON type, and no lists. */
function checkUniform(lists: readonly (readonly Working[])[], mustHaveItems: boolean): void {
  const items = lists.flat();
  const [first] = items;
  if (first === undefined) {
    if (mustHaveItems) throw failed('no elements in any of the given slices');
    return;
  }
  if (Array.isArray(first)) throw unprocessableLists();
  if (items.some((item) => goTypeName(item) !== goTypeName(first))) {
    throw failed(`list element types are not identical: ${goText(lists.map((list) => list.map(toJson)))}`);
  }
}

/**
 * The value without items and members that have a `$patch`, in a list. The list is empty if the
 * value has a `$patch` itself.
 */
function withoutDirectives(value: Working): readonly Working[] {
  if (Array.isArray(value)) return [value.flatMap(withoutDirectives)];
  if (!(value instanceof Map)) return [value];
  if (value.has(directiveKey)) return [];
  return [
    new Map([...value].flatMap(([key, member]) => withoutDirectives(member).map((kept) => [key, kept] as const))),
  ];
}

function withoutNulls(value: Working): Working {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!(value instanceof Map)) return value;
  return new Map(
    [...value].flatMap(([key, member]) => (member === null ? [] : [[key, withoutNulls(member)] as const])),
  );
}

function listAt(map: WorkingMap, field: string): Working[] | undefined {
  const value = map.get(field);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw badArgument('[]interface {}', value);
  return value;
}

function fieldNamedBy(key: string, prefix: string): string {
  if (key[prefix.length] === '/') return key.slice(prefix.length + 1);
  throw prefix === elementOrderPrefix ? badElementOrder() : badPrimitiveList();
}

function listOfField(type: TypeNode | undefined, name: string): ListNode | undefined {
  const field = typeOfField(type, name);
  return field?.kind === 'list' ? field : undefined;
}

/**
 * The type of a field. Errors: a map, whose values have no fields; a struct that lacks the field.
 * Undefined below a value that may be anything.
 */
function typeOfField(type: TypeNode | undefined, name: string): TypeNode | undefined {
  if (type?.kind === 'map') throw failed('merging an object in json but data type is not struct, instead is: map');
  if (type?.kind !== 'struct') return undefined;
  if (Object.hasOwn(type.fields, name)) return type.fields[name]?.type;
  if (type.unknownFields !== undefined) return type.unknownFields;
  throw failed(`unable to find api field in struct ${type.goName} for the json field ${JSON.stringify(name)}`);
}

const retainKeysKey = '$retainKeys';
const deleteFromListPrefix = '$deleteFromPrimitiveList';
const elementOrderPrefix = '$setElementOrder';
