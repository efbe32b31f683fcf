import { constants } from 'node:fs';
import { access, link, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '@isthmus/machinery';
import type { PrivateFiles } from './io.ts';
import { randomHex } from './random-hex.ts';

/** Files in the file system of this machine. */
export const privateFiles: PrivateFiles = {
  async obstacle(path) {
    const folder = dirname(path);
    try {
      if (!(await stat(folder)).isDirectory()) return `${folder} is not a directory`;
      await access(folder, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      switch ((error as NodeJS.ErrnoException).code) {
        case 'ENOENT':
          return `directory ${folder} does not exist`;
        case 'ENOTDIR':
          return `${folder} is not a directory`;
        case 'EACCES':
        case 'EROFS':
        case 'EPERM':
          return `this user has no write permission for ${folder}`;
        default:
          return errorMessage(error);
      }
    }
  },
  async write(path, text) {
    // In the same directory, because only there it can get its name in one step. Unlike a rename, a
    // link never replaces another file.
    const draft = join(dirname(path), `.${basename(path)}.${randomHex(6)}`);
    try {
      {
        await using file = await open(draft, 'wx', 0o600);
        await file.writeFile(text);
        await file.sync();
      }
      await link(draft, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw new Error(`cannot write ${path}: ${errorMessage(error)}`, {
        cause: error,
      });
    } finally {
      await rm(draft, { force: true });
    }
  },
  remove: (path) => rm(path, { force: true }),
};
