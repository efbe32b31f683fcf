import type { StructNode, TypeNode } from '../typed/type-node.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * A built-in object in the form in which storage returns it. The real server stores protobuf, which
 * does not distinguish an empty list from an absent one. So `[]` becomes `null` if the field is
 * always written.
 */
export function storedForm({ origin, type }: ServedResource, object: Stored): Stored {
  return origin === 'built-in' ? (structForm(type, object) as Stored) : object;
}

function structForm(type: StructNode, value: Values): Values {
  let changed: Record<string, unknown> | undefined;
  for (const [key, { type: field, omit }] of Object.entries(type.fields)) {
    const before = value[key];
    if (typeof before !== 'object' || before === null) continue;
    const after = form(field, before);
    if (after === before) continue;
    changed ??= { ...value };
    if (after === null && omit !== 'never') delete changed[key];
    else changed[key] = after;
  }
  return changed ?? value;
}

function form(type: TypeNode, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  switch (type.kind) {
    case 'struct':
      return structForm(type, value as Values);
    case 'list': {
      if (!Array.isArray(value)) return value;
      if (value.length === 0) return null;
      const items = value.map((item: unknown) => form(type.items, item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    default:
      return value;
  }
}
