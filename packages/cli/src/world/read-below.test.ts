import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesBelow, readBelow } from './read-below.ts';

describe('a file by a path that somebody else chose', () => {
  let root = '';
  let folder = '';
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'isthmus-below-'));
    folder = `${root}/bundle/`;
    await mkdir(join(folder, 'deep'), { recursive: true });
    await mkdir(join(root, 'bundle-2'));
    await writeFile(join(folder, 'deep', 'a.yaml'), 'a');
    await writeFile(join(root, 'secret'), 'secret');
    await writeFile(join(root, 'bundle-2', 'secret'), 'secret');
    await symlink('deep/a.yaml', join(folder, 'inside'));
    await symlink('../secret', join(folder, 'link'));
    await symlink('..', join(folder, 'up'));
    await symlink('/dev/stdin', join(folder, 'stdin'));
    await symlink('nowhere', join(folder, 'broken'));
  });
  afterAll(() => rm(root, { recursive: true }));

  it.each(['deep/a.yaml', './deep/../deep/a.yaml', 'inside'])('is read at %s, below the folder', async (path) => {
    expect(await readBelow(folder, path)).toEqual({ kind: 'text', path: `${folder}${path}`, text: 'a' });
  });

  it('is read byte for byte, also where it is not text', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0xef, 0xbb, 0xbf, 0x80]);
    await writeFile(join(folder, 'tool'), bytes);
    const found = await bytesBelow(folder, 'tool');
    expect(Buffer.concat(found.kind === 'bytes' ? await Array.fromAsync(found.chunks) : [])).toEqual(bytes);
    expect(await bytesBelow(folder, 'link')).toEqual({ kind: 'outside', path: 'link' });
    expect(await bytesBelow(folder, 'gone')).toEqual({ kind: 'missing' });
  });

  it.each([
    '../secret',
    '/etc/passwd',
    '../bundle-2/secret',
    'link',
    'up/secret',
    'stdin',
    'deep',
    '.',
    '/proc/self/environ',
  ])('is not read at %s, which leads elsewhere', async (path) => {
    expect(await readBelow(folder, path)).toEqual({ kind: 'outside', path });
  });

  it.each(['gone.yaml', 'deep/a.yaml/b', 'broken'])('is missing at %s', async (path) => {
    expect(await readBelow(folder, path)).toEqual({ kind: 'missing' });
  });
});
