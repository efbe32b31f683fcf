import type { Json } from '@isthmus/schema';
import type { FieldSet, FieldSetEntry } from './field-set.ts';
import { emptyFieldSet } from './field-set.ts';
import { asList, asObject, elementOfItem, keysOf, memberOf, shapeOf } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';

/**
 * The value without the members of `fields`. A map or a keyed list that loses all its content
 * becomes null, as on the API server. To remove it, its own path must be in `fields`
 * ({@link withNamedFields}). Atomic values are not changed inside: they are removed or become null
 * as one.
 */
export function removeFields(type: TypeNode, value: Json, fields: FieldSet): Json {
  const shape = shapeOf(type, value);
  if (shape.kind === 'scalar') return value;
  if (shape.kind === 'map') {
    const object = asObject(value);
    const keys = keysOf(object);
    if (keys.length === 0 || shape.atomic) return null;
    const members: [string, Json][] = [];
    for (const key of keys) {
      const entry = fields.entries.get(`f:${key}`);
      const member = memberOf(object, key);
      if (entry?.member || member === undefined) continue;
      members.push([key, kept(shape.typeOf(key), member, entry)]);
    }
    return members.length === 0 ? null : Object.fromEntries(members);
  }
  const { list } = shape;
  const items = asList(value) ?? [];
  if (items.length === 0 || list.listType === 'atomic') return null;
  const left = items.flatMap((item) => {
    const element = elementOfItem(list, item);
    const entry = typeof element === 'string' ? undefined : fields.entries.get(element.text);
    return entry?.member ? [] : [kept(list.items, item, entry)];
  });
  return left.length === 0 ? null : left;
}

/**
 * The set with each field of a type that leads to a member made a member too: `spec.ports` for
 * `spec.ports[…].name`, and not a key of a map that is data, nor an item of a list.
 */
export function withNamedFields(type: TypeNode | undefined, fields: FieldSet): FieldSet {
  if (fields.entries.size === 0) return emptyFieldSet;
  const entries = new Map<string, FieldSetEntry>();
  for (const [text, entry] of fields.entries) {
    const { element } = entry;
    const leads = entry.children.entries.size > 0;
    const named =
      leads && element.kind === 'field' && type?.kind === 'struct' && Object.hasOwn(type.fields, element.name);
    const below = withNamedFields(typeBelow(type, entry), entry.children);
    entries.set(text, { element, member: entry.member || named, children: below });
  }
  return { entries };
}

function typeBelow(type: TypeNode | undefined, { element }: FieldSetEntry): TypeNode | undefined {
  if (type === undefined) return undefined;
  if (element.kind === 'field') {
    if (type.kind === 'any') return type;
    const shape = shapeOf(type, undefined);
    return shape.kind === 'map' ? shape.typeOf(element.name) : undefined;
  }
  return element.kind === 'key' && type.kind === 'list' ? type.items : undefined;
}

function kept(type: TypeNode | undefined, value: Json, entry: FieldSetEntry | undefined): Json {
  if (type === undefined || entry === undefined || entry.children.entries.size === 0) return value;
  return removeFields(type, value, entry.children);
}
