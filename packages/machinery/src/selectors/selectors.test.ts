import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelSelectorOf, matchesLabels, parseLabelSelector, printLabelSelector } from './selectors.ts';
import type { LabelSelector, Requirement } from './selectors.ts';

describe('the text of a label selector', () => {
  it.each<readonly [string, LabelSelector]>([
    ['', []],
    ['  ', []],
    ['a', [{ key: 'a', operator: 'Exists' }]],
    ['!a', [{ key: 'a', operator: 'DoesNotExist' }]],
    ['a=b', [{ key: 'a', operator: 'In', values: ['b'] }]],
    ['a==b', [{ key: 'a', operator: 'In', values: ['b'] }]],
    ['a = b', [{ key: 'a', operator: 'In', values: ['b'] }]],
    ['a!=b', [{ key: 'a', operator: 'NotIn', values: ['b'] }]],
    ['a=', [{ key: 'a', operator: 'In', values: [''] }]],
    [
      'a=,b',
      [
        { key: 'a', operator: 'In', values: [''] },
        { key: 'b', operator: 'Exists' },
      ],
    ],
    ['a in (b,c)', [{ key: 'a', operator: 'In', values: ['b', 'c'] }]],
    ['a in (b,b)', [{ key: 'a', operator: 'In', values: ['b'] }]],
    ['a notin ( b , c )', [{ key: 'a', operator: 'NotIn', values: ['b', 'c'] }]],
    ['a in (,b)', [{ key: 'a', operator: 'In', values: ['', 'b'] }]],
    ['a in (b,)', [{ key: 'a', operator: 'In', values: ['b', ''] }]],
    ['a in ()', [{ key: 'a', operator: 'In', values: [''] }]],
    ['in in (in,notin)', [{ key: 'in', operator: 'In', values: ['in', 'notin'] }]],
    ['a>5', [{ key: 'a', operator: 'Gt', value: '5' }]],
    ['a<-5', [{ key: 'a', operator: 'Lt', value: '-5' }]],
    [
      'b,a=1',
      [
        { key: 'a', operator: 'In', values: ['1'] },
        { key: 'b', operator: 'Exists' },
      ],
    ],
    ['example.com/a=b', [{ key: 'example.com/a', operator: 'In', values: ['b'] }]],
  ])('%j is read', (text, selector) => {
    expect(parseLabelSelector(text)).toEqual(selector);
  });

  it.each([
    ['a!b', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b!', "found '!', expected: ',' or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a in (b)', "found 'in', expected: ',' or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a==!b', "unable to parse requirement: found '!', expected: identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('%j is refused with the API server’s text', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new Error(message));
  });

  it.each(['a b=c', '-a', 'a=b/c', 'a/b/c', 'a'.repeat(64), `a=${'b'.repeat(64)}`])(
    '%j names an impossible key or value',
    (text) => {
      expect(() => parseLabelSelector(text)).toThrow();
    },
  );
});

describe('the object form', () => {
  it('joins labels and expressions, sorted by key', () => {
    const selector = labelSelectorOf({
      matchLabels: { z: '1' },
      matchExpressions: [
        { key: 'b', operator: 'NotIn', values: ['2', '2'] },
        { key: 'a', operator: 'Exists' },
      ],
    });
    expect(selector).toEqual([
      { key: 'a', operator: 'Exists' },
      { key: 'b', operator: 'NotIn', values: ['2'] },
      { key: 'z', operator: 'In', values: ['1'] },
    ]);
  });

  it('selects everything when empty', () => {
    expect(matchesLabels(labelSelectorOf({}), undefined)).toBe(true);
  });

  it.each([
    [{ key: 'a', operator: 'In' }, "for 'in', 'notin' operators, values set can't be empty"],
    [{ key: 'a', operator: 'Exists', values: ['b'] }, 'values set must be empty for exists and does not exist'],
    [{ key: 'a', operator: 'Gt', values: ['1'] }, '"Gt" is not a valid label selector operator'],
    [{ key: 'a b', operator: 'Exists' }, 'key: Invalid value: "a b"'],
    [{ key: 'a', operator: 'In', values: ['b c'] }, 'values[0][a]: Invalid value: "b c"'],
  ])('%j is refused', (expression, message) => {
    expect(() => labelSelectorOf({ matchExpressions: [expression] })).toThrow(message);
  });
});

describe('matching', () => {
  const labels = { app: 'web', tier: '', n: '10' };

  it.each([
    ['', true],
    ['app=web', true],
    ['app=db', false],
    ['app!=db', true],
    ['missing!=db', true],
    ['app in (db,web)', true],
    ['app notin (db,web)', false],
    ['missing notin (a)', true],
    ['app', true],
    ['missing', false],
    ['!missing', true],
    ['!app', false],
    ['tier=', true],
    ['missing=', false],
    ['n>9', true],
    ['n>10', false],
    ['n<11', true],
    ['app>1', false],
    ['missing>1', false],
    ['app=web,n=10', true],
    ['app=web,n=11', false],
    ['toString', false],
    ['constructor', false],
  ])('%j: %s', (text, expected) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(expected);
  });

  it('compares integers of 64 bits exactly, and nothing larger', () => {
    const above = parseLabelSelector('n>9223372036854775806');
    expect(matchesLabels(above, { n: '9223372036854775807' })).toBe(true);
    expect(matchesLabels(above, { n: '9223372036854775806' })).toBe(false);
    expect(matchesLabels(above, { n: '9223372036854775808' })).toBe(false);
  });
});

describe('laws', () => {
  const key = fc.constantFrom('a', 'b', 'example.com/c', 'in');
  const value = fc.constantFrom('', 'x', 'y', 'notin', '7');
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values: fc.uniqueArray(value, { minLength: 1 }) }),
    fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    fc.record({ key, operator: fc.constantFrom('Gt', 'Lt'), value: fc.integer().map(String) }),
  );
  const labels = fc.dictionary(key, value);

  it('what is printed is read back as a selector that selects the same', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), labels, (selector, object) => {
        const text = printLabelSelector(selector);
        const read = parseLabelSelector(text);
        expect(matchesLabels(read, object)).toBe(matchesLabels(selector, object));
        expect(parseLabelSelector(printLabelSelector(read))).toEqual(read);
      }),
    );
  });

  it('a requirement and its opposite never agree', () => {
    const opposites = [
      ['In', 'NotIn'],
      ['Exists', 'DoesNotExist'],
    ] as const;
    fc.assert(
      fc.property(key, fc.uniqueArray(value, { minLength: 1 }), labels, (k, values, object) => {
        for (const [yes, no] of opposites) {
          const of = (operator: Requirement['operator']) => [{ key: k, operator, values } as Requirement];
          expect(matchesLabels(of(yes), object)).toBe(!matchesLabels(of(no), object));
        }
      }),
    );
  });

  it('reading never throws anything but an Error, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab=!(),<> in\\0'.split('')) }), (text) => {
        try {
          parseLabelSelector(text);
        } catch (error) {
          expect((error as Error).message).toMatch(/found|Invalid value/);
        }
      }),
    );
  });
});
