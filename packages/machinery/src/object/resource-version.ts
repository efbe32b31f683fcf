/**
 * The order of two resourceVersions: negative when `a` is older, 0 when equal, positive when newer;
 * undefined where the two can't be compared, that is where one of them is no decimal number without
 * leading zeros (KEP-5504: such versions of one resource are comparable as integers of any size).
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || !DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

const DECIMAL = /^[1-9][0-9]*$/;

/** True when `a` is at most `b`; false where they can't be compared. */
export function isAtMost(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order <= 0;
}
