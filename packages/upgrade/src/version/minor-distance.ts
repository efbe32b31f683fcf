import type { MinorDistance, ReleaseSequence } from './release-sequence.ts';
import { minorOf } from './parse-version.ts';
import type { Version } from './version.ts';

/** How many minors `to` lies ahead of `from`: see {@link ReleaseSequence}. */
export function minorDistance(from: Version, to: Version, sequence?: ReleaseSequence): MinorDistance {
  const [first, last] = [minorOf(from), minorOf(to)];
  if (from.core === undefined || to.core === undefined || first === undefined || last === undefined) {
    const odd = from.core === undefined ? from : to;
    return { kind: 'unknown', why: `${JSON.stringify(odd.text)} is not a version with major, minor and patch` };
  }
  const places = [first, last].map((minor) => sequence?.minors.indexOf(minor) ?? -1);
  const [start = -1, end = -1] = places;
  if (start >= 0 && end >= 0) return { kind: 'known', minors: end - start };
  if (from.core.major === to.core.major) return { kind: 'known', minors: to.core.minor - from.core.minor };
  const what =
    sequence === undefined ? 'no release sequence defines' : `the release sequence ${sequence.name} does not define`;
  return { kind: 'unknown', why: `${what} how many minors lie between ${first} and ${last}` };
}
