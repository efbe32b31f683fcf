/**
 * Two identifiers of a pre-release or a build: numbers by value, words by their bytes, a number
 * before any word. Positive where `a` is later.
 */
export function compareIdentifiers(a: string, b: string): number {
  const [left, right] = [isNumeric(a), isNumeric(b)];
  if (left !== right) return left ? -1 : 1;
  return left ? compareDigits(a.replace(/^0+/, ''), b.replace(/^0+/, '')) : compareTexts(a, b);
}

/** Numbers of any length without leading zeros: the longer one is the greater. */
function compareDigits(a: string, b: string): number {
  return Math.sign(a.length - b.length) || compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether an identifier is a number, leading zeros allowed: builds are not held to semver. */
export function isNumeric(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}
