import * as api from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { canonicalJson } from '@isthmus/machinery';
import type { VirtualFleet } from './virtual-fleet.ts';

/** The kinds whose objects make up what a fleet has converged to; Events and Leases come and go. */
const kinds = [
  api.ClusterSet,
  api.MemberClusterAnnounce,
  api.ResourceExport,
  api.ResourceImport,
  api.Service,
  api.EndpointSlice,
  api.Endpoints,
  api.ServiceExport,
  api.ServiceImport,
] as const;

/**
 * Everything that the fleet has converged to, as lines: `cluster kind namespace/name content`, without what tells one run from another (uids,
 * resourceVersions, generations, times, heartbeats). Equal lines: the same state.
 */
export function fleetState(fleet: VirtualFleet): readonly string[] {
  return fleet.clusters.flatMap(({ name, server }) =>
    kinds.flatMap((kind) =>
      server.admin.list<KubernetesObject>(kind).map((object) => {
        const { namespace = '', name: objectName } = object.metadata;
        return `${name} ${kind.kind} ${namespace}/${objectName} ${canonicalJson(withoutIdentity(object))}`;
      }),
    ),
  );
}

const identity = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  api.Annotation.touchTs,
  api.Annotation.firstExported,
]);

function withoutIdentity(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIdentity);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !identity.has(key))
      .map(([key, inner]) => [key, withoutIdentity(inner)] as const)
      // What remembers an identity, and nothing else, is as good as absent.
      .filter(([key, inner]) => !(key === 'annotations' && isEmpty(inner))),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
