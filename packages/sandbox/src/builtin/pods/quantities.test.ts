import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareQuantities, quantityValue } from './quantities.ts';

describe('quantities', () => {
  it.each([
    ['1', '1000m'],
    ['1Ki', '1024'],
    ['1Gi', '1073741824'],
    ['1k', '1e3'],
    ['1500m', '1.5'],
    ['-2', '-2000m'],
    ['0', '0m'],
  ])('%s is as much as %s', (a, b) => {
    expect(compareQuantities(a, b)).toBe(0);
  });

  it('are ordered as their numbers are', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        expect(Math.sign(compareQuantities(`${a}m`, `${b}m`))).toBe(Math.sign(a - b));
      }),
    );
  });

  it('count in billionths', () => {
    expect(quantityValue('1n')).toBe(1n);
    expect(quantityValue('2')).toBe(2_000_000_000n);
  });
});
