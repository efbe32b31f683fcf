import type { JsonSchema } from '@isthmus/schema';

/**
 * The rows of a field table: path, type with its limits, whether it is required, description. Depth
 * first, in the order of the schema.
 */
export function fieldRows(schema: JsonSchema, path = ''): readonly (readonly string[])[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const row = [`\`${at}\``, typeText(field), required.has(name) ? 'yes' : '', field.description ?? ''];
    return [row, ...below(field, at)];
  });
}

/** The fields inside of a field: of an object, of a list's items, of a map's values. */
function below(schema: JsonSchema, path: string): readonly (readonly string[])[] {
  if (schema.items !== undefined) return below(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') return below(schema.additionalProperties, `${path}.<key>`);
  return fieldRows(schema, path);
}

function typeText(schema: JsonSchema): string {
  const limits = [
    ...(schema.enum === undefined ? [] : [`one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...(schema.minimum === undefined ? [] : [`at least ${schema.minimum}`]),
    ...(schema.maximum === undefined ? [] : [`at most ${schema.maximum}`]),
    ...(schema.minLength === undefined ? [] : [`at least ${schema.minLength} characters`]),
    ...(schema.maxLength === undefined ? [] : [`at most ${schema.maxLength} characters`]),
    ...itemLimits(schema),
    ...(schema.pattern === undefined ? [] : [`matches \`${schema.pattern}\``]),
  ];
  const name = typeName(schema);
  return limits.length === 0 ? name : `${name}: ${limits.join('; ')}`;
}

function itemLimits(schema: JsonSchema): readonly string[] {
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && minItems === maxItems) return [`exactly ${minItems}`];
  return [
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ];
}

function typeName(schema: JsonSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (schema.items !== undefined) {
    const listType = schema['x-kubernetes-list-type'];
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    const kind = listType === 'map' ? `, a map by ${keys.join(', ')}` : listType === 'set' ? ', a set' : '';
    return `list of ${typeName(schema.items)}${kind}`;
  }
  if (typeof schema.additionalProperties === 'object') return `map of ${typeName(schema.additionalProperties)}`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'object, kept as it is';
  return schema.format === undefined ? (schema.type ?? 'any') : `${schema.type} (${schema.format})`;
}
