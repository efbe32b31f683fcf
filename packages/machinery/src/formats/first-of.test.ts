import { describe, expect, it } from 'vitest';
import { firstNames, firstOf } from './first-of.ts';

describe('The first of many', () => {
  it('are all of them, if they are not more than the limit', () => {
    expect(firstOf([], 2, String)).toEqual([]);
    expect(firstOf([1, 2], 2, String)).toEqual(['1', '2']);
    expect([firstNames([], 2), firstNames(['a'], 2), firstNames(['a', 'b'], 2)]).toEqual(['', 'a', 'a, b']);
  });

  it('end with the number of the others', () => {
    expect(firstOf([1, 2, 3], 2, (item) => `#${item}`)).toEqual(['#1', '#2', 'and 1 more']);
    expect(firstNames(['a', 'b', 'c', 'd', 'e'], 2)).toBe('a, b and 3 more');
  });
});
