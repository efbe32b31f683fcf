import { compareVersions, parseVersion } from '@isthmus/upgrade';
import type { Pinned } from './pinned.ts';

/** The newer versions of a pin. Undefined: there are none. */
export interface Newer {
  readonly pinned: Pinned;
  /** The newest of the same major version: fixes, and what should be compatible. */
  readonly sameMajor: string | undefined;
  /** The newest of all, where that is of a later major version. */
  readonly laterMajor: string | undefined;
}

/**
 * The newest version after a pin, of all versions that its source has; undefined if there is none.
 * Releases only. Versions of Debian's packages have an order of their own, so the source names the
 * newest: the first.
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
