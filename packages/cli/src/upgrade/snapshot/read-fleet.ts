import { CredentialsError, loadKubeconfig, resolveContext } from '@isthmus/kube';
import type { Kubeconfig } from '@isthmus/kube';
import { assembleFleet, unreadCluster, withHandWritten } from '@isthmus/upgrade';
import type { FleetSnapshot } from '@isthmus/upgrade';
import type { GivenFlags } from '../../command/flag.ts';
import { printWarnings } from '../../connection/find-api-server.ts';
import type { Io } from '../../world/io.ts';
import { oneLine } from '../../render/printable-output.ts';
import { UsageError } from '../../command/usage-error.ts';
import { clustersInMemory } from './known-clusters.ts';
import type { KnownClusters } from './known-clusters.ts';
import { errorMessage, rfc3339 } from '@isthmus/machinery';
import { readCluster } from './read-cluster.ts';
import type { SnapshotExtras } from './read-cluster.ts';
import type { liveFlags } from './snapshot-flags.ts';

type LiveFlags = GivenFlags<typeof liveFlags>;

/** Clusters to read, with everything to reach them. */
export interface WantedClusters {
  readonly kubeconfig: Kubeconfig;
  readonly contexts: readonly string[];
  readonly extras: SnapshotExtras;
  readonly concurrency: number;
}

/**
 * The clusters that the flags name. Errors: {@link UsageError} for a kubeconfig that cannot be
 * read, and contexts that it does not have.
 */
export async function wantedClusters(io: Io, flags: LiveFlags): Promise<WantedClusters> {
  const concurrency = flags.concurrency ?? 8;
  if (concurrency < 1) throw new UsageError(`--concurrency ${concurrency}: it must be at least 1`);
  if (flags.context !== undefined && flags['all-contexts'] === true)
    throw new UsageError('--context and --all-contexts exclude each other');
  let kubeconfig: Kubeconfig;
  try {
    kubeconfig = await loadKubeconfig({ ...io, path: flags.kubeconfig });
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
  const all = [...kubeconfig.contexts.keys()].toSorted();
  if (all.length === 0)
    throw new UsageError(
      `${kubeconfig.sources.join(', ')}: the kubeconfig has no contexts, so there is no cluster to read; pass another one with --kubeconfig or KUBECONFIG`,
    );
  const contexts =
    flags['all-contexts'] === true ? all : (flags.context?.split(',') ?? [kubeconfig.currentContext ?? '']);
  if (contexts.length === 1 && contexts[0] === '')
    throw new UsageError('the kubeconfig has no current-context; name clusters with --context or --all-contexts');
  const missing = contexts.filter((one) => !kubeconfig.contexts.has(one));
  if (missing.length > 0)
    throw new UsageError(
      `${kubeconfig.sources.join(', ')}: ${missing.length === 1 ? 'context' : 'contexts'} ${missing.map((one) => `"${one}"`).join(', ')} ${missing.length === 1 ? 'does' : 'do'} not exist (there are: ${all.join(', ')})`,
    );
  printWarnings(io, { warnings: [...new Set(contexts.flatMap((one) => warningsOf(kubeconfig, one)))] });
  const extras = { helmSecrets: flags['helm-secrets'] === true, objectCounts: flags['object-counts'] === true };
  return { kubeconfig, contexts: [...new Set(contexts)], extras, concurrency };
}

/**
 * The unsafe settings of a context; none if it cannot be used, which is reported with its cluster.
 */
function warningsOf(kubeconfig: Kubeconfig, context: string): readonly string[] {
  try {
    return resolveContext(kubeconfig, context).warnings;
  } catch {
    return kubeconfig.warnings;
  }
}

/**
 * Reads the given contexts, a few at once, and saves each cluster as soon as it is read. A cluster
 * that cannot be read is saved with the cause. Errors: only the signal's reason, and clusters that
 * cannot be saved.
 */
export async function readClusters(
  io: Io,
  { kubeconfig, extras, concurrency }: WantedClusters,
  {
    contexts,
    known,
    signal,
  }: { readonly contexts: readonly string[]; readonly known: KnownClusters; readonly signal: AbortSignal },
): Promise<void> {
  const waiting = contexts.values();
  let writing = Promise.resolve();
  let done = 0;
  const work = async () => {
    for (const context of waiting) {
      signal.throwIfAborted();
      let cluster;
      let why: string | undefined;
      try {
        const read = await readCluster(io, { kubeconfig, context, extras, signal });
        cluster = withHandWritten(read, known.clusters.get(context));
      } catch (error) {
        signal.throwIfAborted();
        why = onOneLine(errorMessage(error));
        cluster = unreadCluster(context, onOneLine(withoutOutput(error)), known.clusters.get(context));
      }
      const read = cluster;
      done++;
      io.stderr.write(
        `${done}/${contexts.length} ${context}: ${read.reachable ? 'read' : `not read: ${why ?? read.notRead}`}\n`,
      );
      writing = writing.then(() => known.add(context, read));
      await writing;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, contexts.length) }, work));
}

function onOneLine(text: string): string {
  return text.split('\n').join(' ');
}

/**
 * The message of an error for a file that others read. The output of an exec plugin is left out,
 * because it may be a secret.
 */
function withoutOutput(error: unknown): string {
  const message = errorMessage(error);
  let cause = error;
  while (cause instanceof Error) {
    if (cause instanceof CredentialsError && cause.written !== undefined)
      return message.replaceAll(cause.written, 'its output is not kept here; take the snapshot again to see it');
    ({ cause } = cause);
  }
  return message;
}

/** Reads clusters and puts them together in memory, without a file. */
export async function readFleet(io: Io, flags: LiveFlags): Promise<FleetSnapshot> {
  const wanted = await wantedClusters(io, flags);
  const known = clustersInMemory(io.bundleCrypto.sha256);
  await untilStopped(io, false, (signal) => readClusters(io, wanted, { contexts: wanted.contexts, known, signal }));
  return fleetOf(io, known, { name: 'fleet', clusters: [], takenAt: rfc3339(io.clock.now()) });
}

/**
 * Joins the known clusters with others that were written by hand; notes for the reader go to
 * standard error.
 */
export function fleetOf(
  io: Pick<Io, 'stderr'>,
  { clusters, pool, before }: KnownClusters,
  parts: Parameters<typeof assembleFleet>[0],
): FleetSnapshot {
  const { snapshot, notes } = assembleFleet({ ...parts, clusters: [...parts.clusters, ...clusters.values()] });
  for (const note of notes) io.stderr.write(`note: ${oneLine(note)}\n`);
  const used = new Set(snapshot.spec.clusters.flatMap(({ sharedDefinitions }) => sharedDefinitions));
  const definitions = Object.fromEntries(
    [...pool.definitions].filter(([key]) => used.has(key)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  return { ...snapshot, spec: { ...snapshot.spec, definitions, clients: before?.spec.clients ?? [] } };
}

/**
 * Runs work that a signal of the user ends. `isKept`: the clusters read so far are in a file, so
 * that the next run continues.
 */
export async function untilStopped(
  io: Io,
  isKept: boolean,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const next = isKept
    ? 'run the same command again to continue'
    : 'nothing that was read is kept; `isthmus upgrade snapshot -o FILE` can be continued';
  const forget = io.onStop((signal) => stop.abort(new Error(`stopped by ${signal}; ${next}`)));
  try {
    await work(stop.signal);
  } finally {
    forget();
  }
}
