import type { JsonSchema } from '@isthmus/schema';
import fc from 'fast-check';

/**
 * Values that a structural schema admits by its types, enumerations and bounds. Patterns and CEL
 * rules may reject some of them.
 */
export function valuesOf(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string'] === true) return fc.constantFrom<unknown>(80, 'http', 0);
  switch (schema.type) {
    case 'string':
      return textsOf(schema);
    case 'integer':
    case 'number':
      return fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 443, 1, 80);
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const { items = {}, minItems = 0 } = schema;
      const most = Math.max(minItems, depth > 3 ? 1 : 2);
      return fc.array(valuesOf(items, depth + 1), { minLength: minItems, maxLength: most, size: 'max' });
    }
    case 'object':
      return objectsOf(schema, depth);
    default:
      return fc.constantFrom<unknown>('any', 1, { a: 1 });
  }
}

function textsOf({ format, maxLength, minLength = 0, pattern }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom('2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123456Z', 'now');
  const texts = ['a', 'web-1', 'east', '10.1.2.3', '10.0.0.0/16', 'Some text', ''];
  const bounds = maxLength === undefined || maxLength > 1024 ? [] : ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1)];
  const fitting =
    pattern === undefined ? texts : [...texts.filter((text) => new RegExp(pattern).test(text)), 'a', 'A b'];
  return fc.constantFrom(...fitting.filter((text) => text.length >= minLength || text === ''), ...bounds);
}

function objectsOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const values = valuesOf(additionalProperties, depth + 1);
    return fc.dictionary(fc.constantFrom('app', 'example.com/a', 'b'), values, { maxKeys: 2, noNullPrototype: true });
  }
  const parts = Object.entries(properties);
  if (parts.length === 0) return fc.constantFrom<unknown>({}, { anything: ['goes', 1] });
  // Deep levels have only required fields, to keep objects small.
  const kept = depth > 4 ? parts.filter(([name]) => required.includes(name)) : parts;
  const arbitraries = Object.fromEntries(kept.map(([name, part]) => [name, valuesOf(part, depth + 1)]));
  return fc
    .record(arbitraries, { requiredKeys: required.filter((name) => name in arbitraries) })
    .map((record) => ({ ...record }));
}
