import { equal } from '@isthmus/machinery';
import type { Json } from '@isthmus/schema';
import type { FieldFilter, FieldSet } from './field-set.ts';
import { FieldSetBuilder } from './field-set.ts';
import type { FieldPath, PathElement } from './path-element.ts';
import { fieldElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { asList, asObject, elementOfItem, keysOf, memberOf, shapeOf } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';

/**
 * How two values of one type differ. A field that appears or vanishes counts with all that it
 * holds; one that changes counts alone.
 */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two values by the units of ownership: atomic lists and maps as one, keyed lists and sets
 * by item, whatever their order. `undefined` is absence. Several items with equal keys are compared
 * as one.
 */
export function compareTyped(type: TypeNode, before: Json | undefined, after: Json | undefined): Comparison {
  const found = { added: new FieldSetBuilder(), modified: new FieldSetBuilder(), removed: new FieldSetBuilder() };
  if (before !== undefined || after !== undefined) compareAt(found, type, [], [before, after]);
  return { added: found.added.build(), modified: found.modified.build(), removed: found.removed.build() };
}

/** The part of a comparison that a filter lets through. */
export function filterComparison(comparison: Comparison, filter: FieldFilter | undefined): Comparison {
  if (filter === undefined) return comparison;
  return {
    added: filter(comparison.added),
    modified: filter(comparison.modified),
    removed: filter(comparison.removed),
  };
}

interface Found {
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
}

/** Before and after. */
type Sides = readonly [Json | undefined, Json | undefined];

function compareAt(found: Found, type: TypeNode, path: FieldPath, sides: Sides): void {
  const [before, after] = sides;
  // Most of an object stays unchanged: this check avoids descending into it.
  if (before !== undefined && equal(before, after)) return;
  compareDifferent(found, type, path, sides);
}

function compareDifferent(found: Found, type: TypeNode, path: FieldPath, sides: Sides): void {
  const [before, after] = sides;
  const shapes = shapesToWalk(type, before, after);
  let wasLeaf = false;
  for (const shape of shapes) wasLeaf = compareAs(found, shape, path, sides);
  if (wasLeaf) return;
  if (before === undefined) found.added.insert(path);
  else if (after === undefined) found.removed.insert(path);
}

/**
 * One shape if both sides have the same. Both shapes, the later one last, if a value that may be
 * anything changed its shape.
 */
function shapesToWalk(type: TypeNode, before: Json | undefined, after: Json | undefined): readonly Shape[] {
  const old = shapeOf(type, before);
  if (after === undefined) return [old];
  const next = shapeOf(type, after);
  return before === undefined || old.kind === next.kind ? [next] : [old, next];
}

/** Whether the value was compared as a leaf. */
function compareAs(found: Found, shape: Shape, path: FieldPath, sides: Sides): boolean {
  if (isLeaf(shape, sides)) {
    const [before, after] = sides;
    if (before === undefined) found.added.insert(path);
    else if (after === undefined) found.removed.insert(path);
    else if (!equal(before, after)) found.modified.insert(path);
    return true;
  }
  if (shape.kind === 'map') compareMaps(found, shape, path, sides);
  else if (shape.kind === 'list') compareLists(found, shape, path, sides);
  return false;
}

/**
 * Whether the value is compared as a whole: scalars, atomic values, and values that are empty on
 * both sides. For the last, an empty value differs from null.
 */
function isLeaf(shape: Shape, [before, after]: Sides): boolean {
  switch (shape.kind) {
    case 'scalar':
      return true;
    case 'list':
      return shape.list.listType === 'atomic' || (!asList(before)?.length && !asList(after)?.length);
    case 'map':
      return shape.atomic || (keysOf(asObject(before)).length === 0 && keysOf(asObject(after)).length === 0);
  }
}

function compareMaps(found: Found, shape: MapShape, path: FieldPath, sides: Sides): void {
  const before = asObject(sides[0]);
  const after = asObject(sides[1]);
  const compareMember = (key: string) => {
    const sides = [memberOf(before, key), memberOf(after, key)] as const;
    if (sides[0] !== undefined && equal(...sides)) return;
    const type = shape.typeOf(key);
    if (type !== undefined) compareDifferent(found, type, [...path, fieldElement(key)], sides);
  };
  for (const key of keysOf(before)) compareMember(key);
  for (const key of keysOf(after)) if (memberOf(before, key) === undefined) compareMember(key);
}

function compareLists(found: Found, shape: ListShape, path: FieldPath, sides: Sides): void {
  const before = itemsByElement(shape, asList(sides[0]) ?? []);
  const after = itemsByElement(shape, asList(sides[1]) ?? []);
  for (const text of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(text);
    const next = after.get(text);
    const element = (old ?? next)?.element;
    if (element === undefined) continue;
    compareItems(found, shape, [...path, element], [old?.items ?? [], next?.items ?? []]);
  }
}

function compareItems(
  found: Found,
  shape: ListShape,
  path: FieldPath,
  [before, after]: readonly [readonly Json[], readonly Json[]],
): void {
  const type = shape.list.items;
  if (before.length <= 1 && after.length <= 1) {
    compareAt(found, type, path, [before[0], after[0]]);
  } else if (before.length > 1 && after.length > 1) {
    if (!equal(before, after)) found.modified.insert(path);
  } else if (before.length > 1) {
    if (after.length > 0) compareAt(found, type, path, [undefined, after[0]]);
    found.removed.insert(path);
  } else {
    if (before.length > 0) compareAt(found, type, path, [before[0], undefined]);
    found.added.insert(path);
  }
}

interface ItemsOfElement {
  readonly element: PathElement;
  readonly items: Json[];
}

function itemsByElement(shape: ListShape, list: readonly Json[]): ReadonlyMap<string, ItemsOfElement> {
  const items = new Map<string, ItemsOfElement>();
  for (const item of list) {
    const element = elementOfItem(shape.list, item);
    if (typeof element === 'string') continue;
    const known = items.get(element.text);
    if (known === undefined) items.set(element.text, { element, items: [item] });
    else known.items.push(item);
  }
  return items;
}
