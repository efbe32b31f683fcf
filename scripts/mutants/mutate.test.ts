import { describe, expect, it } from 'vitest';
import { mutate } from './mutate.ts';

const changes = (text: string) => mutate(text).mutants.map(({ change }) => change);
/** What the expression evaluates to with each mutant, and without one. */
function valuesOf(expression: string, names: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { mutants, text } = mutate(`const value = () => (${expression});`);
  // oxlint-disable-next-line no-implied-eval, typescript/no-unsafe-call
  const run = new Function(...Object.keys(names), `${text}\nreturn value();`) as (
    ...all: readonly unknown[]
  ) => unknown;
  let active = -1;
  globalThis.mutant = (number) => number === active;
  return [-1, ...mutants.keys()].map((number) => {
    active = number;
    return run(...Object.values(names));
  });
}

describe('the mutants of a text', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['a comparison', 'f = a < b;', ['a < b -> a <= b', 'a < b -> a >= b']],
    ['an equation', 'f = a === b;', ['a === b -> a !== b']],
    ['what a condition is', 'f = a === b ? c : d;', ['a === b -> true', 'a === b -> false']],
    ['the limit of a condition', 'f = a < 3 ? c : d;', ['a < 3 -> true', 'a < 3 -> false', 'a < 3 -> a <= 3']],
    ['both words for and and or', 'f = a && b;', ['a && b -> (a) || (b)']],
    ['a value that may be missing', 'f = a ?? b;', ['a ?? b -> (a) && (b)']],
    ['a negation', 'f = !a;', ['!a -> a']],
    ['a sum', 'f = a + b;', ['a + b -> a - b']],
    ['a text that is put together', "f = a + 'text';", []],
    ['small numbers', 'f = 5;', ['5 -> 6', '5 -> 4']],
    ['large numbers', 'f = 600;', ['600 -> 1200', '600 -> 300']],
    ['yes and no', 'f = true;', ['true -> false']],
    ['an optional step', 'f = a?.b?.[0];', ['a?.b?.[0] -> a.b?.[0]', 'a?.b?.[0] -> a?.b[0]', '0 -> 1']],
    ['an answer', 'f = isFree(a);', ['isFree(a) -> !isFree(a)']],
    ['a name that begins like a question', 'f = island(a);', []],
    ['a filter', 'f = a.filter(b);', ['a.filter(b) -> a']],
    ['no other call', 'f = a.toString();', []],
    ['all and any', 'f = a.every(b);', ['a.every(b) -> a.some(b)']],
  ])('change %s', (_, text, expected) => {
    expect(changes(text).filter((change) => !change.endsWith('(removed)'))).toEqual(expected);
  });

  it('leave out calls, and elements of lists', () => {
    expect(changes('call(a);')).toEqual(['call(a); -> (removed)']);
    expect(changes("const f = [a, ...b, 'c'];")).toEqual(['a -> (removed)', '...b -> (removed)']);
    expect(changes('const f = { ...a };')).toEqual(['...a -> (removed)']);
  });

  it.each([
    ['imports', "import { a } from './5.ts';"],
    ['types', 'type A = 5 | true; interface B { a: 5 } const f = g as 5; function h(): asserts i is true {}'],
    ['texts', "const f = 'true'; const g = `${a ?? 5}`;"],
    ['logs', 'log.info(`text`, { a: !b }); world.log.warn(a && b);'],
    ['errors', 'throw new RangeError(a ? 5 : 6);'],
  ])('spare %s', (_, text) => {
    expect(changes(text)).toEqual([]);
  });

  it('change a number that has a name where it is used', () => {
    const text = 'const waitMs = 600; export const f = () => ({ waitMs, a: waitMs });';
    const { mutants, text: mutated } = mutate(text);
    expect(mutants.map(({ change }) => change)).toEqual(['600 -> 1200', '600 -> 300']);
    const switches = '(globalThis.mutant(0) ? 1200 : globalThis.mutant(1) ? 300 : waitMs)';
    expect(mutated).toBe(`const waitMs = 600; export const f = () => ({ waitMs: ${switches}, a: ${switches} });`);
    const shadowed = 'const waitMs = 600; const f = ({ waitMs }) => waitMs;';
    expect(mutate(shadowed).text).toContain('const waitMs = (globalThis.mutant(0) ? 1200');
  });

  it('are at the line of what they change', () => {
    expect(mutate('const a = b;\n  const c = a <\n    d;').mutants[0]).toEqual({
      line: 2,
      content: 'const c = a <',
      change: 'a < d -> a <= d',
    });
  });
});

describe('a text with all its mutants', () => {
  it('means the same as before while none holds, and one change while that holds', () => {
    expect(valuesOf('a < b && !c', { a: 1, b: 1, c: false })).toEqual([false, true, true, true, false]);
    expect(valuesOf('[a, ...b].filter((one) => one > 1)', { a: 1, b: [2, 3] })).toEqual([
      [2, 3],
      [1, 2, 3],
      [2, 3],
      [],
      [1, 2, 3],
      [1],
    ]);
    expect(valuesOf('a?.b ?? 7', { a: { b: 1 } })).toEqual([1, 7, 1, 1, 1]);
    expect(valuesOf('({ ...a, b: 2 + c })', { a: { d: 1 }, c: 3 })).toEqual([
      { d: 1, b: 5 },
      { b: 5 },
      { d: 1, b: -1 },
      { d: 1, b: 6 },
      { d: 1, b: 4 },
    ]);
  });

  it('shows where a mutant makes a difference, if it can be seen without running anything else', () => {
    const differing: number[] = [];
    globalThis.mutant = (number, differs) => {
      if (differs?.() !== false) differing.push(number);
      return false;
    };
    const run = (expression: string) => {
      differing.length = 0;
      // oxlint-disable-next-line no-implied-eval, typescript/no-unsafe-call
      new Function('a', 'b', mutate(`const value = ${expression};`).text)(1, new Set([2]));
      return [...differing];
    };
    expect(run('a < 1')).toEqual([0, 1]);
    expect(run('a < 2')).toEqual([1]);
    expect(run('b.has(a) && !b.has(a)')).toEqual([0, 1]);
    expect(run('b.delete(a) || a')).toEqual([0]);
  });

  it('has the numbers of its mutants from the given one on', () => {
    expect(mutate('const f = a === b;', 40).text).toBe(
      'const f = (globalThis.mutant(40, () => (a !== b) !== (a === b)) ? a !== b : a === b);',
    );
  });
});
