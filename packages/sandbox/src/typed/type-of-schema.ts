import type { JsonSchema } from '@isthmus/schema';
import { objectMetaType } from './object-meta-type.ts';
import type { FieldNode, ListNode, MapKey, ScalarType, StructNode, TypeNode } from './type-node.ts';

export interface TypeOfSchemaOptions {
  /**
   * Whether the schema is that of a whole object. Then `metadata` has the type of every object's
   * metadata, whatever the schema contains; `apiVersion` and `kind` are strings.
   */
  readonly isResourceRoot: boolean;
}

/**
 * The type of a custom resource, or of a part, from its structural schema. Lists are atomic unless
 * `x-kubernetes-list-type` is set otherwise, and maps granular unless `x-kubernetes-map-type` is.
 * Under `x-kubernetes-preserve-unknown-fields`, fields without a schema may have any value, at this
 * level and below. Embedded resources have the metadata of every object.
 */
export function typeOfSchema(schema: JsonSchema, options: TypeOfSchemaOptions): TypeNode {
  return typeOf(schema, { isResource: options.isResourceRoot, preserves: false });
}

interface Place {
  readonly isResource: boolean;
  /** Whether a schema above keeps unknown fields. */
  readonly preserves: boolean;
}

function typeOf(schema: JsonSchema, place: Place): TypeNode {
  const preserves = place.preserves || schema['x-kubernetes-preserve-unknown-fields'] === true;
  // Ownership follows the form of the value: the schema has no type, and validation checks the
  // form.
  if (schema['x-kubernetes-int-or-string'] === true) return anything;
  const isResource = place.isResource || schema['x-kubernetes-embedded-resource'] === true;
  switch (schema.type) {
    case 'array':
      return listOf(schema, preserves);
    case 'object':
      return objectOf(schema, { isResource, preserves });
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { kind: 'scalar', scalar: scalarOf(schema) };
    case undefined:
      if (isResource || schema.properties !== undefined || typeof schema.additionalProperties === 'object') {
        return objectOf(schema, { isResource, preserves });
      }
      return { kind: 'any', atomic: schema['x-kubernetes-map-type'] === 'atomic' };
  }
}

function objectOf(schema: JsonSchema, place: Place): TypeNode {
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  const { additionalProperties, properties = {} } = schema;
  const isEmpty = Object.keys(properties).length === 0 && !place.isResource;
  const below = { isResource: false, preserves: place.preserves };
  if (isEmpty && typeof additionalProperties === 'object') {
    return { kind: 'map', values: typeOf(additionalProperties, below), atomic };
  }
  // For ownership, an object without a schema may contain anything; pruning empties it before.
  if (isEmpty && additionalProperties !== false) return { kind: 'map', values: anything, atomic };
  const fields: [string, FieldNode][] = Object.entries(properties).map(([name, property]) => {
    return [name, field(typeOf(property, below), property)];
  });
  const unknownFields = place.preserves || additionalProperties === true ? { unknownFields: anything } : {};
  const struct: StructNode = {
    kind: 'struct',
    goName: '',
    fields: Object.fromEntries(place.isResource ? [...fields, ...resourceFields] : fields),
    atomic,
    ...unknownFields,
  };
  return struct;
}

function listOf(schema: JsonSchema, preserves: boolean): ListNode {
  const { items } = schema;
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const keys = names.map((name): MapKey => {
    const value =
      items?.properties !== undefined && Object.hasOwn(items.properties, name) ? items.properties[name] : undefined;
    return value?.default === undefined ? { name } : { name, default: value.default };
  });
  return {
    kind: 'list',
    items: items === undefined ? { kind: 'any', atomic: true } : typeOf(items, { isResource: false, preserves }),
    listType: schema['x-kubernetes-list-type'] ?? 'atomic',
    keys,
  };
}

function scalarOf({ type, format }: JsonSchema): ScalarType {
  switch (type) {
    case 'integer':
      return format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'boolean';
    default:
      return 'string';
  }
}

function field(type: TypeNode, schema?: JsonSchema): FieldNode {
  return {
    type,
    pointer: true,
    omit: 'empty',
    ...(schema?.default === undefined ? {} : { default: schema.default }),
  };
}

const anything: TypeNode = { kind: 'any', atomic: false };

const resourceFields: readonly (readonly [string, FieldNode])[] = [
  ['apiVersion', field({ kind: 'scalar', scalar: 'string' })],
  ['kind', field({ kind: 'scalar', scalar: 'string' })],
  ['metadata', field(objectMetaType)],
];
