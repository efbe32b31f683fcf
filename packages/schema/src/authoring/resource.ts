import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { Infer, Schema } from './authoring.ts';
import type { Json, JsonSchema } from '../json-schema.ts';

/**
 * One column of `kubectl get`. The API server adds the name as the first column, and the age if
 * `columns` is empty.
 */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** A JSON path of the API server's kind: `.spec.type`. */
  readonly jsonPath: string;
  readonly description?: string | undefined;
  /** 0 is always shown, greater only with `-o wide`. */
  readonly priority?: number | undefined;
}

/** The column that every kind has. */
export const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** A printer column. */
export function column(name: string, jsonPath: string, more: Partial<PrinterColumn> = {}): PrinterColumn {
  return { name, type: 'string', jsonPath, ...more };
}

/** The author's definition of one version of a kind. */
export interface VersionInput {
  readonly name: string;
  /** Whether the API server serves it. Default true. */
  readonly served?: boolean | undefined;
  /** Whether objects are stored in this version. Exactly one version of a kind is. */
  readonly storage?: boolean | undefined;
  /** Shown by kubectl on each use; its presence makes the version `deprecated: true`. */
  readonly deprecationWarning?: string | undefined;
  /** The fields beside apiVersion, kind and metadata. */
  readonly schema: Schema<object>;
  readonly columns: readonly PrinterColumn[];
  /** Whether `status` is written only through its subresource. Default false. */
  readonly status?: boolean | undefined;
}

/** The author's definition of a kind. */
export interface ResourceInput<V extends readonly VersionInput[]> {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly scope: 'Namespaced' | 'Cluster';
  /** What the kind is for, who writes and who reads it. Plain text, one paragraph. */
  readonly docs: string;
  readonly versions: V;
  /** Labels of the CRD. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Annotations of the CRD. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Whole objects, for the reference page; each is validated by a test. */
  readonly examples?: readonly Json[] | undefined;
}

/**
 * One version of a kind: the client takes it as a {@link ResourceType}; validation, CRD and docs
 * read the rest.
 */
export interface ResourceVersion<out T extends KubernetesObject = KubernetesObject> extends ResourceType<T> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** The schema of the whole object, including apiVersion, kind and metadata. */
  readonly schema: JsonSchema;
  readonly columns: readonly PrinterColumn[];
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecationWarning?: string | undefined;
  /** Whether `status` is written only through its subresource. */
  readonly statusSubresource: boolean;
}

/** A kind: everything that is derived from it starts here. */
export interface ResourceDefinition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly docs: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly examples: readonly Json[];
  readonly versions: readonly ResourceVersion[];
  /** The version of that name. */
  version(name: string): ResourceVersion;
}

/** The object type of a version whose own fields have the schema `S`. */
export type ObjectWith<S> = Flat<KubernetesObject & Infer<S>>;
type Flat<T> = { [K in keyof T]: T[K] };

/** A {@link ResourceDefinition} that knows the types of its versions. */
export interface TypedResourceDefinition<V extends readonly VersionInput[]> extends ResourceDefinition {
  version<const N extends V[number]['name']>(
    name: N,
  ): ResourceVersion<ObjectWith<Extract<V[number], { readonly name: N }>['schema']>>;
}

/**
 * Defines a custom resource once. TypeScript types, CRD, validation, printer columns and reference
 * page derive from the result.
 *
 * Errors: throws where the versions do not name exactly one as stored, or name one twice.
 */
export function defineResource<const V extends readonly VersionInput[]>(
  input: ResourceInput<V>,
): TypedResourceDefinition<V> {
  const stored = input.versions.filter((version) => version.storage === true);
  if (stored.length !== 1) throw new Error(`${input.kind}: exactly one version must be stored, not ${stored.length}`);
  const names = new Set(input.versions.map((version) => version.name));
  if (names.size !== input.versions.length) throw new Error(`${input.kind}: a version is defined twice`);

  const versions = input.versions.map((version): ResourceVersion => versionOf(input, version));
  const definition: ResourceDefinition = {
    group: input.group,
    kind: input.kind,
    plural: input.plural,
    singular: input.singular,
    shortNames: input.shortNames ?? [],
    categories: input.categories ?? [],
    scope: input.scope,
    docs: input.docs,
    labels: input.labels ?? {},
    annotations: input.annotations ?? {},
    examples: input.examples ?? [],
    versions,
    version(name) {
      const found = versions.find((version) => version.version === name);
      if (found === undefined) throw new Error(`${input.kind} has no version ${name}; it has ${[...names].join(', ')}`);
      return found;
    },
  };
  return definition as TypedResourceDefinition<V>;
}

function versionOf(input: ResourceInput<readonly VersionInput[]>, version: VersionInput): ResourceVersion {
  return Object.freeze({
    group: input.group,
    version: version.name,
    kind: input.kind,
    plural: input.plural,
    singular: input.singular,
    shortNames: input.shortNames ?? [],
    namespaced: input.scope === 'Namespaced',
    schema: wholeObject(input.docs, version.schema.json),
    columns: version.columns,
    served: version.served ?? true,
    storage: version.storage ?? false,
    ...(version.deprecationWarning !== undefined && { deprecationWarning: version.deprecationWarning }),
    statusSubresource: version.status ?? false,
  });
}

/** The schema of the whole object: the authored fields between apiVersion, kind and metadata. */
function wholeObject(docs: string, fields: JsonSchema): JsonSchema {
  return {
    description: docs,
    ...fields,
    type: 'object',
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of this form of the object.' },
      kind: { type: 'string', description: 'Name of the kind, in CamelCase.' },
      metadata: { type: 'object' },
      ...fields.properties,
    },
  };
}
