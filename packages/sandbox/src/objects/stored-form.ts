import type { StructNode, TypeNode } from '../typed/type-node.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * A built-in object as it comes back from storage: the real server keeps protobuf, which does not
 * know an empty list from none, so that `[]` comes back as `null` where the field is always
 * written.
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
