import { rulesOf } from '../definition/definition.ts';
import type { JsonSchema } from '../json-schema.ts';

/**
 * Whether a schema or one of its parts has rules. Each part is visited once, however often the
 * returned function is called.
 */
export function ruledParts(): (schema: JsonSchema) => boolean {
  const known = new Map<JsonSchema, boolean>();
  return function isRuled(schema: JsonSchema): boolean {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const { properties = {}, items, additionalProperties: more } = schema;
    const found =
      rulesOf(schema).length > 0 ||
      Object.values(properties).some(isRuled) ||
      (items !== undefined && isRuled(items)) ||
      (typeof more === 'object' && isRuled(more));
    known.set(schema, found);
    return found;
  };
}
