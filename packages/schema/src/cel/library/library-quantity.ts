import { canonicalQuantity } from '@isthmus/machinery';
import type { Library } from './library.ts';

const billion = 1_000_000_000n;

/** A quantity of CEL, in billionths. */
class Quantity {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
  toString(): string {
    return `${this.nanos}n`;
  }
  valueOf(): bigint {
    return this.nanos;
  }
}

/** Quantities (Kubernetes' quantity library). */
export const quantityLibrary: Library = {
  types: { 'kubernetes.Quantity': Quantity },
  functions: {
    'isQuantity(string): bool': (text: string) => !('problem' in canonicalQuantity(text)),
    'quantity(string): kubernetes.Quantity': quantityOf,
    'sign(kubernetes.Quantity): int': ({ nanos }: Quantity) => (nanos < 0n ? -1n : nanos > 0n ? 1n : 0n),
    'kubernetes.Quantity.isInteger(): bool': ({ nanos }: Quantity) => nanos % billion === 0n && fits(nanos / billion),
    'kubernetes.Quantity.asInteger(): int': asInteger,
    'kubernetes.Quantity.asApproximateFloat(): double': ({ nanos }: Quantity) => Number(nanos) / 1e9,
    'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity': (a: Quantity, b: Quantity) =>
      new Quantity(a.nanos + b.nanos),
    'kubernetes.Quantity.add(int): kubernetes.Quantity': (a: Quantity, b: bigint) =>
      new Quantity(a.nanos + b * billion),
    'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity': (a: Quantity, b: Quantity) =>
      new Quantity(a.nanos - b.nanos),
    'kubernetes.Quantity.sub(int): kubernetes.Quantity': (a: Quantity, b: bigint) =>
      new Quantity(a.nanos - b * billion),
    'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool': (a: Quantity, b: Quantity) => a.nanos < b.nanos,
    'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool': (a: Quantity, b: Quantity) => a.nanos > b.nanos,
    'kubernetes.Quantity.compareTo(kubernetes.Quantity): int': (a: Quantity, b: Quantity) =>
      a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n,
  },
};

function asInteger({ nanos }: Quantity): bigint {
  if (nanos % billion !== 0n || !fits(nanos / billion)) throw new Error('cannot convert value to integer');
  return nanos / billion;
}

function fits(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

const suffixes: Readonly<Record<string, readonly [base: bigint, exponent: number]>> = {
  n: [10n, -9],
  u: [10n, -6],
  m: [10n, -3],
  '': [10n, 0],
  k: [10n, 3],
  M: [10n, 6],
  G: [10n, 9],
  T: [10n, 12],
  P: [10n, 15],
  E: [10n, 18],
  Ki: [2n, 10],
  Mi: [2n, 20],
  Gi: [2n, 30],
  Ti: [2n, 40],
  Pi: [2n, 50],
  Ei: [2n, 60],
};

function quantityOf(text: string): Quantity {
  const canonical = canonicalQuantity(text);
  if ('problem' in canonical) throw new Error(canonical.problem);
  const [, sign = '', whole = '', fraction = '', suffix = ''] =
    /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/.exec(canonical.text) ?? [];
  const exponent = Math.min(/^[eE]([-+]?\d+)$/.exec(suffix)?.[1] === undefined ? 0 : Number(suffix.slice(1)), 30);
  const [base, power] = suffixes[suffix] ?? [10n, exponent];
  let value = BigInt(`${whole}${fraction}` || '0') * billion;
  let divisor = 10n ** BigInt(fraction.length);
  if (power >= 0) value *= base ** BigInt(power);
  else divisor *= base ** BigInt(Math.min(-power, 1000));
  // A fraction smaller than a billionth is rounded away from zero.
  const nanos = (value + divisor - 1n) / divisor;
  return new Quantity(sign === '-' ? -nanos : nanos);
}
