import { appendFile, open, rename, rm } from 'node:fs/promises';
import { errorMessage } from '@isthmus/machinery';
import type { WritableFiles } from './io.ts';
import { randomHex } from './random-hex.ts';

/** Files in the file system of this machine; only their owner may read new ones. */
export const writableFiles: WritableFiles = {
  append: (path, text) => named(path, () => appendFile(path, text, { mode: 0o600, flush: true })),
  async replace(path, text) {
    const draft = `${path}.${randomHex(6)}`;
    try {
      await named(path, async () => {
        {
          await using file = await open(draft, 'wx', 0o600);
          await file.writeFile(text);
          await file.sync();
        }
        await rename(draft, path);
      });
    } finally {
      await rm(draft, { force: true });
    }
  },
  remove: (path) => named(path, () => rm(path, { force: true })),
};

async function named(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new Error(`cannot write ${path}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
