// The one module of this package that looks into folders (ARCHITECTURE.md, rule 5).
import { readdir, stat } from 'node:fs/promises';

/** The files that a path stands for: itself, or all below it where it is a folder. */
export type ListFiles = (path: string) => Promise<readonly string[]>;

/** More than these are no manifests that a person meant: a wrong path, or a link to the root. */
const most = 20_000;

/**
 * The files below a folder, however deep, sorted bytewise, as paths that begin with the one given; of a file itself. Names that begin with a dot are
 * left out, and links are not followed. Errors name the path: it is not there, or holds more than 20,000 files.
 */
export const listFiles: ListFiles = async (path) => {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const found = await filesBelow(path.replace(/\/+$/, '') || '/');
    return found.toSorted();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const none = path === '-' ? 'standard input is not read; pass a file or a folder' : 'no such file or folder';
    const why = code === 'ENOENT' ? none : error instanceof Error ? error.message : String(error);
    throw new Error(`cannot read ${path}: ${why}`, { cause: error });
  }
};

async function filesBelow(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const path = next === '/' ? `/${entry.name}` : `${next}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && files.push(path) > most) throw new Error(`it contains more than ${most} files`);
    }
  }
  return files;
}
