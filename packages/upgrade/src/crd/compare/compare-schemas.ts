import type { JsonSchema } from '@isthmus/schema';
import {
  compareEmbedding,
  compareFreeKeys,
  comparePreserving,
  compareProperties,
  compareRequired,
  propertyOf,
} from './compare-fields.ts';
import {
  compareAlternatives,
  compareDefaults,
  compareListKeys,
  compareListTypes,
  compareMapTypes,
  compareRules,
} from './compare-marks.ts';
import {
  compareEnums,
  compareExclusive,
  compareFormats,
  compareLimit,
  compareMultiples,
  compareNullable,
  comparePatterns,
  compareTypes,
  keepsType,
  limits,
  named,
} from './compare-values.ts';
import { changeAt, pointerToken, same } from './schema-change.ts';
import type { Compare, Pair, SchemaChange } from './schema-change.ts';

/**
 * Everything that changes from one schema to another, walking both once. Every difference is
 * reported: a difference without a rule is F36, another form of the same schema is G21. A property
 * that is removed or new, or whose type changes, is one finding; changes inside it are not
 * reported.
 */
export function compareSchemas(old: JsonSchema, next: JsonSchema): readonly SchemaChange[] {
  return comparePair({ old, next, pointer: '', field: '', inRepeated: false });
}

/**
 * As {@link compareSchemas} for the schemas of whole objects: every object has apiVersion, kind and
 * metadata with a name, whether the schema lists them or not. So a limit of the name is no new
 * property, and a schema that no longer lists them takes nothing away.
 */
export function compareRoots(old: JsonSchema, next: JsonSchema): readonly SchemaChange[] {
  const found = compareSchemas(withMeta(old), withMeta(next));
  if (found.length > 0 || same(old, next)) return found;
  const message = 'apiVersion, kind and metadata are listed differently, with the same meaning';
  return [{ rule: 'G21', pointer: '/properties', field: '', message, hint: '' }];
}

const text: JsonSchema = { type: 'string' };
const always = ['apiVersion', 'kind', 'metadata'];

function withMeta(schema: JsonSchema): JsonSchema {
  const { properties = {}, required, ...rest } = schema;
  if (schema.type !== 'object') return schema;
  const { metadata = {} } = properties;
  const asked = required?.filter((name) => !always.includes(name)) ?? [];
  return {
    ...rest,
    properties: {
      apiVersion: text,
      kind: text,
      ...properties,
      metadata: {
        type: 'object',
        ...metadata,
        properties: { name: text, generateName: text, ...metadata.properties },
      },
    },
    ...(asked.length > 0 && { required: asked }),
  };
}

/**
 * Which keywords which rule answers for. `required` answers for defaults of its fields as well, so
 * it is asked wherever there are some.
 */
const byKeyword: readonly (readonly [keys: readonly (keyof JsonSchema)[], compare: Compare])[] = [
  [['format'], compareFormats],
  [['nullable'], compareNullable],
  [['enum'], compareEnums],
  ...limits.map((key) => [[key], compareLimit(key)] as const),
  [['exclusiveMinimum'], compareExclusive('exclusiveMinimum')],
  [['exclusiveMaximum'], compareExclusive('exclusiveMaximum')],
  [['multipleOf'], compareMultiples],
  [['pattern'], comparePatterns],
  [['default'], compareDefaults],
  [['x-kubernetes-preserve-unknown-fields'], comparePreserving],
  [['x-kubernetes-embedded-resource'], compareEmbedding],
  [['x-kubernetes-list-type'], compareListTypes],
  [['x-kubernetes-list-map-keys'], compareListKeys],
  [['x-kubernetes-map-type'], compareMapTypes],
  [['x-kubernetes-validations'], compareRules],
  ...(['oneOf', 'anyOf', 'allOf', 'not'] as const).map((key) => [[key], compareAlternatives(key)] as const),
];

const texts: readonly string[] = ['description', 'title', 'example', 'externalDocs'];
const handled = new Set<string>([...byKeyword.flatMap(([keys]) => keys), ...texts]);
const structure: readonly string[] = [
  'type',
  'x-kubernetes-int-or-string',
  'properties',
  'required',
  'items',
  'additionalProperties',
];

