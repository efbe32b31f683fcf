import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The commit of release 0.1.0. */
export const release010 = '81e74441e352c89bacd34c637b8bd8b7bd528022';

/** The files of an earlier commit, ready to run. */
export interface EarlierCheckout extends AsyncDisposable {
  readonly path: string;
}

/**
 * Checks an earlier commit out. It uses the packages that are installed here; they are the right
 * ones as long as both commits pin the same versions. Undefined: the history of this clone does not
 * go back so far.
 */
export async function checkOutEarlier(commit: string): Promise<EarlierCheckout | undefined> {
  const isKnown = await run('git', ['-C', root, 'cat-file', '-e', `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );
  if (!isKnown) return undefined;
  const path = await mkdtemp(join(tmpdir(), 'isthmus-earlier-'));
  await run('sh', [
    '-c',
    'git -C "$1" archive "$2" packages deploy package.json | tar -x -C "$3"',
    'sh',
    root,
    commit,
    path,
  ]);
  const modules = join(path, 'node_modules');
  await mkdir(join(modules, '@isthmus'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules')))
    if (!name.startsWith('.') && name !== '@isthmus')
      await symlink(join(root, 'node_modules', name), join(modules, name));
  for (const name of await readdir(join(path, 'packages')))
    await symlink(join(path, 'packages', name), join(modules, '@isthmus', name));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
