/**
 * Finds folders with more files than a reader takes in at a glance. The check counts the files
 * directly in a folder that ship: not tests, and not files of `testing/`, `contract/`,
 * `generated/` and `hostile/`. Pure: paths in, findings out.
 */
import { posix } from 'node:path';

/** More files than this are several ideas, each of which gets a folder. */
export const mostFiles = 20;

/** Folders that have more, with their number of files. Folders leave this list, none is added. */
export const fullFolders: Readonly<Record<string, number>> = {
  'packages/api/src/core': 21,
  'packages/dataplane/src/kernel': 23,
};

const notShipped = /\.test\.ts$|\/(?:testing|contract|generated|hostile)\//;

/** Findings about the folders of these files: too many files, or a larger exception than needed. */
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
