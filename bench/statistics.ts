/** The smallest value that at least `share` of all values do not exceed (nearest rank). Errors: there is no value. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error('the percentile of no values');
  return found;
}

/** The exponent e of cost ~ size^e between two measurements: 1 is linear. */
export function growthExponent(
  small: { readonly size: number; readonly cost: number },
  large: { readonly size: number; readonly cost: number },
): number {
  return Math.log(large.cost / small.cost) / Math.log(large.size / small.size);
}
