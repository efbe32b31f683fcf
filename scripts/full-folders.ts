/**
 * Finds folders with more files than a reader takes in at a glance. Counted are the files directly in a folder that ship: not tests, and not
 * what `testing/`, `contract/`, `generated/` and `hostile/` hold. Pure: paths in, findings out.
 */
import { posix } from 'node:path';

/** More files than this are several ideas, each of which gets a folder. */
export const mostFiles = 20;

/** Folders that have more, with how many. A folder leaves this list when it is split; none is added. */
export const fullFolders: Readonly<Record<string, number>> = {
  'packages/api/src/core': 21,
  'packages/cli/src': 30,
  'packages/dataplane/src/kernel': 23,
};

const notShipped = /\.test\.ts$|\/(?:testing|contract|generated|hostile)\//;

/** What is wrong with the folders of these files, a line each: too many files, or an exception that is larger than the folder. */
export function folderProblems(
  paths: readonly string[],
  exceptions: Readonly<Record<string, number>> = fullFolders,
): readonly string[] {
  const shipped = paths.filter((path) => !notShipped.test(path));
  const counts = new Map([...Map.groupBy(shipped, posix.dirname)].map(([folder, files]) => [folder, files.length]));
  const full = [...counts].flatMap(([folder, count]) => {
    const most = exceptions[folder] ?? mostFiles;
    return count > most ? [`${folder} has ${count} files, and may have ${most}: give each idea in it a folder`] : [];
  });
  const outdated = Object.entries(exceptions).flatMap(([folder, most]) => {
    const count = counts.get(folder) ?? 0;
    if (count >= most) return [];
    const change = count > mostFiles ? `set it to ${count}` : 'remove it';
    return [`${folder} has ${count} files, and its exception in scripts/full-folders.ts is ${most}: ${change}`];
  });
  return [...full, ...outdated].toSorted();
}
