import { DefinitionPool } from '@isthmus/upgrade';
import type { ClusterSnapshot, FleetSnapshot } from '@isthmus/upgrade';
import { isMissingFile } from '@isthmus/kube';
import type { Io } from '../../io.ts';
import { readSnapshotFile } from '../input/read-snapshot.ts';
import { readText } from '../input/read-input.ts';

/** The clusters that are known so far, their definitions shared; written down one by one, so that an interruption loses none. */
export interface KnownClusters {
  /** The file as it was before; absent: there was none. */
  readonly before: FleetSnapshot | undefined;
  /** By context. */
  readonly clusters: ReadonlyMap<string, ClusterSnapshot>;
  readonly pool: DefinitionPool;
  add(context: string, cluster: ClusterSnapshot): Promise<void>;
}

/** A line of the file beside the snapshot. */
type Line =
  | { readonly key: string; readonly definition: Readonly<Record<string, unknown>> }
  | { readonly context: string; readonly cluster: ClusterSnapshot };

/** Clusters that are kept in memory only. */
export function clustersInMemory(sha256: (text: string) => string): KnownClusters {
  const clusters = new Map<string, ClusterSnapshot>();
  const pool = new DefinitionPool(sha256);
  return {
    before: undefined,
    clusters,
    pool,
    add: async (context, cluster) => void clusters.set(context, pool.share(cluster)),
  };
}

/** Where clusters are written down until the snapshot is complete. */
export function partPath(path: string): string {
  return `${path}.part`;
}

/**
 * The clusters of the snapshot at `path`, and those that an interrupted run has read since. Errors: a file that is not a snapshot, or cannot
 * be read or written.
 */
export async function clustersInFile(
  io: Pick<Io, 'readFile' | 'writableFiles' | 'bundleCrypto'>,
  path: string,
): Promise<KnownClusters> {
  const { sha256 } = io.bundleCrypto;
  const part = partPath(path);
  const clusters = new Map<string, ClusterSnapshot>();
  const pool = new DefinitionPool(sha256);
  const before = await unlessMissing(() => readSnapshotFile(io, path));
  for (const [key, definition] of Object.entries(before?.spec.definitions ?? {})) pool.put(key, definition);
  for (const cluster of before?.spec.clusters ?? [])
    if (cluster.context !== undefined) clusters.set(cluster.context, pool.share(cluster));
  const text = (await unlessMissing(() => readText(io, part))) ?? '';
  for (const line of linesOf(text)) {
    if ('key' in line) pool.put(line.key, line.definition);
    else clusters.set(line.context, line.cluster);
  }
  // The last line of a run that was killed may be torn; what follows must not be joined to it.
  let head = text === '' || text.endsWith('\n') ? '' : '\n';
  let written = new Set(pool.definitions.keys());
  return {
    before,
    clusters,
    pool,
    async add(context, cluster) {
      const shared = pool.share(cluster);
      clusters.set(context, shared);
      const fresh = [...pool.definitions].filter(([key]) => !written.has(key));
      written = new Set(pool.definitions.keys());
      const lines: readonly Line[] = [
        ...fresh.map(([key, definition]) => ({ key, definition })),
        { context, cluster: shared },
      ];
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const whole = head + text;
      head = '';
      await io.writableFiles.append(part, whole);
    },
  };
}

function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line): readonly Line[] => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && (isMissingFile(error) || isMissingFile(error.cause))) return undefined;
    throw error;
  }
}
