import type { FieldSet, FieldSetEntry } from './field-set.ts';
import { emptyFieldSet } from './field-set.ts';
import { shapeOf } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';

/**
 * Adapts a set to a type that changed since the set was written: parts of a value that is atomic
 * now become the whole. Fields that the type does not have, or that may be anything, stay.
 */
export function reconcileFieldSet(type: TypeNode, fields: FieldSet): FieldSet {
  if (type.kind === 'any' || type.kind === 'scalar' || fields.entries.size === 0) return fields;
  let entries: Map<string, FieldSetEntry> | undefined;
  for (const [text, entry] of fields.entries) {
    const below = typeOfEntry(type, entry);
    const reconciled = below === undefined ? entry : reconcileEntry(below, entry);
    // Types seldom change.
    if (reconciled !== entry) (entries ??= new Map(fields.entries)).set(text, reconciled);
  }
  return entries === undefined ? fields : { entries };
}

function reconcileEntry(type: TypeNode, entry: FieldSetEntry): FieldSetEntry {
  if (entry.children.entries.size === 0) return entry;
  if (isAtomic(type)) return { element: entry.element, member: true, children: emptyFieldSet };
  const children = reconcileFieldSet(type, entry.children);
  return children === entry.children ? entry : { ...entry, children };
}

function isAtomic(type: TypeNode): boolean {
  switch (type.kind) {
    case 'list':
      return type.listType === 'atomic';
    case 'map':
    case 'struct':
    case 'any':
      return type.atomic;
    case 'scalar':
      return false;
  }
}

function typeOfEntry(type: TypeNode, { element }: FieldSetEntry): TypeNode | undefined {
  if (type.kind === 'list') return type.items;
  const shape = shapeOf(type, undefined);
  return element.kind === 'field' && shape.kind === 'map' ? shape.typeOf(element.name) : undefined;
}
