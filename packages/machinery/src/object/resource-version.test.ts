import { describe, expect, it } from 'vitest';
import { compareResourceVersions, isAtMost } from './resource-version.ts';

describe('compareResourceVersions', () => {
  it.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['10', '10', 0],
    ['123', '124', -1],
    ['18446744073709551616', '18446744073709551615', 1],
    ['99999999999999999999999999999998', '99999999999999999999999999999999', -1],
    ['07', '8', undefined],
    ['0', '1', undefined],
    ['-1', '1', undefined],
    ['1a', '1', undefined],
    ['', '1', undefined],
    [undefined, '1', undefined],
    ['1', undefined, undefined],
  ])('compares %s with %s as integers of any size: %s', (a, b, expected) => {
    const order = compareResourceVersions(a, b);
    expect(order === undefined ? undefined : Math.sign(order)).toBe(expected);
  });
});

describe('isAtMost', () => {
  it('is false where the two can not be compared', () => {
    expect([isAtMost('3', '3'), isAtMost('2', '3'), isAtMost('4', '3'), isAtMost('x', '3')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
