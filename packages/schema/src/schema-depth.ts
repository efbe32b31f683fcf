import type { JsonSchema } from './json-schema.ts';

/** Schemas nested deeper than this are refused; those of real kinds have less than 30 levels. */
export const maxSchemaDepth = 200;

/**
 * Whether a schema, its alternatives included, is nested deeper than {@link maxSchemaDepth}. Keeps
 * its own stack.
 */
export function isTooDeep(schema: JsonSchema): boolean {
  const waiting: JsonSchema[] = [schema];
  const depths: number[] = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const depth = (depths.pop() ?? 0) + 1;
    if (depth > maxSchemaDepth + 1) return true;
    const wait = (child: JsonSchema): void => {
      waiting.push(child);
      depths.push(depth);
    };
    const { items, not, additionalProperties: more } = node;
    Object.values(node.properties ?? {}).forEach(wait);
    node.allOf?.forEach(wait);
    node.anyOf?.forEach(wait);
    node.oneOf?.forEach(wait);
    if (items !== undefined) wait(items);
    if (not !== undefined) wait(not);
    if (typeof more === 'object') wait(more);
  }
  return false;
}
