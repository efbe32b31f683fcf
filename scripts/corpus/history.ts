import { compareVersions, parseVersion } from '@isthmus/upgrade';

/** The versions of one project: a folder that has a folder for each of them. */
export interface History {
  readonly name: string;
  /** The earliest first. */
  readonly versions: readonly HistoryVersion[];
}

export interface HistoryVersion {
  readonly name: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * The history in a folder, from the files below it: `<folder>/<version>/…`, the versions in their
 * order. Errors: fewer than two versions, and a name whose place among the versions is unknown.
 */
export function historyOf(folder: string, files: readonly string[]): History {
  const root = folder.replace(/\/+$/, '');
  const below = files.map((file) => file.slice(root.length + 1)).filter((path) => path.includes('/'));
  const names = [...new Set(below.map((path) => path.slice(0, path.indexOf('/'))))];
  const parsed = names.map((name) => ({ name, version: parseVersion(name) }));
  for (const { name, version } of parsed)
    if (version.core === undefined)
      throw new Error(`cannot read the history ${folder}: ${name} is not a version; name each folder as v1.2.3`);
  if (names.length < 2)
    throw new Error(`cannot read the history ${folder}: it must contain at least two folders such as v1.2.3`);
  const versions = parsed
    .toSorted((a, b) => (compareVersions(a.version, b.version) === 'older' ? 1 : -1))
    .map(({ name }) => ({
      name,
      folder: `${root}/${name}`,
      files: files.filter((file) => file.startsWith(`${root}/${name}/`)),
    }));
  return { name: root.slice(root.lastIndexOf('/') + 1), versions };
}
