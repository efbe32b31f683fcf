import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readHistory } from './read-history.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'isthmus-history-'));
  for (const folder of ['project/v1.0.0', 'project/.git', 'elsewhere'])
    await mkdir(join(root, folder), { recursive: true });
  for (const file of ['project/v1.0.0/crd.yaml', 'project/.git/config', 'project/README.md', 'elsewhere/crd.yaml'])
    await writeFile(join(root, file), '');
});
afterEach(() => rm(root, { recursive: true }));

const versionsOf = async () => {
  const { history, unfollowed } = await readHistory(`${join(root, 'project')}/`);
  const below = (path: string) => path.slice(root.length + 1);
  return {
    name: history.name,
    files: history.versions.map(({ name, files }) => [name, files.map(below)]),
    unfollowed: unfollowed.map(below),
  };
};

it('a history has the versions whose folders are links, and the files to which links within a folder lead', async () => {
  await symlink('../elsewhere', join(root, 'project', 'v1.1.0'));
  await mkdir(join(root, 'project', 'v1.2.0', 'deep'), { recursive: true });
  await writeFile(join(root, 'project', 'v1.2.0', '.crd'), '');
  await symlink('../.crd', join(root, 'project', 'v1.2.0', 'deep', 'crd.yaml'));
  expect(await versionsOf()).toEqual({
    name: 'project',
    files: [
      ['v1.0.0', ['project/v1.0.0/crd.yaml']],
      ['v1.1.0', ['project/v1.1.0/crd.yaml']],
      ['v1.2.0', ['project/v1.2.0/deep/crd.yaml']],
    ],
    unfollowed: [],
  });
});

it('a history names each link that is not followed, because its version would look complete without it', async () => {
  await mkdir(join(root, 'project', 'v1.1.0'));
  await writeFile(join(root, 'project', 'v1.1.0', 'a.yaml'), '');
  await symlink('../v1.0.0/crd.yaml', join(root, 'project', 'v1.1.0', 'crd.yaml'));
  await symlink('nowhere', join(root, 'project', 'v1.1.0', 'gone.yaml'));
  expect(await versionsOf()).toMatchObject({
    files: [
      ['v1.0.0', ['project/v1.0.0/crd.yaml']],
      ['v1.1.0', ['project/v1.1.0/a.yaml']],
    ],
    unfollowed: [
      'project/v1.1.0/crd.yaml is a link to a file outside the folder of its version, and is not part of it; copy the file to this place',
      'project/v1.1.0/gone.yaml is a link to nothing; it is not part of its version',
    ],
  });
});
