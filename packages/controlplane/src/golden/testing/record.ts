/** Records the visible state of a fleet, chapter by chapter. Test-only. */
import * as api from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf, printYamlDocuments, rfc3339 } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet, VirtualFleetOptions } from '@isthmus/fleet-sim';
import { createVirtualFleet } from '@isthmus/fleet-sim';

/** A change in a fleet, and how long it has to settle. */
export interface Chapter {
  /** The change, as a statement. */
  readonly title: string;
  readonly act?: ((fleet: VirtualFleet) => unknown) | undefined;
  /** Virtual milliseconds until the fleet is recorded. Default 10 s. */
  readonly forMs?: number | undefined;
}

export interface Scenario {
  /** The name of its file. */
  readonly name: string;
  readonly fleet: VirtualFleetOptions;
  /** The kinds whose objects are recorded. Default: all that a ClusterSet exchanges. */
  readonly kinds?: readonly ResourceType[] | undefined;
  readonly chapters: readonly Chapter[];
}

const exchanged: readonly ResourceType[] = [
  api.ClusterSet,
  api.MemberClusterAnnounce,
  api.ResourceExport,
  api.ResourceImport,
  api.ServiceExport,
  api.ServiceImport,
  api.Service,
  api.EndpointSlice,
];

/**
 * Plays a scenario and returns one YAML document per chapter. It contains the whole objects that
 * were written in each cluster since the last chapter, the names of deleted objects, and the new
 * Events.
 *
 * Values that an API server assigns (uid, resourceVersion, generation, managedFields) are left out.
 * A uid in a text becomes `<uid>`, and the time of a heartbeat `<last beat>`. Addresses that the
 * API server chose for imported Services are replaced by names. Times are virtual, and are kept.
 */
export async function recordScenario({ fleet: options, kinds = exchanged, chapters }: Scenario): Promise<string> {
  await using fleet = await createVirtualFleet(options);
  await toWholeSecond(fleet);
  const before = new Map<string, string>();
  const seenEvents = new Set<string>();
  const documents: unknown[] = [];
  for (const { title, act, forMs = 10_000 } of chapters) {
    const from = rfc3339(fleet.clock.now());
    await act?.(fleet);
    await fleet.clock.advance(forMs);
    await toWholeSecond(fleet);
    const clusters = fleet.clusters.map((cluster) => [
      cluster.name,
      { ...changesOf(cluster, kinds, before), events: newEvents(cluster, seenEvents) },
    ]);
    const told = clusters.map(([name, changes]) => [name, withoutEmpty(changes as object)]);
    documents.push({ chapter: title, from, until: rfc3339(fleet.clock.now()), ...Object.fromEntries(told) });
  }
  const chosen = chosenAddresses(fleet, documents);
  const text = printYamlDocuments(documents)
    .replaceAll(uuid, '<uid>')
    .replaceAll(beat, (_, before: string) => `${before}<last beat>`);
  return text.replaceAll(ipv4, (address) => chosen.get(address) ?? address);
}

async function toWholeSecond({ clock }: VirtualFleet): Promise<void> {
  const over = clock.now() % 1_000;
  if (over > 0) await clock.advance(1_000 - over);
}

function changesOf(cluster: VirtualCluster, kinds: readonly ResourceType[], before: Map<string, string>) {
  const written: unknown[] = [];
  const now = new Set<string>();
  const prefix = (kind: ResourceType) => `${cluster.name} ${kind.kind} `;
  for (const kind of kinds) {
    for (const object of cluster.server.admin.list<KubernetesObject>(kind)) {
      if (!isExchanged(object)) continue;
      const { namespace = '', name } = object.metadata;
      const key = `${prefix(kind)}${namespace}/${name}`;
      now.add(key);
      const plain = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...(plainValue(object) as object) };
      // Heartbeats depend on the time, not on the chapter.
      const content = `${object.metadata.uid} ${JSON.stringify(plain).replace(/"(touch-ts|isthmus\.dev\/marks-at|isthmus\.dev\/answered|isthmus\.dev\/dotted-names|isthmus\.dev\/wire)":"[^"]*"/g, '')}`;
      if (before.get(key) === content) continue;
      before.set(key, content);
      written.push(plain);
    }
  }
  const gone = [...before.keys()].filter((key) => key.startsWith(`${cluster.name} `) && !now.has(key));
  for (const key of gone) before.delete(key);
  return { written, gone: gone.map((key) => key.slice(cluster.name.length + 1)) };
}

