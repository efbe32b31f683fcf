import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles } from '../../packages/cli/src/world/list-files.ts';
import type { UnfollowedLink } from '../../packages/cli/src/world/list-files.ts';
import { historyOf } from './history.ts';
import type { History } from './history.ts';

/**
 * The history in a folder, with a line for each link that is not followed. The files of a version
 * are those that `isthmus upgrade check` reads of its folder, so links are followed within it only;
 * the folder of a version may be a link itself. Errors as those of {@link historyOf}, and a folder
 * that is not there.
 */
export async function readHistory(
  folder: string,
): Promise<{ readonly history: History; readonly unfollowed: readonly string[] }> {
  const root = join(folder);
  const listed = [];
  for (const name of await subfolders(root)) listed.push(await listFiles(join(root, name)));
  const files = listed.flatMap((one) => one.files);
  return { history: historyOf(root, files), unfollowed: listed.flatMap(({ links }) => links.map(unfollowedText)) };
}

function unfollowedText({ path, to }: UnfollowedLink): string {
  return to === 'nothing'
    ? `${path} is a link to nothing; it is not part of its version`
    : `${path} is a link to a ${to} outside the folder of its version, and is not part of it; copy the ${to} to this place`;
}

/**
 * The names of the folders in a folder, and of links to folders; those that begin with a dot are
 * left out.
 */
async function subfolders(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted();
  const found = await Promise.all(
    names.map(async (name) => ((await stat(join(folder, name)).catch(() => undefined))?.isDirectory() ? name : [])),
  );
  return found.flat();
}
