import { readdir, realpath, stat } from 'node:fs/promises';
import { errorMessage } from '@isthmus/machinery';

/** The files of a path, and the links among them that are not followed. */
export interface ListedFiles {
  readonly files: readonly string[];
  /** They lead out of the folder, or nowhere. */
  readonly links: readonly UnfollowedLink[];
}

export interface UnfollowedLink {
  readonly path: string;
  readonly to: 'file' | 'folder' | 'nothing';
}

/** Lists the files of a path: itself, or all files below a folder. */
export type ListFiles = (path: string) => Promise<ListedFiles>;

/** More files than a folder of manifests has: the path is wrong, or a link leads to the root. */
const most = 20_000;

/**
 * The files below a folder, however deep, sorted bytewise, as paths that begin with the given one;
 * a file lists itself. Names that begin with a dot are left out. Links are followed within the
 * folder, each file once: a folder from elsewhere must not lead to files that its reader did not
 * name. Errors name the path: it does not exist, or has more than 20,000 files.
 */
export const listFiles: ListFiles = async (path) => {
  try {
    if (!(await stat(path)).isDirectory()) return { files: [path], links: [] };
    return await new Folder(await realpath(path)).list(path.replace(/\/+$/, '') || '/');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const none = `no such file or folder${path === '-' ? '; for standard input, pass /dev/stdin' : ''}`;
    const why = code === 'ENOENT' ? none : errorMessage(error);
    throw new Error(`cannot read ${path}: ${why}`, { cause: error });
  }
};

/** A folder that is walked through. */
class Folder {
  readonly #root: string;
  /** By the real path behind all links. */
  readonly #files = new Map<string, string>();
  readonly #walked = new Set<string>();
  readonly #links: string[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  async list(path: string): Promise<ListedFiles> {
    await this.#walk(path, this.#root);
    const unfollowed: UnfollowedLink[] = [];
    // Last, so that a file has its own path and not that of a link.
    for (const link of this.#links) {
      const to = await this.#follow(link);
      if (to !== undefined) unfollowed.push({ path: link, to });
    }
    return {
      files: [...this.#files.values()].toSorted(),
      links: unfollowed.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    };
  }

  async #walk(path: string, real: string): Promise<void> {
    if (this.#walked.has(real)) return;
    this.#walked.add(real);
    for (const entry of await readdir(real, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const own = below(path, entry.name);
      if (entry.isDirectory()) await this.#walk(own, below(real, entry.name));
      else if (entry.isFile()) this.#add(own, below(real, entry.name));
      else if (entry.isSymbolicLink()) this.#links.push(own);
    }
  }

  #add(path: string, real: string): void {
    if (!this.#files.has(real)) this.#files.set(real, path);
    if (this.#files.size > most) throw new Error(`it contains more than ${most} files`);
  }

  /** The target of a link that is not followed. */
  async #follow(link: string): Promise<UnfollowedLink['to'] | undefined> {
    let real: string;
    try {
      real = await realpath(link);
    } catch {
      return 'nothing';
    }
    const isFolder = (await stat(real)).isDirectory();
    if (real !== this.#root && !real.startsWith(below(this.#root, ''))) return isFolder ? 'folder' : 'file';
    if (isFolder) await this.#walk(link, real);
    else this.#add(link, real);
    return undefined;
  }
}

function below(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}
