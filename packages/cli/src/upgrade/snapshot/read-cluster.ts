import { gunzipSync } from 'node:zlib';
import { createClient, isForbidden, isNotServed, resolveContext } from '@isthmus/kube';
import type { Client, Kubeconfig } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import {
  addFacts,
  addHelmRelease,
  addObject,
  addPod,
  clusterOfFacts,
  clusterSources,
  emptyFacts,
  helmReleaseSource,
  perNodeWorkloads,
} from '@isthmus/upgrade';
import type { ClusterFacts, ClusterSnapshot, ClusterSource } from '@isthmus/upgrade';
import type { Io } from '../../io.ts';
import { isthmusVersion } from '../../version/version.ts';

export interface ReadClusterOptions {
  readonly kubeconfig: Kubeconfig;
  readonly context: string;
  readonly helmSecrets: boolean;
  readonly signal: AbortSignal;
}

/**
 * Reads what runs in the cluster of a context, list by list and page by page; of each object only facts are kept. Errors: what could not be
 * read and why, with the next step.
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
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why}; grant the rights that isthmus upgrade snapshot --rights prints`, { cause: error });
  } finally {
    client.close();
  }
}

async function readFacts(client: Client, { helmSecrets, signal }: ReadClusterOptions): Promise<ClusterFacts> {
  const { text } = await client.request({ method: 'GET', path: '/version' }, { signal });
  const { gitVersion } = JSON.parse(text) as { readonly gitVersion?: unknown };
  if (typeof gitVersion !== 'string')
    throw new Error('the server at this address is not an API server: /version has no gitVersion');
  const system = await client.get(namespaces, { namespace: '', name: 'kube-system' }, { signal });
  const facts = emptyFacts(gitVersion, system.metadata.uid ?? '');
  for (const source of clusterSources) await readSource(client, source, { facts, signal });
  for (const { namespace, selector } of perNodeWorkloads(facts)) {
    const labelSelector = Object.entries(selector)
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    const into = sinkOf(facts, addPod);
    await client.list(pods, { namespace, labelSelector, limit: podPageSize, signal, into });
    into.finish();
  }
  if (helmSecrets) {
    const into = sinkOf(facts, (found, object) => {
      const release = helmRelease(object);
      if (release !== undefined) addHelmRelease(found, release);
    });
    await client.list(typeOf(helmReleaseSource, 'v1'), { ...listOptions(helmReleaseSource), signal, into });
    into.finish();
  }
  return facts;
}

interface Reading {
  readonly facts: ClusterFacts;
  readonly signal: AbortSignal;
}

async function readSource(client: Client, source: ClusterSource, { facts, signal }: Reading): Promise<void> {
  const version = source.version ?? servedVersion(facts, `${source.plural}.${source.group}`);
  if (version === undefined) return;
  const into = sinkOf(facts, (found, object) => addObject(found, source.name, object));
  try {
    await client.list(typeOf(source, version), { ...listOptions(source), signal, into });
  } catch (error) {
    // A CustomResourceDefinition whose version is not served yet, or not any more.
    if (source.version === undefined && isNotServed(error)) return;
    throw error;
  }
  into.finish();
}

/** Takes objects one by one; when the list begins again, what it gave before is forgotten. */
function sinkOf(facts: ClusterFacts, add: (facts: ClusterFacts, object: KubernetesObject) => void) {
  let found = emptyFacts('', '');
  return {
    isLimited: true,
    add: (object: KubernetesObject) => add(found, object),
    clear: () => void (found = emptyFacts('', '')),
    finish: () => addFacts(facts, found),
  };
}

function listOptions({ namespace, labelSelector, pageSize }: ClusterSource) {
  return { namespace, labelSelector, limit: pageSize };
}

function typeOf({ group, kind, plural, namespace }: ClusterSource, version: string): ResourceType {
  // A list of all Namespaces has the path of a list of what has none.
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
    readonly versions: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  };
}

/** The release in a Secret of Helm: JSON, packed by gzip, as base64, and that as base64 once more. Undefined for what is not one. */
function helmRelease(object: KubernetesObject): unknown {
  const { data } = object as unknown as { readonly data?: { readonly release?: unknown } };
  if (typeof data?.release !== 'string') return undefined;
  try {
    const packed = Buffer.from(Buffer.from(data.release, 'base64').toString('latin1'), 'base64');
    return JSON.parse(gunzipSync(packed, { maxOutputLength: maxReleaseBytes }).toString('utf8'));
  } catch {
    // A Secret with the labels of Helm that somebody else wrote.
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
/** A Secret has at most 1 MiB; what it unpacks to is not trusted. */
const maxReleaseBytes = 64 * 2 ** 20;
