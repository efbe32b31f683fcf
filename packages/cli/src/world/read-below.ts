import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { fileProblem, readFile } from '@isthmus/kube/world';
import { errorMessage } from '@isthmus/machinery';

/** The file at a path that another author wrote. */
export type FileBelow =
  | { readonly kind: 'text'; readonly path: string; readonly text: string }
  | { readonly kind: 'missing' }
  /**
   * It leads out of the folder, or to something other than a regular file. Nothing of it was read.
   */
  | { readonly kind: 'outside'; readonly path: string };

/**
 * Reads a regular file below `folder` (empty: the current one), by a path that another person
 * chose: absolute paths, `..` and links that lead elsewhere are not followed. Errors: those of
 * `readFile`, and of folders that cannot be searched.
 */
export type ReadBelow = (folder: string, path: string) => Promise<FileBelow>;

export const readBelow: ReadBelow = async (folder, path) => {
  const found = await fileBelow(folder, path);
  return found.kind === 'file' ? { kind: 'text', path: found.path, text: (await readFile(found.file)).text } : found;
};

/** As {@link ReadBelow} of a file of any size and content, piece by piece. */
export type BytesBelow = (
  folder: string,
  path: string,
) => Promise<
  { readonly kind: 'bytes'; readonly chunks: AsyncIterable<Uint8Array> } | Exclude<FileBelow, { readonly kind: 'text' }>
>;

export const bytesBelow: BytesBelow = async (folder, path) => {
  const found = await fileBelow(folder, path);
  return found.kind === 'file' ? { kind: 'bytes', chunks: chunksOf(found.file) } : found;
};

async function* chunksOf(file: string): AsyncIterable<Uint8Array> {
  try {
    for await (const bytes of createReadStream(file, { highWaterMark: 1024 * 1024 })) yield bytes as Uint8Array;
  } catch (error) {
    throw new Error(`cannot read ${file}: ${fileProblem(error)}`, { cause: error });
  }
}

async function fileBelow(
  folder: string,
  path: string,
): Promise<
  | { readonly kind: 'file'; readonly file: string; readonly path: string }
  | Exclude<FileBelow, { readonly kind: 'text' }>
> {
  const root = resolve(folder === '' ? '.' : folder);
  const file = resolve(root, path);
  if (!isBelow(root, file)) return { kind: 'outside', path };
  try {
    const real = await realpath(file);
    if (!isBelow(await realpath(root), real) || !(await stat(real)).isFile()) return { kind: 'outside', path };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    const why = errorMessage(error);
    throw new Error(`cannot read ${file}: ${why}`, { cause: error });
  }
  return { kind: 'file', file, path: `${folder}${path}` };
}

function isBelow(root: string, file: string): boolean {
  return file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}
