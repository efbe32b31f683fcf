import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf, isRecord } from '@isthmus/machinery';

/** The objects that a cache holds: those of a kind, in one Namespace if that is set. */
export interface Scope {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
}

/**
 * Returns why `value` cannot be an object of this kind and scope, or undefined if it can. Only the
 * parts that the runtime relies on are checked: kind, names, resourceVersion and the shape of
 * `metadata`. `spec` and `status` are checked by their readers.
 */
export function malformation(value: unknown, scope: Scope): string | undefined {
  if (!isRecord(value)) return 'it is not a JSON object';
  const { type } = scope;
  const { kind, apiVersion, metadata } = value as Partial<KubernetesObject>;
  if (!isRecord(metadata)) return 'it has no metadata';
  const { name, namespace, resourceVersion } = metadata;
  if (!isName(name)) return 'it has no usable name';
  if (kind !== undefined && kind !== type.kind) return `its kind is ${shown(kind)}, not ${type.kind}`;
  if (apiVersion !== undefined && apiVersion !== apiVersionOf(type))
    return `its apiVersion is ${shown(apiVersion)}, not ${apiVersionOf(type)}`;
  if (typeof resourceVersion !== 'string' || resourceVersion === '') return 'it has no resourceVersion';
  if (type.namespaced && !isName(namespace)) return 'it has no usable namespace';
  if (!type.namespaced && namespace) return 'it has a namespace although its kind is cluster-scoped';
  if (scope.namespace !== undefined && namespace !== scope.namespace) return `its namespace is not ${scope.namespace}`;
  for (const map of ['labels', 'annotations'] as const) {
    if (metadata[map] !== undefined && !isRecord(metadata[map])) return `metadata.${map} is not a map`;
  }
  for (const list of ['finalizers', 'ownerReferences'] as const) {
    if (metadata[list] !== undefined && !Array.isArray(metadata[list])) return `metadata.${list} is not a list`;
  }
  return undefined;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 253 && !value.includes('/');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : typeof value;
}
