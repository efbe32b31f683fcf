import { gunzipSync } from 'node:zlib';
import { createClient, isForbidden, isNotServed, resolveContext } from '@isthmus/kube';
import type { Client, Kubeconfig } from '@isthmus/kube';
import { errorMessage, isDeeperThan, isRecord, rfc3339 } from '@isthmus/machinery';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import {
  addFacts,
  addHelmRelease,
  addObject,
  addPod,
  clusterOfFacts,
  clusterSources,
  countedGroups,
  emptyFacts,
  helmReleaseSource,
  perNodeWorkloads,
} from '@isthmus/upgrade';
import type { ClusterFacts, ClusterSnapshot, ClusterSource } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { isthmusVersion } from '../../version/version.ts';

/** The data that is read only on request, because it needs more permissions. */
export interface SnapshotExtras {
  readonly helmSecrets: boolean;
  readonly objectCounts: boolean;
}

export interface ReadClusterOptions {
  readonly kubeconfig: Kubeconfig;
  readonly context: string;
  readonly extras: SnapshotExtras;
  readonly signal: AbortSignal;
}

/**
 * Reads the workloads and versions in the cluster of a context, list by list and page by page; only
 * facts of each object are kept. Errors: the objects that could not be read and the reason, with
 * the next step.
 */
export async function readCluster(
  io: Pick<Io, 'network' | 'clock'>,
  options: ReadClusterOptions,
): Promise<ClusterSnapshot> {
  const { context, signal } = options;
  const settings = resolveContext(options.kubeconfig, context);
  const transport = await io.network.connect(settings, `isthmus/${isthmusVersion} (upgrade snapshot)`);
  const client = createClient({ transport, clock: io.clock, server: `the API server ${settings.server}` });
  try {
    const facts = await readFacts(client, options);
    const { host, port } = new URL(settings.server);
    const server = port === '' ? `${host}:443` : host;
    return clusterOfFacts(facts, { context, server, readAt: rfc3339(io.clock.now()) });
  } catch (error) {
    signal.throwIfAborted();
    if (!isForbidden(error)) throw error;
    const why = errorMessage(error);
    throw new Error(
      `${why}; grant the permissions that isthmus upgrade snapshot ${rightsFlags(options.extras)} prints`,
      {
        cause: error,
      },
    );
  } finally {
    client.close();
  }
}

/** The flags that print all permissions for a snapshot with these extras. */
function rightsFlags({ helmSecrets, objectCounts }: SnapshotExtras): string {
  return ['--rights', ...(helmSecrets ? ['--helm-secrets'] : []), ...(objectCounts ? ['--object-counts'] : [])].join(
    ' ',
  );
}

async function readFacts(client: Client, { extras, signal }: ReadClusterOptions): Promise<ClusterFacts> {
  const { text } = await client.request({ method: 'GET', path: '/version' }, { signal });
  const gitVersion = gitVersionIn(text);
  if (gitVersion === undefined)
    throw new Error(
      'the server at this address is not an API server: /version has no gitVersion; check `server` in the kubeconfig',
    );
  const system = await client.get(namespaces, { namespace: '', name: 'kube-system' }, { signal });
  const facts = emptyFacts(gitVersion, system.metadata.uid ?? '');
  for (const source of clusterSources) await readSource(client, source, { facts, signal });
  for (const { namespace, selector } of perNodeWorkloads(facts)) {
    const labelSelector = Object.entries(selector)
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    const into = sinkOf(facts, pods, addPod);
    await client.list(pods, { namespace, labelSelector, limit: podPageSize, signal, into });
    into.finish();
  }
  if (extras.objectCounts)
    for (const definition of countedDefinitions(facts)) await countObjects(client, definition, { facts, signal });
  if (extras.helmSecrets) {
    const into = sinkOf(facts, helmReleaseSource, (found, object) => {
      const release = helmRelease(object);
      if (release !== undefined) addHelmRelease(found, release);
    });
    await client.list(typeOf(helmReleaseSource, 'v1'), { ...listOptions(helmReleaseSource), signal, into });
    into.finish();
  }
  return facts;
}

function gitVersionIn(text: string): string | undefined {
  try {
    const version: unknown = JSON.parse(text);
    return isRecord(version) && typeof version['gitVersion'] === 'string' ? version['gitVersion'] : undefined;
  } catch {
    return undefined;
  }
}

interface Reading {
  readonly facts: ClusterFacts;
  readonly signal: AbortSignal;
}

async function readSource(client: Client, source: ClusterSource, { facts, signal }: Reading): Promise<void> {
  const version = source.version ?? servedVersion(facts, `${source.plural}.${source.group}`);
  if (version === undefined) return;
  const into = sinkOf(facts, source, (found, object) => addObject(found, source.name, object));
  try {
    await client.list(typeOf(source, version), { ...listOptions(source), signal, into });
  } catch (error) {
    // A CustomResourceDefinition whose version is not served yet, or not any more.
    if (source.version === undefined && isNotServed(error)) return;
    throw error;
  }
  into.finish();
}