/**
 * Users' own Services and the slices that Kubernetes creates for them are the input of a scenario,
 * not its result.
 */
function isExchanged({ kind, metadata }: KubernetesObject): boolean {
  if (kind === 'Service') return metadata.name.startsWith('antrea-mc-');
  if (kind === 'EndpointSlice') return metadata.labels?.[api.Label.mcsServiceName] !== undefined;
  return true;
}

function newEvents({ server }: VirtualCluster, seen: Set<string>): readonly unknown[] {
  const events = server.admin.list(api.Event).map((event) => {
    const { type, reason, message, action, involvedObject, source, metadata } = event;
    const { apiVersion, kind, namespace, name } = involvedObject;
    const object = [apiVersion, kind, [namespace, name].filter((part) => part !== undefined).join('/')].join(' ');
    return { type, reason, message, action, object, from: source?.component, namespace: metadata.namespace };
  });
  const fresh = new Map(events.map((event) => [`${server.name} ${JSON.stringify(event)}`, event]));
  const texts = [...fresh.keys()].filter((text) => !seen.has(text)).toSorted();
  for (const text of texts) seen.add(text);
  return texts.map((text) => fresh.get(text));
}

const assigned = new Set(['uid', 'resourceVersion', 'generation', 'managedFields', 'apiVersion', 'kind']);

/**
 * The value without what an API server assigns, with sorted keys. The metadata of the object come
 * first.
 */
function plainValue(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((each) => plainValue(each, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  // A heartbeat depends on the time, not on the chapter.
  const isAssigned = (key: string) =>
    key === 'lastHeartbeatTime' || ((depth < 2 || key === 'uid') && assigned.has(key));
  const entries = Object.entries(value).filter(([key]) => !isAssigned(key));
  const rank = (key: string) => (depth === 0 && key === 'metadata' ? '' : key);
  const sorted = entries.toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, plainValue(inner, depth + 1)]));
}

function withoutEmpty(changes: object): unknown {
  const entries = Object.entries(changes).filter(([, list]) => (list as readonly unknown[]).length > 0);
  return entries.length === 0 ? 'unchanged' : Object.fromEntries(entries);
}

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** The time of the last heartbeat, which has jitter. */
const beat = /(touch-ts: |marks-at: |answered: |dotted-names: |update since |wire: \d+ )'?[-\dT:]+Z'?/g;
const ipv4 = /\b\d+\.\d+\.\d+\.\d+\b/g;

/**
 * The ClusterIPs of imported Services, with their owners. The choice of an API server depends on
 * the order of requests.
 */
function chosenAddresses({ clusters }: VirtualFleet, documents: readonly unknown[]): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>();
  for (const { name } of clusters) {
    const written = documents.flatMap((document) => writtenIn(document, name));
    for (const { kind, metadata, spec } of written) {
      const address = (spec as { readonly clusterIP?: string } | undefined)?.clusterIP ?? 'None';
      if (kind !== 'Service' || address === 'None') continue;
      const times = [...chosen.values()].filter((text) => text.includes(`${name}-${metadata.name}>`)).length;
      if (!chosen.has(address)) chosen.set(address, `<${ordinal(times)}clusterIP of ${name}-${metadata.name}>`);
    }
  }
  return chosen;
}

type Written = KubernetesObject & { readonly spec?: unknown };

function writtenIn(document: unknown, cluster: string): readonly Written[] {
  const changes = (document as Readonly<Record<string, unknown>>)[cluster];
  return typeof changes === 'object' ? ((changes as { readonly written?: readonly Written[] }).written ?? []) : [];
}

function ordinal(times: number): string {
  return times === 0 ? '' : `${times + 1}. `;
}
