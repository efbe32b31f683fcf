import type { CustomResourceDefinition, Json, JsonSchema } from '@isthmus/schema';
import { checkDefinition } from '../check/check-definition.ts';
import type { CrdCheckOptions } from '../check/check-definition.ts';
import type { CrdFinding } from '../crd-finding.ts';
import { readDefinition } from '../read-definition.ts';

/** What of a version differs from a plain one that is served and stored. */
export interface VersionParts {
  readonly name?: string;
  readonly [part: string]: unknown;
}

/** A CRD of kind Widget, from versions or from the properties of `spec` in v1. */
export function widgets(
  versions: readonly VersionParts[],
  spec: Readonly<Record<string, unknown>> = {},
  more: object = {},
): CustomResourceDefinition {
  const value = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: versions.map((version, index) => ({
        name: 'v1',
        served: true,
        storage: index === 0,
        schema: schemaWith({}),
        ...version,
      })),
      ...spec,
    },
    ...more,
  };
  const reading = readDefinition(value);
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.problems));
  return reading.definition;
}

/**
 * The schema of a resource by the properties of its spec, and other fields of the schema of its
 * spec.
 */
export function schemaWith(
  properties: Readonly<Record<string, JsonSchema>>,
  spec: JsonSchema = {},
  root: JsonSchema = {},
) {
  return {
    openAPIV3Schema: {
      type: 'object',
      ...root,
      properties: { spec: { type: 'object', properties, ...spec }, ...root.properties },
    },
  };
}

/** A CRD whose spec has one field `a`. */
export function withField(a: JsonSchema, spec: JsonSchema = {}): CustomResourceDefinition {
  return widgets([{ schema: schemaWith({ a }, spec) }]);
}

export const plainOptions: CrdCheckOptions = { server: {}, waivers: [], today: '2026-11-21', companions: [] };

/** The findings of a check. */
export function findingsOf(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  options: Partial<CrdCheckOptions> = {},
): readonly CrdFinding[] {
  return checkDefinition(old, next, { ...plainOptions, ...options }).findings;
}

/** A waiver for a rule of Widget. */
export function waiverOf(rule: string, until: string, more: Readonly<Record<string, Json>> = {}) {
  return { rule, crd: 'widgets.example.com', reason: 'looked at', by: 'operations', until, ...more };
}
