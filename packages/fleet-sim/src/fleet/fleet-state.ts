import * as api from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { canonicalJson, parseRfc3339, resourceNameOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from './fleet.ts';

/**
 * The kinds of objects that a fleet converges to: all of ours, and those that an import creates.
 * Events and Leases are not part of the state.
 */
const kinds: readonly ResourceType[] = [
  ...api.customResources.flatMap(({ versions }) => versions.filter(({ storage }) => storage)),
  api.Service,
  api.EndpointSlice,
  api.Endpoints,
];

/**
 * The state that a fleet has converged to, as lines: `cluster kind namespace/name content`. Equal
 * lines mean equal states. Fields that differ between two runs are left out: uids,
 * resourceVersions, generations, times, heartbeats. Times of first export, which decide conflicts,
 * are replaced by their rank: the oldest is `no. 1`, and all copies of one have the same rank.
 * Addresses that API servers choose for imported Services are replaced by the name of the Service.
 */
export function fleetState(fleet: VirtualFleet): readonly string[] {
  const found = fleet.clusters.flatMap(({ name, server }) =>
    kinds
      .filter((kind) => isServed(server, kind))
      .flatMap((kind) => server.admin.list<KubernetesObject>(kind).map((object) => ({ name, kind, object }))),
  );
  const times = found.flatMap(({ object }) => object.metadata.annotations?.[api.Annotation.firstExported] ?? []);
  const inOrder = [...new Set(times)].toSorted((a, b) => (parseRfc3339(a) ?? 0) - (parseRfc3339(b) ?? 0));
  const rankOf = (time: unknown) => `no. ${inOrder.indexOf(String(time)) + 1}`;
  const chosen = chosenAddresses(fleet);
  return found.map(({ name, kind, object }) => {
    const { namespace = '', name: ownName, generateName } = object.metadata;
    // An API server chooses the end of a generated name.
    const objectName = generateName === undefined ? ownName : `${generateName}?`;
    const named = { ...object, metadata: { ...object.metadata, name: objectName } };
    const content = canonicalJson(withoutIdentity(named, rankOf)).replaceAll(
      address,
      (text) => chosen.get(text) ?? text,
    );
    return `${name} ${kind.kind} ${namespace}/${objectName} ${content}`;
  });
}

/** Whether a kind is served: a caller may delete a definition of ours. */
function isServed({ admin }: VirtualCluster['server'], kind: ResourceType): boolean {
  if (!customGroups.has(kind.group)) return true;
  return admin.get(api.CustomResourceDefinition, { name: resourceNameOf(kind) }) !== undefined;
}

const customGroups: ReadonlySet<string> = new Set(api.customResources.map(({ group }) => group));

const address = /"\d+\.\d+\.\d+\.\d+"/g;

/** The ClusterIPs of imported Services, quoted, with the names of their Services. */
function chosenAddresses({ clusters }: VirtualFleet): ReadonlyMap<string, string> {
  const all = clusters.flatMap(({ name, server }) =>
    server.admin.list(api.Service).flatMap(({ metadata, spec }) => {
      const isImported = metadata.annotations?.[api.Annotation.importedService] !== undefined;
      const text = `"<of ${name} ${metadata.namespace ?? ''}/${metadata.name}>"`;
      return isImported ? [[`"${spec?.clusterIP ?? ''}"`, text] as const] : [];
    }),
  );
  return new Map(all);
}

const identity = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'managedFields',
  'observedGeneration',
  'creationTimestamp',
  'deletionTimestamp',
  'lastHeartbeatTime',
  'lastTransitionTime',
  api.Annotation.touchTs,
  api.Annotation.wire,
  api.Annotation.marksAt,
  api.Annotation.answered,
  api.Annotation.dottedNames,
  api.Annotation.restoring,
  api.Annotation.withdrawn,
  // The members that left within a day are history, not state.
  api.Annotation.left,
  'endpoints.kubernetes.io/last-change-trigger-time',
]);

function withoutIdentity(value: unknown, rankOf: (time: unknown) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutIdentity(item, rankOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !identity.has(key))
      .map(
        ([key, inner]) =>
          [key, key === api.Annotation.firstExported ? rankOf(inner) : withoutIdentity(inner, rankOf)] as const,
      )
      // Annotations that contain only identities are the same as none.
      .filter(([key, inner]) => !(key === 'annotations' && isEmpty(inner))),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
