import { gzipSync } from 'node:zlib';
import { writeTar } from './image/tar.ts';

const folder = 'deploy/charts/';

/**
 * The chart as `helm install` reads it, from its files by their paths in the checkout. The same
 * files and the same Node give the same bytes. Test values (`ci`) are left out.
 */
export function chartArchive(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files)
    .map(([path, text]) => ({ path: path.slice(folder.length), data: Buffer.from(text) }))
    .filter(({ path }) => !/^[^/]+\/ci\//.test(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return gzipSync(writeTar(entries.map((one) => ({ kind: 'file', mode: 0o644, ...one }) as const)), { level: 9 });
}
