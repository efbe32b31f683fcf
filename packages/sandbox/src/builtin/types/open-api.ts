import type { Json } from '@isthmus/schema';
import { definitionNamed, kinds } from './facts.ts';
import type { OpenApiSchema } from './facts.ts';

/** The group and version that a document is about. */
export interface DocumentVersion {
  readonly group: string;
  readonly version: string;
}

/**
 * The name of a built-in kind's definition: `io.k8s.api.core.v1.Service`; undefined for an unknown
 * kind.
 */
export function definitionNameOf(apiVersion: string, kind: string): string | undefined {
  return kinds[`${apiVersion} ${kind}`];
}

/**
 * `components.schemas` of an OpenAPI v3 document: the named definitions and all that they refer to,
 * as the real server prints them but without descriptions. Definitions that are not named so in
 * OpenAPI (`AdmissionReview`) are left out. Of the types that belong to every group
 * (`DeleteOptions`, `WatchEvent`), a document names the kinds of its own group and of the core;
 * without a document all kinds are named.
 */
export function openApiSchemas(
  names: Iterable<string>,
  document?: DocumentVersion,
): Readonly<Record<string, OpenApiSchema>> {
  const found = new Map<string, OpenApiSchema>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const schema = schemaOf(name);
    if (schema === undefined) continue;
    found.set(name, document === undefined ? schema : inDocument(schema, document));
    open.push(...referred(schema));
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function schemaOf(name: string): OpenApiSchema | undefined {
  const facts = definitionNamed(name);
  if (facts === undefined || (facts.fields !== undefined && facts.schema === undefined)) return undefined;
  const fields = Object.entries(facts.fields ?? {}).flatMap(([key, { schema }]): [string, Json][] =>
    schema === undefined ? [] : [[key, schema]],
  );
  if (fields.length === 0) return facts.schema ?? {};
  return { ...facts.schema, properties: Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

const kindsKey = 'x-kubernetes-group-version-kind';

function inDocument(schema: OpenApiSchema, { group, version }: DocumentVersion): OpenApiSchema {
  const kinds = schema[kindsKey];
  if (!Array.isArray(kinds) || kinds.length < 2) return schema;
  const served = (kinds as readonly Readonly<Record<string, Json>>[]).filter(
    (one) =>
      one['version'] === (one['group'] === '' ? 'v1' : version) && (one['group'] === '' || one['group'] === group),
  );
  return { ...schema, [kindsKey]: served };
}

const prefix = '#/components/schemas/';

function referred(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]): readonly string[] => {
    if (key !== '$ref' || typeof one !== 'string') return referred(one);
    return one.startsWith(prefix) ? [one.slice(prefix.length).replaceAll('~1', '/').replaceAll('~0', '~')] : [];
  });
}
