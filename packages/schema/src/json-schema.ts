/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonSchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/** One CEL rule (`x-kubernetes-validations`). Carried through to the CRD; not evaluated here. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string | undefined;
  readonly messageExpression?: string | undefined;
  readonly reason?: string | undefined;
  readonly fieldPath?: string | undefined;
  readonly optionalOldSelf?: boolean | undefined;
}

/**
 * A structural schema: JSONSchemaProps of apiextensions.k8s.io/v1 without the fields that this API
 * forbids (`$ref`, `definitions`, `patternProperties`, `additionalItems`, …). It has every allowed
 * field, so that schemas of other authors can be read too.
 */
export interface JsonSchema {
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  readonly example?: Json | undefined;
  readonly externalDocs?: { readonly url?: string | undefined; readonly description?: string | undefined } | undefined;
  readonly type?: JsonSchemaType | undefined;
  readonly format?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly default?: Json | undefined;
  readonly enum?: readonly Json[] | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly additionalProperties?: boolean | JsonSchema | undefined;
  readonly required?: readonly string[] | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly items?: JsonSchema | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  /** In Unicode code points. */
  readonly minLength?: number | undefined;
  /** In Unicode code points. */
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly multipleOf?: number | undefined;
  readonly allOf?: readonly JsonSchema[] | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly oneOf?: readonly JsonSchema[] | undefined;
  readonly not?: JsonSchema | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-embedded-resource'?: boolean | undefined;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map' | undefined;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic' | undefined;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[] | undefined;
}
