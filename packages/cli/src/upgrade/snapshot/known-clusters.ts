import { DefinitionPool } from '@isthmus/upgrade';
import type { ClusterSnapshot, FleetSnapshot } from '@isthmus/upgrade';
import { isMissingFile } from '@isthmus/kube';
import type { Io } from '../../world/io.ts';
import { readSnapshotFile } from '../input/read-snapshot.ts';

/**
 * The clusters that are known so far, with shared definitions. They are saved one by one, so that
 * an interruption loses none.
 */
export interface KnownClusters {
  /** The contexts that an interrupted run has read. */
  readonly interrupted: ReadonlySet<string>;
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
    interrupted: new Set(),
    pool,
    add: async (context, cluster) => void clusters.set(context, pool.share(cluster)),
  };
}

/** The place where clusters are saved until the snapshot is complete. */
export function partPath(path: string): string {
  return `${path}.part`;
}

/**
 * The clusters of the snapshot at `path`, and those that an interrupted run has read since. Errors:
 * a file that is not a snapshot, or cannot be read or written.
 */
export async function clustersInFile(
  io: Pick<Io, 'readFile' | 'readChunks' | 'writableFiles' | 'bundleCrypto'>,
  path: string,
): Promise<KnownClusters> {
  const { sha256 } = io.bundleCrypto;
  const part = partPath(path);
  const clusters = new Map<string, ClusterSnapshot>();
  const interrupted = new Set<string>();
  const pool = new DefinitionPool(sha256);
  const before = await unlessMissing(() => readSnapshotFile(io, path));
  for (const [key, definition] of Object.entries(before?.spec.definitions ?? {})) pool.put(key, definition);
  for (const cluster of before?.spec.clusters ?? [])
    if (cluster.context !== undefined) clusters.set(cluster.context, pool.share(cluster));
  let last = '';
  for await (const text of linesOf(io, part)) {
    last = text;
    const line = parsedLine(text);
    if (line === undefined) continue;
    if ('key' in line) pool.put(line.key, line.definition);
    else {
      clusters.set(line.context, line.cluster);
      interrupted.add(line.context);
    }
  }
  // The last line of a run that was killed may be incomplete; the next line must not be joined to
  // it.
  let head = last === '' ? '' : '\n';
  let written = new Set(pool.definitions.keys());
  return {
    before,
    clusters,
    interrupted,
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

/**
 * The lines of a file of any size; the last one is empty if the file ends with a line end. There
 * are none without a file.
 */
async function* linesOf(io: Pick<Io, 'readChunks'>, path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of io.readChunks(path)) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if (!isMissingFile(error)) throw error;
  }
  yield rest;
}

/** Undefined for a line that no run has written whole: an incomplete line can be valid JSON. */
function parsedLine(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line !== 'object' || line === null) return undefined;
    return ('key' in line && 'definition' in line) || ('context' in line && 'cluster' in line)
      ? (line as Line)
      : undefined;
  } catch {
    return undefined;
  }
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
