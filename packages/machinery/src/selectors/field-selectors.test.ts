import { describe, expect, it } from 'vitest';
import { matchesFields, parseFieldSelector } from './field-selectors.ts';

describe('a field selector', () => {
  it.each([
    ['', []],
    ['metadata.name=a', [{ field: 'metadata.name', operator: '=', value: 'a' }]],
    ['metadata.name==a', [{ field: 'metadata.name', operator: '=', value: 'a' }]],
    ['metadata.name!=a', [{ field: 'metadata.name', operator: '!=', value: 'a' }]],
    ['a=', [{ field: 'a', operator: '=', value: '' }]],
    [
      'a=1,b!=2',
      [
        { field: 'a', operator: '=', value: '1' },
        { field: 'b', operator: '!=', value: '2' },
      ],
    ],
    [',a=1,,', [{ field: 'a', operator: '=', value: '1' }]],
    ['a=x\\,y\\=z\\\\', [{ field: 'a', operator: '=', value: 'x,y=z\\' }]],
  ])('%j is read', (text, selector) => {
    expect(parseFieldSelector(text)).toEqual(selector);
  });

  it.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\c', 'invalid field selector: invalid escape sequence: \\c'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j is refused', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new Error(message));
  });

  it.each([
    ['metadata.name=cart', true],
    ['metadata.name!=cart', false],
    ['metadata.namespace=shop,metadata.name=cart', true],
    ['metadata.namespace=', false],
    ['spec.x=', true],
    ['spec.x!=', false],
  ])('%j selects shop/cart: %s', (text, expected) => {
    const fields = { 'metadata.namespace': 'shop', 'metadata.name': 'cart' };
    expect(matchesFields(parseFieldSelector(text), fields)).toBe(expected);
  });
});
