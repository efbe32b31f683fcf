/** Objects in the form of a documentation page. Test-only. */
import type { KubernetesObject } from '@isthmus/machinery';

const assigned = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'creationTimestamp',
  'managedFields',
  'kind',
]);

/**
 * The object without its type and without values that every API server assigns, so that it can be
 * compared with a written object.
 */
export function plainObject(object: KubernetesObject | undefined): unknown {
  if (object === undefined) return undefined;
  const {
    kind: _,
    apiVersion: _apiVersion,
    metadata,
    ...rest
  } = object as KubernetesObject & { readonly status?: unknown };
  return { metadata: without(metadata, assigned), ...(without(rest, new Set(['observedGeneration'])) as object) };
}

function without(value: unknown, keys: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, keys));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => !keys.has(key) && inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, without(inner, keys)]));
}