function comparePair(pair: Pair): readonly SchemaChange[] {
  if (same(pair.old, pair.next)) return [];
  const types = compareTypes(pair);
  if (!keepsType(pair)) return types;
  const differing = keysOf(pair).filter((key) => !same(valueOf(pair.old, key), valueOf(pair.next, key)));
  const found: SchemaChange[] = [...types];
  for (const [keys, compare] of byKeyword) {
    const key = keys.find((one) => differing.includes(one));
    if (key === undefined) continue;
    const changes = compare(pair);
    found.push(...(changes.length > 0 ? changes : [sameSaid(pair, key)]));
  }
  for (const key of differing) {
    if (texts.includes(key)) found.push(textChanged(pair, key));
    else if (!handled.has(key) && !structure.includes(key)) found.push(unknownChange(pair, key));
  }
  const inside = compareInside(pair, differing);
  found.push(...inside);
  if (found.length === 0) found.push(sameSaid(pair, differing[0] ?? 'type'));
  return found;
}

/** Compares the parts of objects and lists. */
function compareInside(pair: Pair, differing: readonly string[]): readonly SchemaChange[] {
  const { old, next } = pair;
  const found: SchemaChange[] = [];
  if (differing.includes('properties')) found.push(...compareProperties(pair));
  if (differing.includes('required') || differing.includes('properties')) {
    const required = compareRequired(pair);
    if (required.length === 0 && differing.includes('required')) found.push(sameSaid(pair, 'required'));
    found.push(...required);
  }
  for (const name of Object.keys(old.properties ?? {}).toSorted()) {
    const property = propertyOf(pair, name);
    if (property !== undefined) found.push(...comparePair(property));
  }
  if (differing.includes('additionalProperties')) found.push(...compareValuesOfMap(pair));
  if (differing.includes('items')) found.push(...compareItems(pair));
  const keptBefore = typeof old.additionalProperties === 'object' ? old.additionalProperties : undefined;
  if (keptBefore !== undefined) found.push(...compareKept(pair, keptBefore, next));
  return found;
}

/** Values of a map: recursed into where both have a schema. */
function compareValuesOfMap(pair: Pair): readonly SchemaChange[] {
  const { old, next, pointer, field } = pair;
  const [had, has] = [old.additionalProperties, next.additionalProperties];
  if (typeof had === 'object' && typeof has === 'object') {
    const at = { pointer: `${pointer}/additionalProperties`, field: `${field}[*]`, inRepeated: true };
    return comparePair({ ...at, old: had, next: has });
  }
  const changes = compareFreeKeys(pair);
  return changes.length > 0 ? changes : [sameSaid(pair, 'additionalProperties')];
}

/** A map that becomes properties: what a key held is judged by the property of that name. */
function compareKept(pair: Pair, had: JsonSchema, { properties = {} }: JsonSchema): readonly SchemaChange[] {
  const { pointer, field } = pair;
  const names = Object.keys(properties).filter((name) => !Object.hasOwn(pair.old.properties ?? {}, name));
  return names.toSorted().flatMap((name) => {
    const next = properties[name];
    const at = {
      pointer: `${pointer}/properties/${pointerToken(name)}`,
      field: field === '' ? name : `${field}.${name}`,
    };
    return next === undefined ? [] : comparePair({ ...at, old: had, next, inRepeated: true });
  });
}

function compareItems(pair: Pair): readonly SchemaChange[] {
  const { old, next, pointer, field } = pair;
  if (old.items === undefined || next.items === undefined) return [unknownChange(pair, 'items')];
  const at = { pointer: `${pointer}/items`, field: `${field}[]`, inRepeated: true };
  return comparePair({ ...at, old: old.items, next: next.items });
}

function keysOf({ old, next }: Pair): readonly string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted();
}

function valueOf(schema: JsonSchema, key: string): unknown {
  return (schema as Readonly<Record<string, unknown>>)[key];
}

function sameSaid(pair: Pair, key: string): SchemaChange {
  const message = `${key} of ${named(pair)} is written differently, with the same meaning`;
  return changeAt(pair, key as keyof JsonSchema, { rule: 'G21', message, hint: '' });
}

function textChanged(pair: Pair, key: string): SchemaChange {
  const message = `the ${key} of ${named(pair)} changes`;
  const { old: _, new: __, ...change } = changeAt(pair, key as keyof JsonSchema, { rule: 'G21', message, hint: '' });
  return change;
}

function unknownChange(pair: Pair, key: string): SchemaChange {
  const message = `${key} of ${named(pair)} changes, and no rule covers it`;
  return changeAt(pair, key as keyof JsonSchema, {
    rule: 'F36',
    message,
    hint: 'Compare both schemas, and check the stored objects.',
  });
}
