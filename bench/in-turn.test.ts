import { expect, it } from 'vitest';
import { compareMedians } from './in-turn.ts';
import { BrokenBase } from './statistics.ts';

const compare = (isthmus: readonly number[], antrea: readonly number[], unit = '') =>
  compareMedians({ Isthmus: isthmus, Antrea: antrea }, ['Isthmus', 'Antrea'], unit, (value) => value);

it('compares the medians of two that raced', () => {
  expect(compare([1, 9, 3], [6, 6, 1], 's')).toEqual({
    first: '3.00 s',
    second: '6.00 s',
    ratio: '0.50',
    isLess: true,
  });
});

it.each([
  ['the first one counted nothing', [0], [4], 'Isthmus measured 0: nothing was counted'],
  ['the second one counted nothing', [4], [0], 'Antrea measured 0: nothing was counted'],
  ['a measurement is not a number', [NaN], [4], 'Isthmus measured NaN: nothing was counted'],
  ['a measurement has no end', [4], [Infinity], 'Antrea measured Infinity: nothing was counted'],
] as const)('fails if %s', (_, isthmus, antrea, message) => {
  expect(() => compare(isthmus, antrea)).toThrow(new BrokenBase(message));
});