/**
 * Requests one object: the API server reports how many remain. If it does not, nothing is counted.
 */
async function countObjects(client: Client, type: ResourceType, { facts, signal }: Reading): Promise<void> {
  const path = `/apis/${type.group}/${type.version}/${type.plural}`;
  let list: unknown;
  try {
    const { text } = await client.request({ method: 'GET', path, query: { limit: '1' } }, { signal });
    list = JSON.parse(text);
  } catch (error) {
    if (isNotServed(error)) return;
    throw error;
  }
  const { items, metadata } = recordOf(list);
  const { continue: more, remainingItemCount: remaining } = recordOf(metadata);
  const isCounted = typeof remaining === 'number' && Number.isSafeInteger(remaining) && remaining > 0;
  if (!Array.isArray(items) || (typeof more === 'string' && more !== '' && !isCounted)) return;
  const count = items.length + (isCounted ? remaining : 0);
  facts.objectCounts.push({ crd: `${type.plural}.${type.group}`, count });
}

/** The kinds whose objects are counted, each in a version that is served. */
function countedDefinitions(facts: ClusterFacts): readonly ResourceType[] {
  return facts.definitions.flatMap((one) => {
    const { metadata, spec } = one as unknown as Definition;
    const version = servedVersion(facts, metadata.name);
    if (version === undefined || !countedGroups.includes(spec.group)) return [];
    const { kind, plural } = spec.names;
    return [{ group: spec.group, version, kind, plural, namespaced: spec.scope === 'Namespaced' }];
  });
}

/** Takes objects one by one; when the list begins again, the earlier ones are dropped. */
function sinkOf(
  facts: ClusterFacts,
  { kind }: { readonly kind: string },
  add: (facts: ClusterFacts, object: KubernetesObject) => void,
) {
  let found = emptyFacts('', '');
  return {
    isLimited: true,
    add(object: KubernetesObject) {
      checkObject(kind, object);
      add(found, object);
    },
    clear: () => void (found = emptyFacts('', '')),
    finish: () => addFacts(facts, found),
  };
}

/**
 * The limit of nested objects and lists: deeper ones could be written to a file, but not be read
 * again.
 */
const deepest = 500;

/**
 * Errors: an object that no correct API server returns, and that the rest of this command could not
 * handle.
 */
function checkObject(kind: string, object: KubernetesObject): void {
  const named = () => `${kind} ${JSON.stringify(object.metadata.name.slice(0, 253))}`;
  if (isDeeperThan(object, deepest)) throw new Error(`${named()} is nested too deeply`);
  if (kind === 'CustomResourceDefinition' && !hasVersions(object)) throw new Error(`${named()} has no valid versions`);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function hasVersions(object: KubernetesObject): boolean {
  const { spec } = object as unknown as { readonly spec?: unknown };
  if (!isRecord(spec) || typeof spec['group'] !== 'string') return false;
  const { names, versions } = spec;
  const isNamed = isRecord(names) && typeof names['kind'] === 'string' && typeof names['plural'] === 'string';
  return (
    isNamed && Array.isArray(versions) && versions.every((one) => isRecord(one) && typeof one['name'] === 'string')
  );
}

function listOptions({ namespace, labelSelector, pageSize }: ClusterSource) {
  return { namespace, labelSelector, limit: pageSize };
}

function typeOf({ group, kind, plural, namespace }: ClusterSource, version: string): ResourceType {
  // A list of all Namespaces has the same path as a list of a kind without Namespaces.
  return { group, version, kind, plural, namespaced: namespace !== undefined };
}

/** The stored version if it is served, otherwise any that is. */
function servedVersion({ definitions }: ClusterFacts, name: string): string | undefined {
  for (const one of definitions) {
    const { metadata, spec } = one as unknown as Definition;
    if (metadata.name !== name) continue;
    const served = spec.versions.filter((version) => version.served);
    return (served.find(({ storage }) => storage) ?? served[0])?.name;
  }
  return undefined;
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly scope: string;
    readonly versions: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  };
}

/**
 * The release in a Secret of Helm: JSON, packed by gzip, as base64, and that as base64 once more.
 * Undefined for any other content.
 */
function helmRelease(object: KubernetesObject): unknown {
  const { data } = object as unknown as { readonly data?: { readonly release?: unknown } };
  if (typeof data?.release !== 'string') return undefined;
  try {
    const packed = Buffer.from(Buffer.from(data.release, 'base64').toString('latin1'), 'base64');
    return JSON.parse(gunzipSync(packed, { maxOutputLength: maxReleaseBytes }).toString('utf8'));
  } catch {
    // A Secret with the labels of Helm that another program wrote.
    return undefined;
  }
}

const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const pods: ResourceType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const podPageSize = 100;
/** A Secret has at most 1 MiB; its unpacked content is not trusted. */
const maxReleaseBytes = 64 * 2 ** 20;
