/**
 * A quantity in Go's canonical form, or why it is not valid.
 */
export type CanonicalQuantity = { readonly text: string } | { readonly problem: string };

/**
 * `1000m` → `1`, `1024Mi` → `1Gi`, `0.5` → `500m`: what `resource.Quantity` writes after it has
 * read a text. A text that is canonical by Go's quick test is kept as it was written, plus sign and
 * all.
 */
export function canonicalQuantity(given: string): CanonicalQuantity {
  const text = given.trim();
  if (text === '') return wrongFormat;
  // Two steps, because both parts may contain digits: one expression would try every way to share
  // them.
  const [number = '', sign = '', zeroes = '', fraction = ''] = /^([+-]?)(\d*)(?:\.(\d*))?/.exec(text) ?? [];
  const whole = zeroes.replace(/^0+/, '');
  const suffix = text.slice(number.length);
  if (!/^[eEinumkKMGTP]*[-+]?\d*$/.test(suffix)) return wrongFormat;
  const unit = unitOf(suffix);
  if (unit === undefined) return { problem: "unable to parse quantity's suffix" };
  const digits = `${whole === '' ? '0' : whole}${fraction}`;
  const amount: Amount = { value: BigInt(digits), scale: -fraction.length, unit };
  if (isKept(amount, { digits, whole: whole === '' ? '0' : whole, fraction })) return { text };
  return { text: printed(amount, sign === '-') };
}

const wrongFormat: CanonicalQuantity = {
  problem: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
};

interface Unit {
  readonly format: 'decimal' | 'exponent' | 'binary';
  readonly exponent: number;
}

/** value × 10^scale, in units. */
interface Amount {
  readonly value: bigint;
  readonly scale: number;
  readonly unit: Unit;
}

const decimalSuffixes: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

function unitOf(suffix: string): Unit | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { format: 'decimal', exponent: (decimal - 3) * 3 };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { format: 'binary', exponent: binary * 10 };
  const exponent = /^[eE][-+]?\d+$/.test(suffix) ? Number(suffix.slice(1)) : NaN;
  return Number.isSafeInteger(exponent) ? { format: 'exponent', exponent } : undefined;
}

/** Go's quick test for texts that need no rewriting. */
function isKept(
  { value, unit }: Amount,
  { digits, whole, fraction }: { readonly digits: string; readonly whole: string; readonly fraction: string },
): boolean {
  if (unit.format === 'binary') {
    const precision = 15 - whole.length - Math.trunc((unit.exponent * 3) / 10) - 1;
    return fraction === '' && precision >= 0 && value << BigInt(unit.exponent) <= maxInt64 && (value & 7n) !== 0n;
  }
  const scale = unit.exponent - fraction.length;
  return digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

const maxInt64 = 2n ** 63n - 1n;

function printed({ value, scale, unit }: Amount, negative: boolean): string {
  let unscaled = unit.format === 'binary' ? value << BigInt(unit.exponent) : value;
  let exponent = unit.format === 'binary' ? scale : scale + unit.exponent;
  if (unscaled === 0n) return '0';
  // Nothing is smaller than a billionth: away from zero.
  if (exponent < -9) {
    // More places than it has digits leave one billionth: no power of ten gets larger than the
    // amount.
    const step = 10n ** BigInt(Math.min(-9 - exponent, String(unscaled).length));
    unscaled = (unscaled + step - 1n) / step;
    exponent = -9;
  }
  const zeros = /0*$/.exec(String(unscaled))?.[0].length ?? 0;
  unscaled /= 10n ** BigInt(zeros);
  exponent += zeros;
  const minus = negative ? '-' : '';
  if (unit.format === 'binary' && exponent >= 0) {
    let whole = unscaled * 10n ** BigInt(exponent);
    if (whole > maxInt64) whole = maxInt64;
    if (whole >= 1024n) {
      let times = 0;
      for (; whole % 1024n === 0n; times++) whole /= 1024n;
      return `${minus}${whole}${binarySuffixes[times] ?? ''}`;
    }
  }
  const over = ((exponent % 3) + 3) % 3;
  const number = `${minus}${unscaled * 10n ** BigInt(over)}`;
  const thousands = exponent - over;
  if (unit.format === 'exponent') return thousands === 0 ? number : `${number}e${thousands}`;
  return `${number}${decimalSuffixes[thousands / 3 + 3] ?? ''}`;
}
