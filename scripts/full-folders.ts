/**
 * Finds folders with more files than a reader takes in at a glance. The check counts the files
 * directly in a folder that ship: not tests, and not files of `testing/`, `contract/`,
 * `generated/` and `hostile/`. Pure: paths in, findings out.
 */
import { posix } from 'node:path';

/** More files than this are several ideas, each of which gets a folder. */
const mostFiles = 20;

const notShipped = /\.test\.ts$|\/(?:testing|contract|generated|hostile)\//;

/** The folders of these files that have too many. */
export function folderProblems(paths: readonly string[]): readonly string[] {
  const shipped = paths.filter((path) => !notShipped.test(path));
  return [...Map.groupBy(shipped, posix.dirname)]
    .filter(([, files]) => files.length > mostFiles)
    .map(([folder, { length }]) => `${folder} has ${length} files, and may have ${mostFiles}: give each idea a folder`)
    .toSorted();
}
