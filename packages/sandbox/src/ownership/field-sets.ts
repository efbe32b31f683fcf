import type { FieldSet } from './field-set.ts';
import type { FieldsV1 } from './fields-v1.ts';
import { parseFieldsV1, printFieldsV1 } from './fields-v1.ts';

/** Reads and writes `fieldsV1`, as {@link parseFieldsV1} and {@link printFieldsV1} do. */
export interface FieldSets {
  readonly parse: (fields: unknown) => FieldSet;
  readonly print: (set: FieldSet) => FieldsV1;
}

/** Parses and prints on each call. */
export const plainFieldSets: FieldSets = { parse: parseFieldsV1, print: printFieldsV1 };

/**
 * Remembers which set and which `fieldsV1` belong together, as long as both live. A write changes
 * one or two of an object's managers; the others are neither parsed nor printed again. Callers must
 * not change parsed or printed values.
 */
export function rememberedFieldSets(): FieldSets {
  const sets = new WeakMap<object, FieldSet>();
  const texts = new WeakMap<FieldSet, FieldsV1>();
  return {
    parse(fields) {
      if (typeof fields !== 'object' || fields === null) return parseFieldsV1(fields);
      const known = sets.get(fields);
      if (known !== undefined) return known;
      const set = parseFieldsV1(fields);
      sets.set(fields, set);
      return set;
    },
    print(set) {
      const known = texts.get(set);
      if (known !== undefined) return known;
      const fields = printFieldsV1(set);
      sets.set(fields, set);
      texts.set(set, fields);
      return fields;
    },
  };
}
