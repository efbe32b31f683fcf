import type { JsonSchema } from '../json-schema.ts';
import { celFieldName } from './cel-field-name.ts';
import type { Size } from './saturating.ts';

/** How large the values of a schema can be, for what an expression may cost. */
export interface ValueBounds {
  /** The most code points, bytes, items or entries; 0 for an object and a number. */
  readonly most: number;
  /** The fewest bytes as JSON. */
  readonly fewestBytes: number;
  /** Parts as a path names them: a field as CEL writes it, `@items`, `@values`, `@keys`. */
  readonly parts: PartBounds;
}

/**
 * The bounds of parts, which are found out when they are asked for: expressions are about few of
 * them.
 */
interface PartBounds {
  get(step: string): ValueBounds | undefined;
}

/** The largest request that is thought possible, whatever a server is set up for. */
export const largestRequest = 3 * 1024 * 1024;

const scalar = (most: number, fewestBytes: number): ValueBounds => ({ most, fewestBytes, parts: new Map() });

/**
 * The bounds of a schema; undefined where CEL does not see its values, as where it has no type.
 * `isResource`: it is a whole object, which has a name. Texts without `maxLength` are as long as a
 * request, lists and maps without a bound as long as fits into one.
 */
export function valueBounds(schema: JsonSchema, isResource: boolean): ValueBounds | undefined {
  const { maxLength } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return scalar(bytesOf(maxLength) ?? largestRequest - 2, 1);
  switch (schema.type) {
    case 'array':
      return listBounds(schema);
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? mapBounds(schema, schema.additionalProperties)
        : objectBounds(isResource ? withNames(schema) : schema);
    case 'string':
      return textBounds(schema);
    case 'boolean':
      return scalar(0, 4);
    case 'number':
    case 'integer':
      return scalar(0, 1);
    default:
      return undefined;
  }
}

/**
 * The largest possible size of the value at a path. The first step is the variable, whatever its
 * name.
 */
export function sizeAt(bounds: ValueBounds, path: readonly string[]): Size | undefined {
  let part: ValueBounds | undefined = bounds;
  for (const name of path.slice(1)) part = part?.parts.get(name);
  return part === undefined ? undefined : { min: 0, max: part.most };
}

function boundsOf(schema: JsonSchema): ValueBounds | undefined {
  return valueBounds(schema, schema['x-kubernetes-embedded-resource'] === true);
}

function listBounds({ items, maxItems }: JsonSchema): ValueBounds | undefined {
  const item = items && boundsOf(items);
  if (item === undefined) return undefined;
  const most = maxItems ?? Math.floor((largestRequest - 2) / (item.fewestBytes + 1));
  return { most: Math.max(most, 0), fewestBytes: 2, parts: new Map([['@items', item]]) };
}

function mapBounds({ maxProperties }: JsonSchema, values: JsonSchema): ValueBounds | undefined {
  const value = boundsOf(values);
  if (value === undefined) return undefined;
  const most = maxProperties ?? Math.floor((largestRequest - 2) / (value.fewestBytes + 6));
  // Nothing is known of keys.
  const parts = new Map([
    ['@keys', scalar(0, 2)],
    ['@values', value],
  ]);
  return { most: Math.max(most, 0), fewestBytes: 2, parts };
}

function objectBounds({ properties = {}, required = [] }: JsonSchema): ValueBounds {
  let fewestBytes = 2;
  for (const name of new Set(required)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined || (schema.default !== undefined && schema.default !== null)) continue;
    const field = boundsOf(schema);
    if (field !== undefined) fewestBytes += new TextEncoder().encode(name).length + field.fewestBytes + 4;
  }
  return { most: 0, fewestBytes, parts: fieldBounds(properties) };
}

function fieldBounds(properties: Readonly<Record<string, JsonSchema>>): PartBounds {
  let names: ReadonlyMap<string | undefined, string> | undefined;
  const found = new Map<string, ValueBounds | undefined>();
  return {
    get(step) {
      if (!found.has(step)) {
        names ??= new Map(Object.keys(properties).map((name) => [celFieldName(name), name]));
        const schema = properties[names.get(step) ?? ''];
        found.set(step, schema === undefined || !names.has(step) ? undefined : boundsOf(schema));
      }
      return found.get(step);
    },
  };
}

function textBounds({ format, maxLength, enum: values = [] }: JsonSchema): ValueBounds {
  switch (format) {
    case 'byte':
      return scalar(maxLength === undefined ? largestRequest - 2 : Math.max(maxLength, 0), 2);
    case 'duration':
      return scalar(32, 3);
    case 'date':
      return scalar(12, 12);
    case 'date-time':
      return scalar(32, 21);
    default:
      return scalar(bytesOf(maxLength) ?? longest(values) ?? largestRequest - 2, 2);
  }
}

/** A code point has up to four bytes. */
function bytesOf(maxLength: number | undefined): number | undefined {
  return maxLength === undefined ? undefined : Math.max(maxLength, 0) * 4;
}

function longest(values: readonly unknown[]): number | undefined {
  if (values.length === 0) return undefined;
  const lengths = values.map((value) => (typeof value === 'string' ? new TextEncoder().encode(value).length : 0));
  return Math.max(...lengths);
}

/** A whole object has its names in any case, and then no others in `metadata`. */
function withNames(schema: JsonSchema): JsonSchema {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const { name, generateName } = metadata?.properties ?? {};
  const isText = (one: JsonSchema | undefined) => one?.type === 'string';
  if ([kind, apiVersion, name, generateName].every(isText) && metadata?.type === 'object') return schema;
  const text: JsonSchema = { type: 'string' };
  const names: JsonSchema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata: names } };
}
