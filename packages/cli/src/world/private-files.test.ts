import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { privateFiles } from './private-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isthmus-private-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a private file', () => {
  it('is for its owner alone, takes the place of none, and nothing else is left', async () => {
    const path = join(folder, 'config');
    expect(await privateFiles.write(path, 'first')).toBe(true);
    expect(await privateFiles.write(path, 'second')).toBe(false);
    expect(await readFile(path, 'utf8')).toBe('first');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['config']);
    await privateFiles.remove(path);
    await privateFiles.remove(path);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is named where it cannot be written, and leaves no draft', async () => {
    const path = join(folder, 'no', 'x');
    await expect(privateFiles.write(path, 'text')).rejects.toThrow(`cannot write ${path}: `);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is known to be impossible where its directory is not a directory', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await privateFiles.obstacle(join(folder, 'x'))).toBeUndefined();
    expect(await privateFiles.obstacle(join(folder, 'no', 'x'))).toBe(`directory ${join(folder, 'no')} does not exist`);
    expect(await privateFiles.obstacle(join(folder, 'file', 'x'))).toBe(`${join(folder, 'file')} is not a directory`);
  });

  // The superuser may write everywhere.
  it.skipIf(process.getuid?.() === 0)('is known to be impossible where this user may not write', async () => {
    await chmod(folder, 0o500);
    expect(await privateFiles.obstacle(join(folder, 'x'))).toBe(`this user has no write permission for ${folder}`);
    await chmod(folder, 0o700);
  });
});
