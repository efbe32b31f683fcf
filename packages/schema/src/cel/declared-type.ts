import type { Environment } from '@marcbachmann/cel-js';
import { celFieldName } from '../rule-cost/cel-field-name.ts';
import { rulesOf } from '../definition/definition.ts';
import type { JsonSchema } from '../json-schema.ts';
import { ruledParts } from './ruled-parts.ts';
import { durationReader, scalarType } from './scalar-type.ts';
import { dynamicValue } from './values/dynamic-value.ts';
import { sameValue } from './values/values.ts';

/** How CEL sees the values of a schema. */
export interface DeclaredType {
  readonly schema: JsonSchema;
  /** The name of the CEL type. */
  readonly name: string;
  /** A JSON value as a value of CEL; one that does not fit the schema stays as it is. */
  readonly valueOf: (value: unknown) => unknown;
  readonly properties: Readonly<Record<string, DeclaredType>>;
  readonly items: DeclaredType | undefined;
  readonly values: DeclaredType | undefined;
}

/** How the types of a schema are declared. */
export interface DeclareOptions {
  /** A property as CEL names it. Default: as Kubernetes escapes it. */
  readonly nameOf?: ((name: string) => string) | undefined;
  /**
   * Whether expressions are only compiled: then `nullable` bears on nothing, and CEL sees no more
   * than the real server lets it see. Values that do not fit would otherwise stop an evaluation, so
   * there these are dynamic. Default: false.
   */
  readonly isStrict?: boolean | undefined;
  /**
   * Whether an expression may name this property. What no expression reaches, by names from a part
   * with rules, is not declared: it is dynamic, which nothing notices while expressions are only
   * compiled; where it has no rules, its parts are left out. Each declared type makes all others
   * slower. Default: all are reached.
   */
  readonly isNamed?: ((name: string) => boolean) | undefined;
}

/**
 * Declares the types of a schema in an environment (Kubernetes, "CEL in Kubernetes": type mapping).
 * Lists of type `set` and `map` are compared with their order, which the real server ignores.
 */
export function declareTypes(
  environment: Environment,
  schema: JsonSchema,
  { nameOf = escapedName, isStrict = false, isNamed }: DeclareOptions = {},
): DeclaredType {
  const readDuration = durationReader();
  let objects = 0;
  const isRuled = ruledParts();

  function declare(schema: JsonSchema, isResource: boolean, isReachedFromAbove: boolean): DeclaredType {
    const { type, items, additionalProperties: more } = schema;
    const isReached = isReachedFromAbove || rulesOf(schema).length > 0;
    if (!isReached && !isRuled(schema))
      return { schema, name: 'dyn', valueOf: dynamicValue, properties: {}, items: undefined, values: undefined };
    const isReachedBy = (name: string) => isNamed === undefined || isNamed(name) || isNamed(nameOf(name));
    const properties = propertiesOf(schema, isResource || schema['x-kubernetes-embedded-resource'] === true);
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, declare(field, false, isReached && isReachedBy(name))]),
    );
    const below = {
      properties: fields,
      items: items && declare(items, false, isReached),
      values: typeof more === 'object' ? declare(more, false, isReached) : undefined,
    };
    if (type === 'object' && !isReached) return { schema, name: 'dyn', valueOf: dynamicValue, ...below };
    const isOpen = !isStrict && schema.nullable === true;
    if (isOpen || schema['x-kubernetes-int-or-string'] === true || type === undefined)
      return { schema, name: 'dyn', valueOf: dynamicValue, ...below };
    if (type === 'object') return { schema, ...objectType(schema, below), ...below };
    if (type === 'array') {
      const { name, valueOf } = below.items ?? { name: 'dyn', valueOf: dynamicValue };
      return {
        schema,
        name: `list<${name}>`,
        valueOf: (value) => (Array.isArray(value) ? value.map(valueOf) : value),
        ...below,
      };
    }
    return { schema, ...scalarType(schema, readDuration), ...below };
  }

  function objectType(
    schema: JsonSchema,
    { properties, values }: Pick<DeclaredType, 'properties' | 'values'>,
  ): Pick<DeclaredType, 'name' | 'valueOf'> {
    if (values !== undefined) {
      return { name: `map<string, ${values.name}>`, valueOf: (value) => mapOf(new Map(), value, values.valueOf) };
    }
    if (!isStrict && schema.additionalProperties === true) return { name: 'map<string, dyn>', valueOf: dynamicValue };
    const isUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true && Object.keys(properties).length === 0;
    if (!isStrict && isUnknown) return { name: 'dyn', valueOf: dynamicValue };
    const Fields = class extends Map<string, unknown> {};
    const name = `Object${objects++}`;
    const seen = Object.entries(properties).filter(([, field]) => !isStrict || isSeen(field.schema));
    const namesOf = (key: string) => (nameOf(key) === `__${key}__` ? [nameOf(key), key] : [nameOf(key)]);
    const types = new Map(seen.flatMap(([key, field]) => namesOf(key).map((name) => [name, field.name] as const)));
    environment.registerType(name, { ctor: Fields, fields: Object.fromEntries(types) });
    environment.registerOperator(`${name} == ${name}`, sameValue);
    environment.registerOperator(`${name} == null`, sameValue);
    return {
      name,
      valueOf(value) {
        if (typeof value !== 'object' || value === null) return value;
        const made = new Fields();
        for (const [key, member] of Object.entries(value)) {
          const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
          if (field === undefined || member === undefined) continue;
          for (const name of namesOf(key)) made.set(name, field.valueOf(member));
        }
        return made;
      },
    };
  }

  return declare(schema, true, isNamed === undefined);
}

/** Whether CEL knows of what type the values are. */
function isSeen({ type, items, additionalProperties, ...schema }: JsonSchema): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return true;
  if (type === 'array') return items !== undefined && isSeen(items);
  return typeof additionalProperties === 'object' ? isSeen(additionalProperties) : type !== undefined;
}

/** The properties of a whole object, including those that its schema does not declare. */
function propertiesOf({ properties = {} }: JsonSchema, isResource: boolean): Readonly<Record<string, JsonSchema>> {
  if (!isResource) return properties;
  const { metadata } = properties;
  const text: JsonSchema = { type: 'string' };
  return {
    ...properties,
    apiVersion: properties['apiVersion'] ?? text,
    kind: properties['kind'] ?? text,
    metadata: { type: 'object', ...metadata, properties: { name: text, generateName: text, ...metadata?.properties } },
  };
}

function mapOf(into: Map<string, unknown>, value: unknown, read: (member: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, member] of Object.entries(value)) if (member !== undefined) into.set(key, read(member));
  return into;
}

/**
 * The name of a property of a custom resource in CEL. A name that CEL cannot express stays
 * unchanged, and no expression can use it.
 */
function escapedName(name: string): string {
  return celFieldName(name) ?? name;
}
