/**
 * CustomResourceDefinitions as an API server holds them, including those of other authors. The
 * types are looser than `CustomResourceDefinition`, which describes ours.
 */
import type { KubernetesObject } from '@isthmus/machinery';
import type { JsonSchema, ValidationRule } from '../json-schema.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface Names {
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly kind: string;
  readonly listKind?: string | undefined;
  readonly categories?: readonly string[] | undefined;
}

export interface Column {
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly jsonPath?: string | undefined;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

export interface Version {
  readonly name: string;
  readonly served?: boolean | undefined;
  readonly storage?: boolean | undefined;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema | undefined } | undefined;
  readonly subresources?: { readonly status?: object | undefined; readonly scale?: ScalePaths | undefined } | undefined;
  readonly additionalPrinterColumns?: readonly Column[] | undefined;
  readonly selectableFields?: readonly { readonly jsonPath?: string | undefined }[] | undefined;
}

/** The address of a webhook. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      }
    | undefined;
  readonly caBundle?: string | undefined;
}

export interface ConversionRule {
  readonly strategy?: string | undefined;
  readonly webhook?:
    | {
        readonly clientConfig?: WebhookClientConfig | undefined;
        readonly conversionReviewVersions?: readonly string[] | undefined;
      }
    | undefined;
}

/** An apiextensions.k8s.io/v1 CustomResourceDefinition as it is stored: with its defaults. */
export interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly names: Names;
    readonly scope: string;
    readonly versions: readonly Version[];
    readonly conversion?: ConversionRule | undefined;
    readonly preserveUnknownFields?: boolean | undefined;
  };
  readonly status: {
    readonly conditions: readonly Condition[] | null;
    readonly acceptedNames: Names;
    readonly storedVersions: readonly string[] | null;
  };
}

/** Every part of a schema that is a schema, with itself. */
export function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const parts: JsonSchema[] = [];
  somePart(schema, (part) => {
    parts.push(part);
    return false;
  });
  return parts;
}

/** Whether a schema, or a part of it that is a schema, is such; the rest is not looked at then. */
export function somePart(schema: JsonSchema, isSuch: (part: JsonSchema) => boolean): boolean {
  if (isSuch(schema)) return true;
  const { properties, items, additionalProperties: more, not } = schema;
  for (const name in properties) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field !== undefined && somePart(field, isSuch)) return true;
  }
  for (const alternatives of [schema.allOf, schema.anyOf, schema.oneOf])
    if (alternatives?.some((one) => somePart(one, isSuch)) === true) return true;
  return [items, typeof more === 'object' ? more : undefined, not].some(
    (part) => part !== undefined && somePart(part, isSuch),
  );
}

/** The rules of a schema itself. */
export function rulesOf(schema: JsonSchema): readonly ValidationRule[] {
  return schema['x-kubernetes-validations'] ?? [];
}

/** Whether a condition of it is true, such as `Established`. */
export function isTrue({ status }: Definition, type: string): boolean {
  return status.conditions?.some((one) => one.type === type && one.status === 'True') === true;
}
