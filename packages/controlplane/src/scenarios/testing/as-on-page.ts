/** Objects of a real API server as docs/spec/wire.md §8 shows them. Test-only. */
import type { KubernetesObject } from '@isthmus/machinery';

/** What every API server assigns by itself, and times. */
const assigned = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'creationTimestamp',
  'lastTransitionTime',
  'managedFields',
]);

/**
 * What the page leaves out, by kind. On a Service and its ports, the API server's defaults. The annotations that docs/spec/wire.md §9 and
 * api's constants describe; on the ServiceImport the policy that the page shows on the ResourceImport; on slices their owner, so that the
 * garbage collector finds them.
 */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  Service: [
    'spec.clusterIP',
    'spec.clusterIPs',
    'spec.ipFamilies',
    'spec.ipFamilyPolicy',
    'spec.sessionAffinity',
    'spec.internalTrafficPolicy',
    'spec.ports.targetPort',
    'status',
  ],
  ResourceExport: ['metadata.annotations'],
  ResourceImport: ['metadata.annotations'],
  ServiceImport: ['metadata.annotations', 'spec.internalTrafficPolicy'],
  EndpointSlice: ['metadata.generateName', 'metadata.ownerReferences'],
};

/** The object without what the page leaves out. */
export function asOnPage(object: KubernetesObject | undefined): unknown {
  return object === undefined ? undefined : shown(object, '', new Set(leftOut[object.kind ?? '']));
}

function shown(value: unknown, path: string, paths: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => shown(each, path, paths));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const at = path === '' ? key : `${path}.${key}`;
      return inner === undefined || assigned.has(key) || paths.has(at) ? [] : [[key, shown(inner, at, paths)]];
    }),
  );
}
