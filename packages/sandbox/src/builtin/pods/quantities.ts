/**
 * The value of a canonical quantity, in billionths, as Go's `resource.Quantity` compares it.
 * Source: apimachinery's quantity notation.
 */
export function quantityValue(text: string): bigint {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/.exec(text);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match ?? [];
  const digits = BigInt(`${whole}${fraction}` || '0');
  const binary = binarySuffixes.indexOf(suffix);
  const decimal = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1] ?? decimalSuffixes[suffix] ?? 0;
  const written = 9 - fraction.length + (binary < 0 ? Number(decimal) : 0);
  const exponent = Math.max(-fraction.length - whole.length, Math.min(written, largestExponent));
  const scaled = exponent >= 0 ? digits * 10n ** BigInt(exponent) : digits / 10n ** BigInt(-exponent);
  const value = binary < 0 ? scaled : scaled << BigInt((binary + 1) * 10);
  return sign === '-' ? -value : value;
}

/**
 * Larger exponents all compare as this one: a power of ten of any exponent would not fit into
 * memory.
 */
const largestExponent = 1_000;

/** Negative if `a` is less than `b`, positive if it is more. */
export function compareQuantities(a: string, b: string): number {
  const difference = quantityValue(a) - quantityValue(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const binarySuffixes = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
