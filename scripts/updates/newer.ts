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
  const own = numbersOf(pinned.version);
  const later = versions
    .flatMap((text) => {
      const numbers = numbersOf(text);
      return numbers !== undefined && own !== undefined && compare(numbers, own) > 0 ? [{ text, numbers }] : [];
    })
    .toSorted((a, b) => compare(b.numbers, a.numbers));
  const sameMajor = later.find(({ numbers }) => numbers[0] === own?.[0])?.text;
  const laterMajor = later.find(({ numbers }) => numbers[0] !== own?.[0])?.text;
  return sameMajor === undefined && laterMajor === undefined ? undefined : { pinned, sameMajor, laterMajor };
}

/** Of `1.2.3` or `v1.2.3`, with build metadata or without; undefined for pre-releases and for what is no version. */
function numbersOf(text: string): readonly number[] | undefined {
  const found = /^v?(\d+)\.(\d+)\.(\d+)(?:\+\S+)?$/.exec(text);
  return found?.slice(1).map(Number);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const place = a.findIndex((number, index) => number !== b[index]);
  return place < 0 ? 0 : (a[place] ?? 0) - (b[place] ?? 0);
}
