import { describe, expect, it } from 'vitest';
import { isDeeperThan } from './depth.ts';

describe('isDeeperThan', () => {
  it.each([
    [1, 0, false],
    [{}, 0, true],
    [{}, 1, false],
    [{ a: [1] }, 1, true],
    [{ a: [1], b: {} }, 2, false],
    [{ a: 1, b: [{ c: null }] }, 2, true],
    [null, 0, false],
  ])('of %j, more than %i levels: %s', (value, levels, deeper) => {
    expect(isDeeperThan(value, levels)).toBe(deeper);
  });

  it('answers for a value of any depth', () => {
    const deep: unknown = JSON.parse('[{"a":'.repeat(100_000) + '1' + '}]'.repeat(100_000));
    expect([isDeeperThan(deep, 100), isDeeperThan(deep, 1_000_000)]).toEqual([true, false]);
  });
});
