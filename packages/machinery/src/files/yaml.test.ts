import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { awkwardTexts } from './testing/awkward-texts.ts';
import type { AlteredKey } from './yaml.ts';
import { printYaml, printYamlDocuments } from './print-yaml.ts';
import { parseManifests } from './parse-manifests.ts';
import { parseYaml, YamlReadError } from './yaml.ts';

const read = (text: string) => parseYaml(text, { source: 'f.yaml' }).map((document) => document.value);

describe('reading YAML as kubectl does', () => {
  it.each<[string, unknown]>([
    ['yes', true],
    ['on', true],
    ['y', true],
    ['No', false],
    ['017', 15],
    ['0o17', 15],
    ['-0o17', -15],
    ['0b11', 3],
    ['0x1f', 31],
    ['1_000', 1000],
    ['1e3', 1000],
    ['.5', 0.5],
    ['~', null],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z'],
    ['12:30:45', '12:30:45'],
    ['1:2', '1:2'],
    ['0X1f', 31],
    ['0O17', 15],
    ['08', 8],
    ['1_e3', 1000],
    ['.5_0', 0.5],
    ['-0.0', 0],
    ['._5', '._5'],
    ['.', '.'],
    ['0x', '0x'],
    ['1e400', '1e400'],
    ['=', '='],
    ['"\\x41"', 'A'],
  ])('%s', (text, value) => {
    expect(read(`a: ${text}`)).toEqual([{ a: value }]);
  });

  const count = sweepRuns(20_000, { oneIn: 10 });

  // The indentation of these lines does not count for kubectl.
  it.each<[string, unknown]>([
    ['a: "x\ny"\nb: 1\n', { a: 'x y', b: 1 }],
    ["s:\n  a: 'x\n it''s y'\n  b: 1\n", { s: { a: "x it's y", b: 1 } }],
    ['s:\n  a:\n  - "x\\\n  y"\n  - z\n', { s: { a: ['xy', 'z'] } }],
    ['s:\n  a: "x\n\n\ty"\n', { s: { a: 'x\ny' } }],
    ['s:\n  a: [{\n    b: 1\n  }, {\n    b: 2\n  }]\n  c: 3\n', { s: { a: [{ b: 1 }, { b: 2 }], c: 3 } }],
    ['s:\n  a: {\nb: x\n y,\n# no {\nc: [\n1\n]}\nd: 1\n', { s: { a: { b: 'x y', c: [1] } }, d: 1 }],
  ])('%j', (text, value) => {
    expect(read(text)).toEqual([value]);
    expect(parseManifests(text, { source: 'f.yaml' }).map((document) => document.value)).toEqual([value]);
  });

  it('keys that are not text become text', () => {
    expect(read('1: a\ntrue: b\n')).toEqual([{ 1: 'a', true: 'b' }]);
  });

  it('a number and the text of it are two keys, of which the last one holds', () => {
    expect(read('1: a\n"1": b\n')).toEqual([{ 1: 'b' }]);
  });

  it('merge keys may occur twice', () => {
    expect(read('a: &a {x: 1}\nb: &b {w: 2}\nc: {<<: *a, <<: *b}')).toEqual([
      { a: { x: 1 }, b: { w: 2 }, c: { x: 1, w: 2 } },
    ]);
  });

  it('thousands of keys of one map take no longer than as many of several maps', () => {
    const keys = Array.from({ length: count }, (_, at) => `k${at}: ${at}`);
    // Where each of 20,000 keys is compared with all others this takes longer than a test may.
    expect(Object.keys(read(keys.join('\n'))[0] as object)).toHaveLength(count);
  });

  it('thousands of anchors with an alias each are resolved, each alias to the last anchor of its name before it', () => {
    const lines = Array.from({ length: count }, (_, at) => `- [&a${at} v${at}, *a${at}, &same ${at}, *same]`);
    expect(read(lines.join('\n'))).toEqual([lines.map((_, at) => [`v${at}`, `v${at}`, at, at])]);
  });

  it('anchors, aliases and merge keys are resolved', () => {
    expect(read('base: &b {x: 1}\nmore: {<<: *b, z: 2}')).toEqual([{ base: { x: 1 }, more: { x: 1, z: 2 } }]);
  });

  it('JSON is YAML', () => {
    expect(read('{"a": [1, 2.5, "x"], "b": null}')).toEqual([{ a: [1, 2.5, 'x'], b: null }]);
  });

  it('a key __proto__ is an ordinary key', () => {
    const [value] = read('__proto__: {polluted: true}') as [object];
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('a stream has several documents, each with its line; empty ones are left out', () => {
    expect(parseYaml('# first\na: 1\n---\n---\n\nb: 2\n...\n', { source: 'f' })).toEqual([
      { value: { a: 1 }, line: 2 },
      { value: { b: 2 }, line: 6 },
    ]);
    expect(read('')).toEqual([]);
    expect(read('# nothing\n')).toEqual([]);
  });
});

/** What `work` throws; nothing where it does not. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('refusing YAML', () => {
  it.each([
    ['a: 1\nb: 2\na: 3\n', 'f.yaml:3:1: the key a is given twice'],
    ['name: 1\n"name" : 3\n', 'f.yaml:2:1: the key "name" is given twice'],
    ['spec: {}\n"spec": {}\n', 'f.yaml:2:1: the key "spec" is given twice'],
    ['a: {b: 1, c: {}, b: 2}', 'f.yaml:1:18: the key b is given twice'],
    [
      'x:\n  - {}\n  - b: {d: 1, d: 1}\n    b: 2\n',
      'f.yaml:3:15: the key d is given twice\nf.yaml:4:5: the key b is given twice',
    ],
    ['a: [1\nb: 2', 'f.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ['s:\n  a: "x\n y\n', 'Missing closing "quote'],
    ['s:\n  a: "x\n--- y"\n', 'f.yaml:2:8: Missing closing "quote'],
    ['s:\n  a: [1,\n 2\n  b: 3\n', 'Flow sequence in block collection must be sufficiently indented'],
    ['s:\n  a: x\n y\n', 'f.yaml:3:1: All mapping items must start at the same column'],
    ['\ta: 1', 'f.yaml:1:1: Tabs are not allowed as indentation'],
    ['a: !mine x', 'f.yaml:1:4: Unresolved tag: !mine'],
    ['a: !!binary aGk=', 'f.yaml:1:4: Unresolved tag: tag:yaml.org,2002:binary'],
    ['a: .inf', 'f.yaml:1:4: .inf is not a JSON number'],
    ['a: *b', 'f.yaml:1:1: Unresolved alias'],
    ['ok: 1\n---\na: 1\n? [x]\n: 2', 'f.yaml:4:3: a key must be a string, a number or a boolean'],
    ['null: 1', 'f.yaml:1:1: a key must be a string, a number or a boolean'],
    [`a: ${'['.repeat(20_000)}`, 'nested too deep'],
  ])('%j', (text, message) => {
    const error = thrownBy(() => read(text));
    expect(error).toBeInstanceOf(YamlReadError);
    expect((error as Error).message).toContain(message);
  });

  it('aliases that stand for too much', () => {
    const level = (name: string, of: string) =>
      `${name}: &${name} [${Array.from({ length: 10 }, () => `*${of}`).join(', ')}]\n`;
    const bomb = `a: &a [x]\n${level('b', 'a')}${level('c', 'b')}${level('d', 'c')}`;
    expect(() => read(bomb)).toThrow('f.yaml:1:1: the aliases expand to too much data');
  });

  it('names ten places at most', () => {
    const text = Array.from({ length: 30 }, () => 'a: 1\n').join('');
    expect(() => read(text)).toThrow(/^(?:f\.yaml:\d+:1: the key a is given twice\n){10}and 19 more$/);
  });
});

describe('printing YAML', () => {
  it('every awkward text comes back, as value and as key', () => {
    expect(awkwardTexts).toHaveLength(58);
    const value = { list: awkwardTexts, ...Object.fromEntries(awkwardTexts.map((text) => [`k${text}`, text])) };
    expect(read(printYaml(value))).toEqual([value]);
    const keys = Object.fromEntries(awkwardTexts.map((text, index) => [text, index]));
    expect(read(printYaml(keys))).toEqual([keys]);
  });

  it('a text that only kubectl reads as a number comes back as text', () => {
    const digit = fc.constantFrom(...'0123456789._eExXoObB+-'.split(''));
    fc.assert(
      fc.property(fc.string({ unit: digit, minLength: 1, maxLength: 8 }), (text) => {
        expect(read(printYaml({ [text]: text }))).toEqual([{ [text]: text }]);
      }),
      { numRuns: sweepRuns(1000, { oneIn: 8 }), seed: 1 },
    );
    expect(printYaml(['0X1f', '0O17', '1_e3', '-_1', '.5_0'])).toBe(
      "- '0X1f'\n- '0O17'\n- '1_e3'\n- '-_1'\n- '.5_0'\n",
    );
  });

  it('whatever JSON is printed is read back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify({ value }));
        expect(read(printYaml(plain))).toEqual([plain]);
      }),
      { numRuns: sweepRuns(500, { oneIn: 8 }), seed: 2 },
    );
  });

  it('keys keep their order, lines are not folded, nothing is shared', () => {
    const shared = { x: 1 };
    const text = printYaml({ z: shared, a: shared, long: 'word '.repeat(60).trim(), gone: undefined });
    expect(text).toBe(`z:\n  x: 1\na:\n  x: 1\nlong: ${'word '.repeat(60).trim()}\n`);
  });

  it('several values make a stream', () => {
    expect(printYamlDocuments([{ a: 1 }, { b: 2 }])).toBe('---\na: 1\n---\nb: 2\n');
  });
});

it('reports keys that are given twice, and takes the last, where that is asked for', () => {
  const reported: (readonly [string, number])[] = [];
  const onRepeatedKey = (key: string, line: number) => reported.push([key, line]);
  const [first] = parseYaml('long: 1\nb: {"see": 2, "see": 3}\nlong: 4\n', { source: 'f.yaml', onRepeatedKey });
  expect([first?.value, reported]).toEqual([
    { long: 4, b: { see: 3 } },
    [
      ['see', 2],
      ['long', 3],
    ],
  ]);
});

it('reports keys that are another text than was written, with the field whose keys they are', () => {
  const reported: string[] = [];
  const onAlteredKey = ({ written, key, path, line }: AlteredKey) =>
    reported.push(`${line} ${path} ${written} → ${key}`);
  const text = '1.30: a\n1.31: b\nlist:\n  - {yes: 1, "1.20": 2, 0x10: {010: c}}\n';
  const [first] = parseYaml(text, { source: 'f.yaml', onAlteredKey });
  expect(first?.value).toEqual({ '1.3': 'a', '1.31': 'b', list: [{ true: 1, '1.20': 2, '16': { '8': 'c' } }] });
  expect(reported).toEqual(['1  1.30 → 1.3', '4 list[0] yes → true', '4 list[0] 0x10 → 16', '4 list[0].16 010 → 8']);
});
