import type { ObjectMeta } from '@isthmus/machinery';
import type { JsonSchema } from '../json-schema.ts';
import type { PrinterColumn, ResourceDefinition, ResourceVersion } from './resource.ts';

/** One version of a CustomResourceDefinition. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema | undefined } | undefined;
  readonly subresources?:
    | { readonly status?: Readonly<Record<string, never>> | undefined; readonly scale?: unknown }
    | undefined;
  readonly additionalPrinterColumns?: readonly PrinterColumn[] | undefined;
}

/** apiextensions.k8s.io/v1 CustomResourceDefinition: the fields that we read or write. */
export interface CustomResourceDefinition {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: {
      readonly kind: string;
      readonly listKind?: string | undefined;
      readonly plural: string;
      readonly singular?: string | undefined;
      readonly shortNames?: readonly string[] | undefined;
      readonly categories?: readonly string[] | undefined;
    };
    readonly versions: readonly CrdVersion[];
    readonly conversion?: { readonly strategy: 'None' | 'Webhook'; readonly webhook?: unknown } | undefined;
    readonly preserveUnknownFields?: boolean | undefined;
  };
  readonly status?:
    | {
        readonly storedVersions?: readonly string[] | undefined;
        readonly conditions?:
          | readonly {
              readonly type: string;
              readonly status: string;
              readonly reason?: string | undefined;
              readonly message?: string | undefined;
              readonly lastTransitionTime?: string | undefined;
            }[]
          | undefined;
      }
    | undefined;
}

/**
 * The CustomResourceDefinition of a kind, keys in the order in which people write them. No
 * conversion: the versions share one shape.
 */
export function crdOf(definition: ResourceDefinition): CustomResourceDefinition {
  const { group, kind, plural, singular, shortNames, categories, scope, labels, annotations } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      versions: definition.versions.map(crdVersionOf),
    },
  };
}

function crdVersionOf(version: ResourceVersion): CrdVersion {
  return {
    name: version.version,
    served: version.served,
    storage: version.storage,
    ...(version.deprecationWarning !== undefined && {
      deprecated: true,
      deprecationWarning: version.deprecationWarning,
    }),
    additionalPrinterColumns: version.columns,
    ...(version.statusSubresource && { subresources: { status: {} } }),
    schema: { openAPIV3Schema: readable(version.schema) },
  };
}

/** The most important keys first; the fields come last, because they are long. */
const readingOrder = [
  'description',
  'type',
  'format',
  'x-kubernetes-int-or-string',
  'nullable',
  'default',
  'enum',
] as const satisfies readonly (keyof JsonSchema)[];
const lastInOrder = [
  'required',
  'properties',
  'additionalProperties',
  'items',
] as const satisfies readonly (keyof JsonSchema)[];

/** The same schema with its keys in an order for reading. */
function readable(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties: more } = schema;
  const inside: JsonSchema = {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, readable(field)])),
    }),
    ...(items !== undefined && { items: readable(items) }),
    ...(typeof more === 'object' && { additionalProperties: readable(more) }),
  };
  const ordered: readonly string[] = [...readingOrder, ...lastInOrder];
  const rest = Object.keys(inside).filter((key) => !ordered.includes(key));
  const keys = [...readingOrder, ...rest, ...lastInOrder] as readonly (keyof JsonSchema)[];
  return Object.fromEntries(keys.filter((key) => inside[key] !== undefined).map((key) => [key, inside[key]]));
}
