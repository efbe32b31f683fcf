import { describe, expect, it } from 'vitest';
import { errorText } from './error-text.ts';

describe('errorText', () => {
  const cyclic = new Error('a');
  cyclic.cause = cyclic;
  it.each<[string, unknown, string]>([
    ['its message', new Error('get services shop/cart: refused'), 'get services shop/cart: refused'],
    ['the messages of its causes', new Error('outer', { cause: new Error('inner') }), 'outer: inner'],
    [
      'what a cause adds',
      new Error('get x: reset by peer', { cause: new Error('reset by peer') }),
      'get x: reset by peer',
    ],
    ['one line', new Error('a\n  b\tc'), 'a b c'],
    ['the name where there is no message', new TypeError(), 'TypeError'],
    ['a text', 'just so', 'just so'],
    ['a number', 7, '7'],
    ['nothing thrown', undefined, 'unknown error'],
    ['something odd', { toString: null }, 'a value that is not an Error was thrown'],
    ['a cycle of causes', cyclic, 'a'],
  ])('reads %s', (_, error, expected) => {
    expect(errorText(error)).toBe(expected);
  });

  it('keeps to the limit', () => {
    expect(errorText(new Error('x'.repeat(2_000)))).toHaveLength(1_024);
    expect(errorText('abcdef', 4)).toBe('abc…');
  });
});
