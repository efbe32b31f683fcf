/**
 * The smallest value that at least `share` of all values do not exceed (nearest rank). Errors:
 * there is no value.
 */
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

/** A base that is slower than what it is the base of measures nothing. */
export class BrokenBase extends Error {
  override readonly name = 'BrokenBase';
}

/**
 * How many times as long as its base a measurement took; both in milliseconds.
 *
 * Errors: {@link BrokenBase} where that is below 1, or where the base took no time.
 */
export function ratioToBase(ours: number, base: { readonly ms: number; readonly what: string }): number {
  const ratio = ours / base.ms;
  if (base.ms > 0 && ratio >= 1) return ratio;
  throw new BrokenBase(`${base.what} needed ${base.ms.toFixed(1)} ms, the controllers ${ours.toFixed(1)} ms`);
}
