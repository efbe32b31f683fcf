import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from './list-files.ts';

describe('the files of a path', () => {
  let root = '';
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'isthmus-files-'));
    await mkdir(join(root, 'b', 'deep'), { recursive: true });
    await mkdir(join(root, '.git'));
    for (const name of ['z.yaml', 'a.yaml', 'b/deep/c.yaml', '.git/config', '.hidden'])
      await writeFile(join(root, name), '');
    await symlink(root, join(root, 'loop'));
  });
  afterAll(() => rm(root, { recursive: true }));

  it('are all below a folder, sorted, without what is hidden or linked', async () => {
    expect(await listFiles(`${root}/`)).toEqual(['a.yaml', 'b/deep/c.yaml', 'z.yaml'].map((name) => `${root}/${name}`));
  });

  it('are the file itself where it is one', async () => {
    expect(await listFiles(`${root}/z.yaml`)).toEqual([`${root}/z.yaml`]);
  });

  it('are refused by name where nothing is there', async () => {
    await expect(listFiles(`${root}/gone`)).rejects.toThrow(`cannot read ${root}/gone: no such file or folder`);
    await expect(listFiles('-')).rejects.toThrow('cannot read -: standard input is not read; pass a file or a folder');
  });
});
