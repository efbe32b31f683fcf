import { printYaml, rfc3339 } from '@isthmus/machinery';
import { snapshotRights } from '@isthmus/upgrade';
import type { GivenFlags } from '../../command/flag.ts';
import { documentText } from '../../render/document-text.ts';
import { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { clustersInFile, clustersInMemory, partPath } from './known-clusters.ts';
import type { KnownClusters } from './known-clusters.ts';
import { fleetOf, readClusters, untilStopped, wantedClusters } from './read-fleet.ts';
import type { WantedClusters } from './read-fleet.ts';
import type { snapshotFlags } from './snapshot-flags.ts';
import { snapshotText } from './snapshot-text.ts';

/** Takes a snapshot and prints it, or writes it to a file and prints a summary. */
export async function takeSnapshot(io: Io, flags: GivenFlags<typeof snapshotFlags>): Promise<ExitCode> {
  if (flags.rights === true) {
    const rights = { helmSecrets: flags['helm-secrets'] === true, objectCounts: flags['object-counts'] === true };
    io.stdout.write(printYaml(snapshotRights(rights)));
    return ExitCode.ok;
  }
  const path = flags.output;
  if (path !== undefined && /^(?:-|yaml|json|text|table)$/.test(path))
    throw new UsageError(
      `--output ${path}: expected a file such as fleet.yaml; without --output, the snapshot is printed as YAML`,
    );
  if (path === undefined && flags.refresh !== undefined) throw new UsageError('--refresh requires --output');
  const obstacle = path === undefined ? undefined : await io.privateFiles.obstacle(path);
  if (obstacle !== undefined) throw new UsageError(`cannot write ${path}: ${obstacle}`);
  const wanted = await wantedClusters(io, flags);
  const known = path === undefined ? clustersInMemory(io.bundleCrypto.sha256) : await clustersInFile(io, path);
  const contexts = unreadOf(wanted.contexts, known, { refresh: flags.refresh, now: io.clock.now() });
  const skipped = wanted.contexts.length - contexts.length;
  if (skipped > 0) io.stderr.write(skippedText(skipped, wanted, { path: path ?? '', known, refresh: flags.refresh }));
  await untilStopped(io, path !== undefined, (signal) => readClusters(io, wanted, { contexts, known, signal }));
  const { before } = known;
  // Results of an interrupted run for contexts that are no longer given are left out: one of them
  // may conflict with the others.
  const given = new Set([...wanted.contexts, ...(before?.spec.clusters.map(({ context }) => context) ?? [])]);
  const clusters = new Map([...known.clusters].filter(([context]) => given.has(context)));
  const snapshot = fleetOf(
    io,
    { ...known, clusters },
    {
      name: flags.name ?? before?.metadata.name ?? 'fleet',
      takenAt: contexts.length === 0 && before !== undefined ? before.spec.takenAt : rfc3339(io.clock.now()),
      // Clusters that were never read with a context were written by hand, or are placeholders,
      // which are made again.
      clusters:
        before?.spec.clusters.filter(({ context, notRead }) => context === undefined && notRead === undefined) ?? [],
    },
  );
  const isJson = path?.endsWith('.json') === true;
  const text = documentText(snapshot, isJson ? 'json' : 'yaml');
  if (path === undefined) {
    io.stdout.write(text);
    io.stderr.write(snapshotText(snapshot));
  } else {
    await io.writableFiles.replace(path, text);
    await io.writableFiles.remove(partPath(path));
    const kept = snapshot.spec.clusters.filter(
      ({ context, reachable }) => reachable && context !== undefined && !wanted.contexts.includes(context),
    );
    io.stdout.write(
      snapshotText(
        snapshot,
        kept.map(({ name }) => name),
      ),
    );
  }
  return snapshot.spec.clusters.every(({ reachable }) => reachable) ? ExitCode.ok : ExitCode.warned;
}

/**
 * The line with the number of contexts that are not read again, their file, and the flag that reads
 * them.
 */
function skippedText(
  skipped: number,
  { contexts: { length: all }, extras }: WantedClusters,
  {
    path,
    known,
    refresh,
  }: { readonly path: string; readonly known: KnownClusters; readonly refresh: string | undefined },
): string {
  const part = partPath(path);
  if (refresh !== undefined)
    return `Contexts that an interrupted run has read within the last hour (${part}) or that are not refreshed: ${skipped} of ${all}. Delete ${part} to read all that --refresh names.\n`;
  const file = known.before === undefined ? part : path;
  return `Contexts that are in ${file} already and are not read again: ${skipped} of ${all}. --refresh all reads them, too${extras.helmSecrets || extras.objectCounts ? ', with the Secrets or counts that you ask for' : ''}.\n`;
}

/**
 * How long the results of an interrupted run count as fresh: it is the same command, which was run
 * again.
 */
const resumedWithinMs = 60 * 60 * 1000;

/**
 * The contexts that have to be read: not known yet, not reached the last time, or requested and not
 * read by an interrupted run. Errors: {@link UsageError} for unknown contexts.
 */
function unreadOf(
  contexts: readonly string[],
  { clusters, interrupted }: KnownClusters,
  { refresh, now }: { readonly refresh: string | undefined; readonly now: number },
): readonly string[] {
  const again = new Set(refresh === 'all' ? contexts : (refresh?.split(',') ?? []));
  const wrong = [...again].find((one) => !contexts.includes(one));
  if (wrong !== undefined) throw new UsageError(`--refresh ${wrong}: it is not among the contexts that are read`);
  const isFresh = (one: string) =>
    interrupted.has(one) && now - Date.parse(clusters.get(one)?.readAt ?? '') < resumedWithinMs;
  return contexts.filter((one) => (again.has(one) && !isFresh(one)) || clusters.get(one)?.reachable !== true);
}
