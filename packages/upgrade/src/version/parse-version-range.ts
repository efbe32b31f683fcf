import { parseVersion } from './parse-version.ts';
import type { Version, VersionCore } from './version.ts';
import type { VersionBound, VersionRange } from './version-range.ts';

/**
 * Reads a range: bounds between blanks, each an operator (`=` if it has none) and a version. A
 * version without its patch or minor stands for all of them: `=1.25` is `>=1.25.0 <1.26.0`,
 * `<=1.25` is `<1.26.0`, `>1.25` is `>=1.26.0`. Rejected, with the reason: bounds that cannot be
 * read, a pre-release or a build in a bound (a range compares only the core), and a range that
 * contains no version.
 */
export function parseVersionRange(text: string): VersionRange | { readonly problem: string } {
  const bounds: VersionBound[] = [];
  for (const part of text.split(/\s+/).filter((one) => one !== '')) {
    const [, operator = '=', major, minor, patch] =
      /^(<=|>=|<|>|=)?[vV]?(\d{1,15})(?:\.(\d{1,15})(?:\.(\d{1,15}))?)?$/.exec(part) ?? [];
    if (major === undefined) {
      const expected = 'expected bounds such as >=1.13.0 <2.0.0, of numbers and without pre-release or build';
      return { problem: `${JSON.stringify(part)} is not a bound of a range; ${expected}` };
    }
    bounds.push(...boundsOf(operator as VersionBound['operator'], [major, minor, patch]));
  }
  if (isEmpty(bounds)) return { problem: `no version is in ${JSON.stringify(text)}: its bounds exclude each other` };
  return { text, bounds };
}

/**
 * Whether a version lies in a range: by its core alone, so v1.19.4-1 counts as 1.19.4. Without a
 * core it lies in none but the empty text.
 */
export function inRange(version: Version, { bounds }: VersionRange): boolean {
  const { core } = version;
  if (core === undefined) return bounds.length === 0;
  return bounds.every(({ operator, version: bound }) => {
    const order = compareCores(core, bound.core ?? core);
    if (operator === '=') return order === 0;
    if (operator === '<') return order < 0;
    if (operator === '<=') return order <= 0;
    return operator === '>' ? order > 0 : order >= 0;
  });
}

/** A bound as written, or the equivalent bounds of an incomplete version. */
function boundsOf(
  operator: VersionBound['operator'],
  [major, minor, patch]: readonly [string, string | undefined, string | undefined],
): readonly VersionBound[] {
  const bound = (as: VersionBound['operator'], text: string): VersionBound => ({
    operator: as,
    version: parseVersion(text),
  });
  if (minor !== undefined && patch !== undefined) return [bound(operator, `${major}.${minor}.${patch}`)];
  const first = `${major}.${minor ?? 0}.0`;
  const after = minor === undefined ? `${Number(major) + 1}.0.0` : `${major}.${Number(minor) + 1}.0`;
  switch (operator) {
    case '=':
      return [bound('>=', first), bound('<', after)];
    case '<=':
      return [bound('<', after)];
    case '>':
      return [bound('>=', after)];
    default:
      return [bound(operator, first)];
  }
}

/** Cores are counted in patches: between `>1.2.3` and `<1.2.4` there is nothing. */
function isEmpty(bounds: readonly VersionBound[]): boolean {
  let [low, high]: [VersionCore, VersionCore | undefined] = [{ major: 0, minor: 0, patch: 0 }, undefined];
  for (const { operator, version } of bounds) {
    const core = version.core ?? low;
    const next = { ...core, patch: core.patch + 1 };
    const from = operator === '>' ? next : core;
    const to = operator === '<' ? core : next;
    if (!operator.startsWith('<') && compareCores(from, low) > 0) low = from;
    if (!operator.startsWith('>') && (high === undefined || compareCores(to, high) < 0)) high = to;
  }
  return high !== undefined && compareCores(low, high) >= 0;
}

function compareCores(a: VersionCore, b: VersionCore): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
