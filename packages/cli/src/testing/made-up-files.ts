import type { FileContent } from '@isthmus/kube';
import type { Io } from '../world/io.ts';
import type { UnfollowedLink } from '../world/list-files.ts';

/** Short, so that text is cut in odd places; a prime, so that it is so in every file. */
const chunkLength = 8191;

type Files = Pick<
  Io,
  'readFile' | 'listFiles' | 'readBelow' | 'bytesBelow' | 'readChunks' | 'privateFiles' | 'writableFiles'
>;

/**
 * Files in memory, text by path. Every other file does not exist, and neither does directory
 * `/missing`.
 */
export function madeUpFiles(files: Map<string, string>, links: readonly UnfollowedLink[]): Files {
  return {
    readFile: async (path): Promise<FileContent> => ({ text: textAt(files, path) }),
    async listFiles(path) {
      if (files.has(path)) return { files: [path], links: [] };
      const folder = `${path.replace(/\/+$/, '')}/`;
      const below = [...files.keys()].filter((file) => file.startsWith(folder));
      const leading = links.filter((link) => link.path.startsWith(folder));
      if (below.length + leading.length === 0) throw new Error(`cannot read ${path}: no such file or folder`);
      return { files: below.toSorted(), links: leading };
    },
    async readBelow(folder, path) {
      if (leadsOut(path)) return { kind: 'outside', path };
      const text = files.get(`${folder}${path}`);
      return text === undefined ? { kind: 'missing' } : { kind: 'text', path: `${folder}${path}`, text };
    },
    async bytesBelow(folder, path) {
      if (leadsOut(path)) return { kind: 'outside', path };
      const text = files.get(`${folder}${path}`);
      return text === undefined ? { kind: 'missing' } : { kind: 'bytes', chunks: bytesOf(text) };
    },
    async *readChunks(path) {
      const text = textAt(files, path);
      for (let at = 0; at < text.length; at += chunkLength) yield text.slice(at, at + chunkLength);
    },
    privateFiles: {
      obstacle: async (path) => (path.startsWith('/missing/') ? 'directory /missing does not exist' : undefined),
      write: async (path, text) => !files.has(path) && files.set(path, text).has(path),
      remove: async (path) => void files.delete(path),
    },
    writableFiles: {
      append: async (path, text) => void files.set(path, (files.get(path) ?? '') + text),
      replace: async (path, text) => void files.set(path, text),
      remove: async (path) => void files.delete(path),
    },
  };
}

function textAt(files: ReadonlyMap<string, string>, path: string): string {
  const text = files.get(path);
  if (text !== undefined) return text;
  const cause = Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
  throw new Error(`cannot read ${path}: no such file`, { cause });
}

function leadsOut(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}
