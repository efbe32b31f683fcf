/** Two identifiers of a pre-release or a build: numbers by value, words by their bytes, a number before any word. Positive where `a` is later. */
export function compareIdentifiers(a: string, b: string): number {
  const [left, right] = [isNumeric(a), isNumeric(b)];
  if (left && right) {
    const difference = BigInt(a) - BigInt(b);
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  }
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether an identifier is a number, leading zeros allowed: builds are not held to semver. */
export function isNumeric(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}
