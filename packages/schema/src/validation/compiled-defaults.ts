import { deepFreeze } from '@isthmus/machinery';
import type { JsonSchema } from '../json-schema.ts';

/**
 * A change of a value; returns the same value if nothing changes, and never modifies its argument.
 */
export type Change = (value: unknown) => unknown;

/** Stands for a member that goes. */
const gone = Symbol('gone');

/**
 * Fills in defaults as the API server does before it validates. An absent field, or one that is
 * null without being nullable, gets its default. A null that is neither nullable nor defaulted is
 * removed. Then follow the parts inside.
 */
export function compileDefaults(schema: JsonSchema): Change {
  const fields = new Map(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, compileField(field)]));
  const defaulted = [...fields].filter(([, field]) => field.default !== undefined);
  const more = typeof schema.additionalProperties === 'object' ? compileField(schema.additionalProperties) : undefined;
  const items = schema.items === undefined ? undefined : compileField(schema.items);

  return function applyDefaults(value) {
    if (Array.isArray(value)) return items === undefined ? value : changedList(value, items);
    if (typeof value !== 'object' || value === null) return value;
    const record = value as Readonly<Record<string, unknown>>;
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(record)) {
      const before = record[name];
      const field = fields.get(name) ?? more;
      if (before === undefined || field === undefined) continue;
      const after = field.change(before);
      if (after === before) continue;
      copy ??= { ...record };
      if (after === gone) delete copy[name];
      else define(copy, name, after);
    }
    for (const [name, field] of defaulted) {
      if (Object.hasOwn(record, name) && record[name] !== undefined) continue;
      copy ??= { ...record };
      define(copy, name, field.change(field.default));
    }
    return copy ?? record;
  };
}

interface Field {
  readonly default: unknown;
  readonly change: Change;
}

/**
 * Compiles a field's schema to the change that it makes to its value. A null in a field that is not
 * nullable becomes the default, or {@link gone}.
 */
function compileField(schema: JsonSchema): Field {
  const inner = compileDefaults(schema);
  const filled = schema.default === undefined ? undefined : deepFreeze(structuredClone(schema.default));
  const keepsNull = schema.nullable === true;
  return {
    default: filled,
    change: (value) => (value !== null || keepsNull ? inner(value) : filled === undefined ? gone : inner(filled)),
  };
}

/** Items that are null stay: a list has no absent ones. */
function changedList(list: readonly unknown[], items: Field): readonly unknown[] {
  let copy: unknown[] | undefined;
  list.forEach((before, index) => {
    const after = items.change(before);
    if (after === before || after === gone) return;
    copy ??= [...list];
    copy[index] = after;
  });
  return copy ?? list;
}

/** An own property even where the name is `__proto__`. */
function define(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}
