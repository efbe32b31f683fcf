import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenBase, growthExponent, percentile, ratioToBase } from './statistics.ts';

describe('a percentile', () => {
  it.each([
    [[7], 0.5, 7],
    [[7], 0.99, 7],
    [[3, 1, 2], 0.5, 2],
    [[4, 3, 2, 1], 0.5, 2],
    [[4, 3, 2, 1], 0.51, 3],
    [[4, 3, 2, 1], 0, 1],
    [[4, 3, 2, 1], 1, 4],
    [[10, 9, 100], 0.99, 100],
    [Array.from({ length: 100 }, (_, index) => index + 1), 0.99, 99],
    [Array.from({ length: 200 }, (_, index) => index + 1), 0.99, 198],
  ])('of %j at %d is %d', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });

  it('is the smallest of the values that its share of all does not exceed', () => {
    const values = fc.array(fc.integer(), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (all, percent) => {
        const found = percentile(all, percent / 100);
        const covers = (limit: number) => all.filter((value) => value <= limit).length * 100 >= percent * all.length;
        expect(all).toContain(found);
        expect(covers(found)).toBe(true);
        expect(all.filter((value) => value < found && covers(value))).toEqual([]);
      }),
    );
  });

  it('of no values is an error', () => {
    expect(() => percentile([], 0.5)).toThrow('the percentile of no values');
  });
});

it.each([
  ['as the size', 100, 5, 1_000, 50, 1],
  ['as its square', 100, 5, 1_000, 500, 2],
  ['as its root', 100, 5, 10_000, 50, 0.5],
  ['not at all', 100, 5, 1_000, 5, 0],
  ['backwards', 100, 50, 1_000, 5, -1],
])('cost that grows %s has that exponent', (_how, size, cost, largerSize, largerCost, exponent) => {
  expect(growthExponent({ size, cost }, { size: largerSize, cost: largerCost })).toBeCloseTo(exponent, 10);
});

describe('the ratio to a base', () => {
  it.each([
    [10, 10, 1],
    [15, 10, 1.5],
    [0.5, 0.25, 2],
  ])('of %d ms to %d ms is %d', (ours, ms, ratio) => {
    expect(ratioToBase(ours, { ms, what: 'the bare writer' })).toBe(ratio);
  });

  it.each([
    [10, 10.1],
    [10, 0],
    [0, 0],
    [Number.NaN, 10],
    [10, Number.NaN],
  ])('of %d ms to %d ms is not valid: the base is broken', (ours, ms) => {
    expect(() => ratioToBase(ours, { ms, what: 'the bare writer' })).toThrow(BrokenBase);
  });

  it('names both times where the base is broken', () => {
    const broken = () => ratioToBase(10, { ms: 12.34, what: 'row 1: the bare writer' });
    expect(broken).toThrow('row 1: the bare writer needed 12.3 ms, the controllers 10.0 ms');
  });
});
