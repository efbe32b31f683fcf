import { Annotation } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { canonicalJson } from '@isthmus/machinery';

/** All objects of a cluster without what changes by itself, by resource, Namespace and name. */
export type Snapshot = ReadonlyMap<string, KubernetesObject>;

/** An object that differs between two snapshots of a cluster. */
export interface Change {
  readonly cluster: string;
  readonly key: string;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

interface Served {
  readonly path: string;
  readonly name: string;
}

/** Heartbeats and Events; components of the control plane, which are not objects. */
const passing: ReadonlySet<string> = new Set(['events', 'leases', 'componentstatuses']);

/** Lists every kind that the API server serves, also those that Isthmus does not know. */
export async function snapshotOf(admin: Client): Promise<Snapshot> {
  const found = new Map<string, KubernetesObject>();
  const lists = await Promise.all(
    (await servedKinds(admin)).map(async (kind) => [kind, await list(admin, kind)] as const),
  );
  for (const [{ name }, items] of lists)
    for (const object of items)
      found.set(`${name} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, lasting(name, object));
  return found;
}

export function changesOf(cluster: string, before: Snapshot, after: Snapshot): readonly Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((key) => {
    const [one, other] = [before.get(key), after.get(key)];
    const isSame = canonicalJson(one ?? null) === canonicalJson(other ?? null);
    return isSame ? [] : [{ cluster, key, before: one, after: other }];
  });
}

async function servedKinds(admin: Client): Promise<readonly Served[]> {
  const { groups = [] } = await read<{ groups?: { preferredVersion: { groupVersion: string } }[] }>(admin, '/apis');
  const paths = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const kinds = await Promise.all(
    paths.map(async (path) => {
      const { resources = [] } = await read<{ resources?: { name: string; verbs: string[] }[] }>(admin, path);
      return resources
        .filter(({ name, verbs }) => verbs.includes('list') && !name.includes('/') && !passing.has(name))
        .map(({ name }) => ({ path: `${path}/${name}`, name }));
    }),
  );
  return kinds.flat();
}

async function list(admin: Client, { path }: Served): Promise<readonly KubernetesObject[]> {
  return (await read<{ items?: KubernetesObject[] | null }>(admin, path)).items ?? [];
}

async function read<T>(admin: Client, path: string): Promise<T> {
  const { text } = await admin.request({ method: 'GET', path });
  return JSON.parse(text) as T;
}

/** Heartbeats, and reports to others. */
const passingAnnotations: ReadonlySet<string> = new Set([
  Annotation.touchTs,
  Annotation.marksAt,
  Annotation.answered,
  Annotation.importProblems,
  Annotation.settingsDiffer,
  Annotation.networkConflict,
]);
/** Objects whose whole status reports on others. */
const reporting: ReadonlySet<string> = new Set(['clustersets', 'knownclusters', 'resourceexports']);
const ofServer: ReadonlySet<string> = new Set(['resourceVersion', 'generation', 'managedFields']);
const ofConditions: ReadonlySet<string> = new Set(['conditions', 'observedGeneration']);

function lasting(resource: string, object: KubernetesObject): KubernetesObject {
  const { status, ...others } = object as KubernetesObject & { readonly status?: unknown };
  const annotations = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !passingAnnotations.has(key));
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([key]) => !ofServer.has(key)));
  return {
    ...others,
    metadata: { ...metadata, name: object.metadata.name, annotations: Object.fromEntries(annotations) },
    ...(status !== undefined && !reporting.has(resource) && { status: withoutConditions(status) }),
  };
}

function withoutConditions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutConditions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      ofConditions.has(key) ? [] : [[key, withoutConditions(inner)] as const],
    ),
  );
}
