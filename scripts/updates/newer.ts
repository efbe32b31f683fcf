import { compareVersions, parseVersion } from '@isthmus/upgrade';
import type { Pinned } from './pinned.ts';

/** What there is above a pin. Undefined: nothing. */
export interface Newer {
  readonly pinned: Pinned;
  /** The newest of the same major version: fixes, and what should be compatible. */
  readonly sameMajor: string | undefined;
  /** The newest of all, where that is of a later major version. */
  readonly laterMajor: string | undefined;
}

/**
 * What is newer than a pin, of all versions that its source has; undefined where nothing is. Releases only. Of Debian's packages, whose versions have an order of
 * their own, the source says which is the newest: the first.
 */
export function newerOf(pinned: Pinned, versions: readonly string[]): Newer | undefined {
  if (pinned.source === 'Debian') {
    const [newest] = versions;
    return newest === undefined || newest === pinned.version
      ? undefined
      : { pinned, sameMajor: newest, laterMajor: undefined };
  }
  const own = parseVersion(pinned.version);
  const later = versions
    .map((text) => parseVersion(text))
    .filter((one) => one.prerelease.length === 0 && compareVersions(own, one) === 'newer')
    .toSorted((a, b) => (compareVersions(a, b) === 'newer' ? 1 : -1));
  const sameMajor = later.find(({ core }) => core?.major === own.core?.major)?.text;
  const laterMajor = later.find(({ core }) => core?.major !== own.core?.major)?.text;
  return sameMajor === undefined && laterMajor === undefined ? undefined : { pinned, sameMajor, laterMajor };
}
