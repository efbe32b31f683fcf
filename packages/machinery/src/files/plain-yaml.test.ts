import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseManifests } from './parse-manifests.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { printYamlDocuments } from './print-yaml.ts';
import { parseYaml } from './yaml.ts';

const values = (text: string) => readPlainYaml(text)?.map(({ value }) => value);
/** The answer of the reader of the whole language. */
const whole = (text: string) => {
  try {
    return parseYaml(text, { source: 'f' });
  } catch {
    return undefined;
  }
};

describe('the plain part of YAML', () => {
  it.each<[string, string, unknown]>([
    [
      'maps and lists',
      'a:\n  b: 1\n  c:\n  - x\n  - v: true\n    z: null\n  -\n    - 1.5\n',
      { a: { b: 1, c: ['x', { v: true, z: null }, [1.5]] } },
    ],
    ['a scalar on many lines', 'a: one\n  two\n\n  three\nb: x\n', { a: 'one two\nthree', b: 'x' }],
    ['single quotes', "a: 'it''s\n  one: two # three\n\n\n  four'\n", { a: "it's one: two # three\n\nfour" }],
    ['double quotes', 'a: "x\\"\\n\\u00e9 \\\n  y\n  z\\\\"\n', { a: 'x"\né y z\\' }],
    [
      'a text as it is',
      'a: |\n  x: 1\n    y\n\n  # z\n\nb: |-\n  x\n\nc: |+\n  x\n\n',
      { a: 'x: 1\n  y\n\n# z\n', b: 'x', c: 'x\n\n' },
    ],
    ['a folded text', 'a: >-\n  x\n  y\n\n  z\nb: >\n  x\n', { a: 'x y\nz', b: 'x\n' }],
    ['a comment behind a scalar', 'a: b # c\n', { a: 'b' }],
    ['comments', '# a\na: # b\n  # c\n  b: 1\n# d\n', { a: { b: 1 } }],
    ['empty lists and maps, and flags', 'a: []\nb: {}\nc:\n- --x=y\n', { a: [], b: {}, c: ['--x=y'] }],
    [
      'lists and maps in a line',
      'a: ["v1", v1beta1, \'x y\', 2]\nb: [ ]\nc: {abc: d, ef-g: "h"}\n',
      {
        a: ['v1', 'v1beta1', 'x y', 2],
        b: [],
        c: { abc: 'd', 'ef-g': 'h' },
      },
    ],
    ['a text that begins with an empty line', 'a: |2-\n\n\n  b\n    c\nd: 1\n', { a: '\n\nb\n  c', d: 1 }],
    [
      'marks of documents and directives within texts',
      "a: |\n  x\n  ---\n  %y\nb: 'c\n  ---\n  d'\ne: f\n  --- g\n",
      { a: 'x\n---\n%y\n', b: 'c --- d', e: 'f --- g' },
    ],
    ['an equals sign', 'a:\n- =\n', { a: ['='] }],
    ['keys in quotation marks', '"a b": 1\n\'c\': 2\n', { 'a b': 1, c: 2 }],
  ])('reads %s', (_, text, value) => {
    expect(values(text)).toEqual([value]);
    expect(whole(text)?.map((one) => one.value)).toEqual([value]);
  });

  it('reads documents with the lines where they begin, and leaves out empty ones', () => {
    const text = '# none\n---\n\na: 1\n---\n---\n# b\nb: 2\n';
    expect(readPlainYaml(text)).toEqual([
      { value: { a: 1 }, line: 4 },
      { value: { b: 2 }, line: 8 },
    ]);
    expect(whole(text)).toEqual(readPlainYaml(text));
  });

  it.each([
    ['a key that occurs twice', 'a: 1\na: 2\n'],
    ['a key that is not a string', 'yes: 1\n'],
    ['__proto__', '__proto__: 1\n'],
    ['anchors', 'a: &x 1\n'],
    ['aliases', 'a: *x\n'],
    ['tags', 'a: !!str 1\n'],
    ['flow collections in others', 'a: [[1]]\n'],
    ['flow collections on several lines', 'a: [1,\n  2]\n'],
    ['escapes in flow collections', 'a: ["\\n"]\n'],
    ['keys in flow collections that are not strings', 'a: {y: 1}\n'],
    ['merged maps', '<<: 1\n'],
    ['a wrong indentation', 'a:\n  b: 1\n c: 2\n'],
    ['a scalar with a colon', 'a: b: c\n'],
    ['directives that are indented', ' %a\n'],
    ['a mark of a document that is indented', ' ---\na: 1\n'],
    ['an indentation that is not that of the first line', 'a: |2\n    x\n'],
    ['blanks at the end of the text', 'a: |+\n  x\n  '],
    ['more behind quotation marks', "- 'a'b\n"],
    ['more behind a flow collection', '- []b\n'],
    ['tabs', 'a:\n\tb: 1\n'],
    ['directives', '%YAML 1.1\n---\na: 1\n'],
    ['carriage returns', 'a: 1\r\n'],
    ['an unfinished text', 'a: "b\n'],
    ['numbers that are none', 'a: .inf\n'],
    ['a scalar alone', 'a\n'],
  ])('leaves to the whole reader: %s', (_, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  it('reads what is printed, as the whole reader reads it', () => {
    const leaf = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', "'", '"', '\\', '-', '1'), maxLength: 12 }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b-c', 'd e', 'f'), tie('tree'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    let plain = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('x', 'y'), tree, { noNullPrototype: true }), (value) => {
        const text = printYamlDocuments([value]);
        const read = readPlainYaml(text);
        if (read === undefined) return;
        plain += 1;
        expect(read).toEqual(whole(text));
      }),
      { seed: 20261123, numRuns: sweepRuns(400, { oneIn: 8 }) },
    );
    expect(plain).toBeGreaterThan(20);
  });

  it('reads nothing otherwise than the whole reader: texts of parts of YAML', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      ':',
      ': ',
      ' ',
      '  ',
      '\n',
      '\n  ',
      '\n- ',
      '- ',
      '|',
      '>-',
      '"',
      "'",
      '#',
      ' #',
      '\\',
      '1',
      '[]',
      '---',
      '?',
      '~',
      ',',
      '[',
      ']',
      '{',
      '}',
      '\n    ',
      '|+',
      '|2',
      '\t',
      '%',
      '@',
      '!',
      '&',
      '*',
      '\n---\n',
      '...',
      '1_0',
      'yes',
      '|2-\n\n',
      '[a, "b"]',
      '{abc: d}',
      '\n  ---',
    );
    let plain = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 24 }), (parts) => {
        const text = `k: ${parts.join('')}\n`;
        const read = readPlainYaml(text);
        if (read === undefined) return;
        plain += 1;
        expect(read).toEqual(whole(text));
      }),
      { seed: 20261123, numRuns: sweepRuns(6_000, { oneIn: 8 }) },
    );
    expect(plain).toBeGreaterThan(100);
  });
});

describe('manifests', () => {
  it('are read by the plain reader where they can be, and else by the whole one, with its errors', () => {
    expect(parseManifests('a: 1\n', { source: 'f' })).toEqual([{ value: { a: 1 }, line: 1 }]);
    expect(parseManifests('a: &x [1]\nb: *x\n', { source: 'f' })).toEqual([{ value: { a: [1], b: [1] }, line: 1 }]);
    expect(parseManifests('{"a": 1}', { source: 'f' })).toEqual([{ value: { a: 1 }, line: 1 }]);
    expect(() => parseManifests('a: 1\na: 2\n', { source: 'f' })).toThrow('f:2:1: the key a is given twice');
  });
});
