import { goQuote, isInt64 } from '../go-text.ts';
import { typeInvalid } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import { isKnownStringFormat } from '../formats.ts';
import type { JsonSchema } from '../json-schema.ts';

/**
 * The type of a JSON value in the API server's texts. Integers beyond 64 bits are numbers there.
 */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'number':
      return isInt64(value) ? 'integer' : 'number';
    default:
      return 'object';
  }
}

/** The types that a schema admits; none means any. */
export function admittedTypes(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

/**
 * The format as the API server uses it: a format that it does not know for the type counts as
 * absent.
 */
export function effectiveFormat(schema: JsonSchema): string | undefined {
  const { format } = schema;
  if (format === undefined || format === '') return undefined;
  const types = admittedTypes(schema);
  switch (types.length === 1 ? types[0] : 'string') {
    case 'string':
      return isKnownStringFormat(format) ? format : undefined;
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : undefined;
    case 'number':
      return format === 'float' || format === 'double' ? format : undefined;
    default:
      return undefined;
  }
}

/**
 * A check of the type alone, or undefined where every type is admitted. Returns the error, if there
 * is one.
 */
export function compileType(
  schema: JsonSchema,
): ((value: unknown, path: string) => FieldError | undefined) | undefined {
  const types = admittedTypes(schema);
  const format = effectiveFormat(schema);
  if (types.length === 0 && format === undefined) return undefined;
  const nullable = schema.nullable === true || types.length === 0;
  const numeric = types.includes('integer') || types.includes('number');
  const wanted = types.join(',');

  return function checkType(value, path) {
    const type = jsonTypeOf(value);
    if (type === 'null') return nullable ? undefined : wrongType(path, wanted, 'null');
    const admitted = types.includes(type) || (type === 'integer' && types.includes('number'));
    if (admitted) return undefined;
    if (format !== undefined) {
      // For a value of a wrong type, the API server compares with the format first. `type` decides
      // only for strings and lists in numeric fields.
      if (type !== 'string' && type !== 'array') return wrongType(path, format, formatOf(type));
      if (!numeric) return undefined;
    }
    return types.length === 0 ? undefined : wrongType(path, wanted, type);
  };
}

function formatOf(type: string): string {
  return type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
}

/** `found` is what the message shows as the value, too. */
export function wrongType(path: string, wanted: string, found: string): FieldError {
  return typeInvalid(path, found, `${path} in body must be of type ${wanted}: ${goQuote(found)}`);
}
