import * as api from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { canonicalJson, parseRfc3339, resourceNameOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from './fleet.ts';

/** The kinds whose objects make up what a fleet has converged to: all of ours, and those that an import makes. Events and Leases come and go. */
const kinds: readonly ResourceType[] = [
  ...api.customResources.flatMap(({ versions }) => versions.filter(({ storage }) => storage)),
  api.Service,
  api.EndpointSlice,
  api.Endpoints,
];

/**
 * Everything that the fleet has converged to, as lines: `cluster kind namespace/name content`, without what tells one run from another (uids,
 * resourceVersions, generations, times, heartbeats). Of the times of first export their order is kept, which decides conflicts, and that all
 * copies of one agree: the oldest is `no. 1`. Addresses that the API servers choose (of the imported Services) are named after the Service.
 * Equal lines: the same state.
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
    // An API server makes the end of a generated name up.
    const objectName = generateName === undefined ? ownName : `${generateName}?`;
    const named = { ...object, metadata: { ...object.metadata, name: objectName } };
    const content = canonicalJson(withoutIdentity(named, rankOf)).replaceAll(
      address,
      (text) => chosen.get(text) ?? text,
    );
    return `${name} ${kind.kind} ${namespace}/${objectName} ${content}`;
  });
}

/** A test may take a definition of ours away. */
function isServed({ admin }: VirtualCluster['server'], kind: ResourceType): boolean {
  if (!customGroups.has(kind.group)) return true;
  return admin.get(api.CustomResourceDefinition, { name: resourceNameOf(kind) }) !== undefined;
}

const customGroups: ReadonlySet<string> = new Set(api.customResources.map(({ group }) => group));

const address = /"\d+\.\d+\.\d+\.\d+"/g;

/** The ClusterIPs of imported Services, quoted, and whose they are. */
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
  'lastTransitionTime',
  api.Annotation.touchTs,
  api.Annotation.wire,
  api.Annotation.marksAt,
  api.Annotation.answered,
  api.Annotation.restoring,
  api.Annotation.withdrawn,
  // Who left within a day is history, and not what the fleet has converged to.
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
      // What remembers an identity, and nothing else, is as good as absent.
      .filter(([key, inner]) => !(key === 'annotations' && isEmpty(inner))),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
