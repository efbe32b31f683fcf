import type { Json } from '@isthmus/schema';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Core } from '../core/core.ts';
import type { Stored } from '../store/stored.ts';

/** The definition of a custom kind: the labels of its group reversed, `com.example.zoo.v1.Lion`. */
export function customDefinitionName(type: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): string {
  return [...type.group.split('.').toReversed(), type.version, type.kind].join('.');
}

type Schema = Readonly<Record<string, Json>>;

/** The definition of a custom resource, and the schema of its version. */
export interface Definition {
  readonly crd: Stored;
  readonly schema: Schema;
  readonly listKind: string;
}

export function definitionOf({ store }: Core, resource: ServedResource): Definition | undefined {
  const name = `${resource.plural}.${resource.group}`;
  const crd = store.get('apiextensions.k8s.io/customresourcedefinitions', name);
  if (crd === undefined) return undefined;
  const spec = crd['spec'] as {
    readonly names?: { readonly listKind?: string };
    readonly versions?: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: Schema } }[];
  };
  const version = spec.versions?.find((one) => one.name === resource.version);
  const schema = version?.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return { crd, schema, listKind: spec.names?.listKind ?? `${resource.kind}List` };
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/**
 * The schemas of a custom kind and its list as they are published: the CRD's schema with the fields
 * that every object has.
 */
export function customSchemas(resource: ServedResource, { schema, listKind }: Definition): Schema {
  const { group, version, kind } = resource;
  const name = customDefinitionName(resource);
  const type = (of: string) => [{ group, kind: of, version }];
  return {
    [name]: {
      ...published(schema, true),
      'x-kubernetes-group-version-kind': type(kind),
    },
    [`${name}List`]: {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        items: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
        kind: { type: 'string' },
        metadata: { allOf: [{ $ref: `#/components/schemas/${meta}.ListMeta` }] },
      },
      'x-kubernetes-group-version-kind': type(listKind),
    },
  };
}

const objectFields: Schema = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { allOf: [{ $ref: `#/components/schemas/${meta}.ObjectMeta` }] },
};

/** A structural schema with the fields of objects in every part that is one. */
function published(schema: Schema, isObject: boolean): Schema {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const properties = mapped(schema['properties']);
  const fields = isObject || isEmbedded ? objectFields : {};
  const all = { ...properties, ...fields };
  const required = (schema['required'] ?? []) as readonly string[];
  const demanded = isEmbedded
    ? [...required, ...['kind', 'apiVersion'].filter((each) => !required.includes(each))]
    : required;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true && schema['anyOf'] === undefined;
  const { items, additionalProperties } = schema;
  return {
    ...schema,
    ...(isObject && { type: 'object' }),
    ...(isIntOrString && { anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    ...(demanded.length > 0 && { required: [...demanded] }),
    ...(Object.keys(all).length > 0 && { properties: sortedByKey(all) }),
    ...(items !== undefined && { items: published(items as Schema, false) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: published(additionalProperties as Schema, false),
    }),
  };
}

function mapped(properties: Json | undefined): Schema {
  return Object.fromEntries(
    Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>).map(([name, one]) => [
      name,
      published(one, false),
    ]),
  );
}

function sortedByKey(record: Schema): Schema {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
