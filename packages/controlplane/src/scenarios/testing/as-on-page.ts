/** Objects of a real API server in the form of docs/spec/wire.md §8. Test-only. */
import type { KubernetesObject } from '@isthmus/machinery';

/** Values that every API server assigns by itself, and times. */
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
 * The parts that the page leaves out, by kind. They are the API server's defaults on a Service and
 * its ports, and the annotations of docs/spec/wire.md §9 and of api's constants. On the
 * ServiceImport it leaves out the policy that it shows on the ResourceImport. On slices it leaves
 * out their owner, which is there for the garbage collector.
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

/** The object without the parts that the page leaves out. */
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
