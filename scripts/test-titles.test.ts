import { describe, expect, it } from 'vitest';
import { parseSource } from './syntax.ts';
import { deadTests, testTitles } from './test-titles.ts';

const lives = (source: string): readonly string[] =>
  testTitles(source)
    .filter(({ isLive }) => isLive)
    .map(({ title }) => title);
const entries = (source: string): readonly string[] => testTitles(source).flatMap((one) => [...one.entries]);

describe('the titles of a file', () => {
  it.each([
    ["it('x', () => {});"],
    ["test('x', async () => {});"],
    ["it.concurrent('x', () => {});"],
    ['it(`x`, { timeout: 5 }, () => {});'],
    ["it.each([1])('x', () => {});"],
    ["it.for([1])('x', () => {});"],
    ["it.each(unknown())('x', () => {});"],
    ["it.skipIf(false)('x', () => {});"],
    ["it.runIf(process.platform === 'linux')('x', () => {});"],
    ["const onLinux = it.skipIf(platform()); onLinux('x', () => {});"],
    ["if (true) it('x', () => {});"],
    ["it('x', ({ skip }) => { if (windows) skip(); });"],
    ["it('x', () => { tokens.skip('y'); });"],
    ["it('x', check);"],
    ["// it('x')\nit('x', () => {});"],
  ])('are those of tests that run: %s', (source) => {
    expect(lives(source)).toEqual(['x']);
  });

  it.each([
    ["it.skip('x', () => {});"],
    ["it.todo('x');"],
    ["it('x');"],
    ["it('x', { skip: true }, () => {});"],
    ["it('x', { todo: true }, () => {});"],
    ["it('x', ({ skip }) => { skip(); });"],
    ["it('x', (context) => { context.skip('later'); });"],
    ["it.skip.each([1])('x', () => {});"],
    ["it.each([])('x', () => {});"],
    ["const none = [] as const; it.each(none)('x', () => {});"],
    ["it.skipIf(true)('x', () => {});"],
    ["it.runIf(false)('x', () => {});"],
    ["const later = false; it.runIf(later)('x', () => {});"],
    ["it.runIf(!true)('x', () => {});"],
    ["const off = it.skip; off('x', () => {});"],
    ["describe.skip('g', () => { it('x', () => {}); });"],
    ["describe('g', { skip: true }, () => { it('x', () => {}); });"],
    ["describe.skip('g', () => { describe('h', () => { it('x', () => {}); }); });"],
    ["describe.runIf(false)('g', () => { it('x', () => {}); });"],
    ["describe.each([])('g', () => { it('x', () => {}); });"],
    ["if (false) it('x', () => {});"],
    ["if (false) { describe('g', () => { it('x', () => {}); }); }"],
    ["describe('g', () => {});"],
    ["regex.test('x'); const text = \"it('x', () => {})\";"],
  ])('are not those of tests that do not run: %s', (source) => {
    expect(lives(source)).toEqual([]);
  });

  it('are those of groups while one of their tests runs', () => {
    expect(lives("describe('g', () => { it.skip('x', () => {}); it('y', () => {}); });")).toEqual(['g', 'y']);
  });

  it.each([
    ["it.each([['one', 1], ['two', 2]])('%s', () => {});", ['one', 'two']],
    ["it.each(['one', 'two'])('is %s', () => {});", ['one', 'is one', 'two', 'is two']],
    ["it.each([['a', 'b', 1]])('%s and %j: %i', () => {});", ['a', 'b', 'a and "b": 1']],
    ["it.each([{ what: 'one', data: 'two' }])('is $what', () => {});", ['one', 'is one']],
    ["it.each([{ a: { b: 'one' } }])('is $a.b', () => {});", ['one', 'is one']],
    ["const rows = [['one']] as const; it.each(rows)('is %s', () => {});", ['one', 'is one']],
    ["const some = ['one']; it.each([...some, 'two'])('%s', () => {});", ['one', 'two']],
    ["it.each(Object.keys({ one: [], 'two words': 2 }))('%s', () => {});", ['one', 'two words']],
    ["it.each(Object.entries({ one: 'data' }))('%s', () => {});", ['one']],
    ["it.each([['one', make()]])('%s of %s', () => {});", ['one']],
    ["it.each([3].map((n) => [`${n}`, 'one']))('%s', () => {});", ['one']],
  ])('have what a table puts into them: %s', (source, texts) => {
    expect(entries(source)).toEqual(texts);
  });

  it('take a table from another file', () => {
    const table = parseSource("export const rows = [['far']];");
    const found = testTitles(
      "import { rows as cases } from './rows.ts'; it.each(cases)('%s', () => {});",
      (specifier) => (specifier === './rows.ts' ? table : undefined),
    );
    expect(found).toMatchObject([{ title: '%s', isLive: true, needsEntry: true, entries: new Set(['far']) }]);
  });

  it('do not come from text that is not TypeScript', () => {
    expect(() => testTitles("it('x', () => {")).toThrow();
  });
});

it('a test that never runs is named with its line', () => {
  const text = "it('x', () => {});\n\nit.skip('y', () => {});\nit.skipIf(onRoot)('z', () => {});\n";
  expect(deadTests('a.test.ts', text)).toEqual([expect.stringMatching(/^a\.test\.ts:3: 'y' never runs/)]);
});
