import type { Json } from '@isthmus/schema';
import type { AnyNode, FieldNode, ListNode, MapKey, ScalarType, StructNode, TypeNode } from '../../typed/type-node.ts';
import { definitionNamed, kinds } from './facts.ts';
import type { FieldFacts, OpenApiSchema } from './facts.ts';

/**
 * The type of a built-in kind or of its list (`ServiceList`), linked: types refer to each other,
 * and to themselves if the API does. Source: the Go structs and OpenAPI definitions of the
 * Kubernetes that `envtest/go.mod` names.
 *
 * Errors: throws for an unknown kind.
 */
export function builtInType(apiVersion: string, kind: string): StructNode {
  const name = kinds[`${apiVersion} ${kind}`];
  if (name === undefined)
    throw new Error(`looking for the type of ${kind} in ${apiVersion}: no such built-in kind; see types/kinds.json`);
  return structNamed(structs, name);
}

/** Whether the type of a kind is known. */
export function hasBuiltInType(apiVersion: string, kind: string): boolean {
  return Object.hasOwn(kinds, `${apiVersion} ${kind}`);
}

/**
 * Structs by their names, as far as they are linked: types refer to each other, and to themselves.
 */
type Linked = Map<string, StructNode>;

function structNamed(linked: Linked, name: string): StructNode {
  const known = linked.get(name);
  if (known !== undefined) return known;
  const facts = definitionNamed(name);
  if (facts === undefined || facts.goName === '')
    throw new Error(`linking the built-in types: no struct is called ${name}`);
  const fields: Record<string, FieldNode> = {};
  const { goName, goType } = facts;
  const struct: StructNode = {
    kind: 'struct',
    goName,
    goType,
    fields,
    atomic: facts.schema?.['x-kubernetes-map-type'] === 'atomic',
  };
  linked.set(name, struct);
  const required = facts.schema?.['required'];
  const isRequired = (key: string) => Array.isArray(required) && required.includes(key);
  for (const [key, field] of Object.entries(facts.fields ?? {})) {
    fields[key] = { ...fieldOf(linked, field), ...(isRequired(key) && { required: true }) };
  }
  return struct;
}

function fieldOf(linked: Linked, { go, pointer = false, omit, inline, schema = {} }: FieldFacts): FieldNode {
  const standard = schema['default'];
  return {
    type: typeOf(linked, go, schema),
    pointer,
    omit: omit ?? 'never',
    ...(!saysNothing(standard) && { default: standard }),
    ...(inline !== undefined && { inline }),
  };
}

/**
 * The definitions contain zero values as defaults of fields that are not pointers. These are not
 * defaults.
 */
function saysNothing(value: Json | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}

function typeOf(linked: Linked, go: string, schema: OpenApiSchema, goType?: string): TypeNode {
  const strategy = schema['x-kubernetes-patch-strategy'];
  const strategies = typeof strategy === 'string' ? strategy.split(',') : [];
  if (go.startsWith('@')) {
    const struct = structNamed(linked, go.slice(1));
    const atomic = schema['x-kubernetes-map-type'] === 'atomic';
    const retainKeys = strategies.includes('retainKeys');
    // The fields stay the same object: they may be still to come.
    return atomic || retainKeys
      ? { ...struct, atomic: atomic || struct.atomic, ...(retainKeys && { retainKeys }) }
      : struct;
  }
  if (go.startsWith('[]')) return listOf(linked, go.slice(2), schema, { strategies, goType });
  if (go.startsWith('{}')) {
    const values = typeOf(linked, go.slice(2), schemaAt(schema, 'additionalProperties'));
    const atomic = schema['x-kubernetes-map-type'] === 'atomic';
    return { kind: 'map', values, atomic, goType: goType ?? `map[string]${goTypeOf(values)}` };
  }
  const equals = go.indexOf('=');
  if (equals > 0) return typeOf(linked, go.slice(equals + 1), schema, go.slice(0, equals));
  if (go === 'any') return anyOf(linked, goType ?? '');
  const supported = schema['enum'];
  return {
    kind: 'scalar',
    scalar: go as ScalarType,
    ...(goType !== undefined && { goType }),
    ...(Array.isArray(supported) && { supported: supported.map(String) }),
  };
}

function listOf(
  linked: Linked,
  go: string,
  schema: OpenApiSchema,
  more: { readonly strategies: readonly string[]; readonly goType: string | undefined },
): ListNode {
  const { strategies } = more;
  const itemSchema = schemaAt(schema, 'items');
  const items = typeOf(
    linked,
    go,
    strategies.includes('retainKeys') ? { ...itemSchema, 'x-kubernetes-patch-strategy': 'retainKeys' } : itemSchema,
  );
  const listType = schema['x-kubernetes-list-type'];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const keys = schema['x-kubernetes-list-map-keys'];
  return {
    kind: 'list',
    items,
    listType: listType === 'map' || listType === 'set' ? listType : 'atomic',
    keys: Array.isArray(keys) ? keys.map((key) => keyOf(String(key), items)) : [],
    ...(strategies.includes('merge') && { patch: typeof mergeKey === 'string' ? { mergeKey } : {} }),
    goType: more.goType ?? `[]${goTypeOf(items)}`,
  };
}

function keyOf(name: string, items: TypeNode): MapKey {
  const field = items.kind === 'struct' ? items.fields[name] : undefined;
  // An optional text that is not a pointer defaults to the empty one.
  const isText = field?.type.kind === 'scalar' && field.type.scalar === 'string';
  const standard = field?.default ?? (isText && field.omit === 'empty' && !field.pointer ? '' : undefined);
  return standard === undefined ? { name } : { name, default: standard };
}

/**
 * A type with a JSON form of its own. A type without a schema in OpenAPI, such as
 * JSONSchemaPropsOrArray, is atomic.
 */
function anyOf(linked: Linked, goType: string): TypeNode {
  const forms = formsOf(linked, goType);
  const atomic = forms !== undefined || goType === 'v1.JSON';
  return { kind: 'any', atomic, goType, ...(forms !== undefined && { forms }) };
}

const jsonSchema = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

function formsOf(linked: Linked, goType: string): AnyNode['forms'] {
  switch (goType) {
    case 'v1.JSONSchemaPropsOrBool':
      return { object: structNamed(linked, jsonSchema), boolean: true };
    case 'v1.JSONSchemaPropsOrArray':
      return { object: structNamed(linked, jsonSchema), list: typeOf(linked, `[]@${jsonSchema}`, {}) };
    case 'v1.JSONSchemaPropsOrStringArray':
      return { object: structNamed(linked, jsonSchema), list: typeOf(linked, '[]string', {}) };
    default:
      return undefined;
  }
}

/** How Go calls a type in its errors. */
function goTypeOf(type: TypeNode): string {
  if (type.goType !== undefined) return type.goType;
  if (type.kind !== 'scalar') return '';
  if (type.scalar === 'boolean') return 'bool';
  return type.scalar === 'bytes' ? '[]uint8' : type.scalar;
}

function schemaAt(schema: OpenApiSchema, key: string): OpenApiSchema {
  const value = schema[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as OpenApiSchema) : {};
}

/** Every struct that a kind reaches, linked once. */
const structs: Linked = linkedStructs();

function linkedStructs(): Linked {
  const linked: Linked = new Map();
  for (const name of Object.values(kinds)) structNamed(linked, name);
  return linked;
}
