import type { KubernetesObject } from '@isthmus/machinery';

/** A version of a group that an API server of the product itself serves. */
export interface AggregatedApi {
  readonly group: string;
  readonly version: string;
}

/**
 * The APIs that APIServices among objects register; those without a Service belong to Kubernetes
 * itself. By group and version, bytewise.
 */
export function aggregatedApis(objects: readonly KubernetesObject[]): readonly AggregatedApi[] {
  const found = new Map<string, AggregatedApi>();
  for (const object of objects) {
    if (object.kind !== 'APIService' || !String(object.apiVersion).startsWith('apiregistration.k8s.io/')) continue;
    const { spec } = object as { readonly spec?: unknown };
    const { group, version, service } = (spec ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof group !== 'string' || typeof version !== 'string' || typeof service !== 'object' || service === null)
      continue;
    found.set(`${group}/${version}`, { group, version });
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, api]) => api);
}

/** The APIs of the first list that the second does not have. */
export function apisWithout(
  some: readonly AggregatedApi[],
  others: readonly AggregatedApi[],
): readonly AggregatedApi[] {
  return some.filter(({ group, version }) => !others.some((one) => one.group === group && one.version === version));
}
