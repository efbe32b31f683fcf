import type { Json } from '@isthmus/schema';
import type { FieldSet, FieldSetEntry } from './field-set.ts';
import { emptyFieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { fieldElement } from './path-element.ts';
import type { ListShape, MapShape } from './shape.ts';
import { asList, asObject, elementOfItem, keysOf, memberOf, shapeOf } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';

/**
 * The fields that a manager owns after applying `value`:
 *
 * - each leaf, with empty maps and nulls, and each key of a map that is data;
 * - each item of a keyed list or set;
 * - an atomic list or map as one.
 *
 * Parents that are fields of a type are not owned. Items of a keyed list without keys are ignored
 * ({@link validateTyped} reports them). If several items have equal keys, the item is owned, and
 * nothing below it.
 */
export function fieldSetOf(type: TypeNode, value: Json | undefined): FieldSet {
  return walk(type, value).children;
}

/** The fields that a value adds, at its own path (`owned`) and below. */
interface Walked {
  readonly owned: boolean;
  readonly children: FieldSet;
}

function walk(type: TypeNode, value: Json | undefined): Walked {
  const shape = shapeOf(type, value);
  switch (shape.kind) {
    case 'scalar':
      return { owned: true, children: emptyFieldSet };
    case 'list':
      return walkList(shape, value);
    case 'map':
      return walkMap(shape, value);
  }
}

function walkMap(shape: MapShape, value: Json | undefined): Walked {
  if (shape.atomic) return { owned: true, children: emptyFieldSet };
  const object = asObject(value);
  const entries = new Map<string, FieldSetEntry>();
  for (const key of keysOf(object)) {
    const type = shape.typeOf(key);
    const member = memberOf(object, key);
    if (type === undefined || member === undefined) continue;
    const inner = walk(type, member);
    const isEmptyMap = asObject(member) !== undefined && keysOf(asObject(member)).length === 0;
    const owned = inner.owned || member === null || isEmptyMap || !shape.isNamed(key);
    add(entries, fieldElement(key), { owned, children: inner.children });
  }
  return { owned: false, children: setOf(entries) };
}

function walkList(shape: ListShape, value: Json | undefined): Walked {
  if (shape.list.listType === 'atomic') return { owned: true, children: emptyFieldSet };
  const entries = new Map<string, FieldSetEntry>();
  for (const item of asList(value) ?? []) {
    const element = elementOfItem(shape.list, item);
    if (typeof element === 'string') continue;
    const isDuplicate = entries.has(element.text);
    add(entries, element, {
      owned: true,
      children: isDuplicate ? emptyFieldSet : walk(shape.list.items, item).children,
    });
  }
  return { owned: false, children: setOf(entries) };
}

function add(entries: Map<string, FieldSetEntry>, element: PathElement, walked: Walked): void {
  if (!walked.owned && walked.children.entries.size === 0) return;
  entries.set(element.text, { element, member: walked.owned, children: walked.children });
}

function setOf(entries: ReadonlyMap<string, FieldSetEntry>): FieldSet {
  return entries.size === 0 ? emptyFieldSet : { entries };
}
