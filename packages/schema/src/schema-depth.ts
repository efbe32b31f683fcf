import type { JsonSchema } from './json-schema.ts';

/** Schemas nested deeper than this are refused; those of real kinds have less than 30 levels. */
export const maxSchemaDepth = 200;

/** Whether a schema, its alternatives included, is nested deeper than {@link maxSchemaDepth}. Keeps its own stack. */
export function isTooDeep(schema: JsonSchema): boolean {
  const waiting: { readonly schema: JsonSchema; readonly depth: number }[] = [{ schema, depth: 0 }];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.depth > maxSchemaDepth) return true;
    for (const child of partsOf(node.schema)) waiting.push({ schema: child, depth: node.depth + 1 });
  }
  return false;
}

function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const { items, not, additionalProperties: more } = schema;
  return [
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(items === undefined ? [] : [items]),
    ...(not === undefined ? [] : [not]),
    ...(typeof more === 'object' ? [more] : []),
  ];
}
