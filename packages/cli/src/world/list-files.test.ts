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

  it('are all below a folder, sorted, without what is hidden, and each once', async () => {
    const { files, links } = await listFiles(`${root}/`);
    expect(files).toEqual(['a.yaml', 'b/deep/c.yaml', 'z.yaml'].map((name) => `${root}/${name}`));
    expect(links).toEqual([]);
  });

  it('are the file itself where it is one', async () => {
    expect(await listFiles(`${root}/z.yaml`)).toEqual({ files: [`${root}/z.yaml`], links: [] });
  });

  it('are, by links within the folder, also those of hidden folders, as a mounted ConfigMap has them', async () => {
    const mounted = await mkdtemp(join(tmpdir(), 'isthmus-mounted-'));
    try {
      await mkdir(join(mounted, '..2026', 'deep'), { recursive: true });
      for (const name of ['a.yaml', 'deep/b.yaml']) await writeFile(join(mounted, '..2026', name), '');
      await symlink('..2026', join(mounted, '..data'));
      await symlink('..data/a.yaml', join(mounted, 'a.yaml'));
      await symlink('..data/deep', join(mounted, 'deep'));
      await symlink('a.yaml', join(mounted, 'same.yaml'));
      const { files, links } = await listFiles(mounted);
      expect([files, links]).toEqual([['a.yaml', 'deep/b.yaml'].map((name) => join(mounted, name)), []]);
    } finally {
      await rm(mounted, { recursive: true });
    }
  });

  it('do not include what links outside the folder lead to: these links are listed', async () => {
    await symlink(join(root, 'z.yaml'), join(root, 'b', 'z.yaml'));
    await symlink('../..', join(root, 'b', 'up'));
    await symlink('nowhere', join(root, 'b', 'gone.yaml'));
    const { files, links } = await listFiles(join(root, 'b'));
    expect(files).toEqual([join(root, 'b', 'deep', 'c.yaml')]);
    expect(links.map(({ path, to }) => [path.slice(root.length), to])).toEqual([
      ['/b/gone.yaml', 'nothing'],
      ['/b/up', 'folder'],
      ['/b/z.yaml', 'file'],
    ]);
  });

  it('are refused by name where nothing is there', async () => {
    await expect(listFiles(`${root}/gone`)).rejects.toThrow(`cannot read ${root}/gone: no such file or folder`);
    await expect(listFiles('-')).rejects.toThrow(
      'cannot read -: no such file or folder; for standard input, pass /dev/stdin',
    );
  });
});
