import { describe, expect, it } from 'vitest';
import { describeFileCircle, fileCircles } from './file-circles.ts';
import { tiesBetween } from './imports.ts';

const circles = (files: Readonly<Record<string, string>>) => fileCircles(tiesBetween(new Map(Object.entries(files))));
const filesOf = (files: Readonly<Record<string, string>>) => circles(files).map((circle) => circle.files);

describe('a circle of files', () => {
  it.each([
    ['values', "import { a } from './a.ts';\n"],
    ['types', "import type { A } from './a.ts';\n"],
    ['types on several lines', "import type {\n  A,\n  B,\n} from './a.ts';\n"],
    ['a re-export of types', "export type { A } from './a.ts';\n"],
    ['a re-export of everything', "export * from './a.ts';\n"],
    ['an import for its effects', "import './a.ts';\n"],
    ['an import while the program runs', "export const load = async () => import('./a.ts');\n"],
    ['a type that is written as an import', "export type B = import('./a.ts').A;\n"],
  ])('is found through %s', (_, text) => {
    expect(filesOf({ 'p/src/a.ts': "import { b } from './b.ts';\n", 'p/src/b.ts': text })).toEqual([
      ['p/src/a.ts', 'p/src/b.ts'],
    ]);
  });

  it('is found around a corner, and across folders', () => {
    const files = {
      'p/src/a.ts': "import type { B } from './deep/b.ts';\n",
      'p/src/deep/b.ts': "import type { C } from '../other/c.ts';\n",
      'p/src/other/c.ts': "import type { A } from '../a.ts';\n",
      'p/src/other/d.ts': "import type { C } from './c.ts';\n",
    };
    expect(filesOf(files)).toEqual([['p/src/a.ts', 'p/src/deep/b.ts', 'p/src/other/c.ts']]);
  });

  it('is found through the name of its own package', () => {
    const files = {
      'packages/p/src/index.ts': "export { a } from './a.ts';\n",
      'packages/p/src/a.ts': "import { b } from '@isthmus/p';\n",
    };
    expect(filesOf(files)).toEqual([['packages/p/src/a.ts', 'packages/p/src/index.ts']]);
  });

  it('is described by the lines that hold it together', () => {
    const [circle] = circles({
      'p/src/a.ts': "// A comment.\nimport type { B } from './b.ts';\n",
      'p/src/b.ts': "import {\n  a,\n} from './a.ts';\n",
    });
    expect(circle && describeFileCircle(circle)).toBe(
      [
        '2 files import each other:',
        "  p/src/a.ts:2: import type { B } from './b.ts'",
        "  p/src/b.ts:1: import { a, } from './a.ts'",
      ].join('\n'),
    );
  });

  it.each([
    ['a word of a comment', { 'p/src/a.ts': "import './b.ts';\n", 'p/src/b.ts': "// import './a.ts';\n" }],
    ['a text', { 'p/src/a.ts': "import './b.ts';\n", 'p/src/b.ts': 'export const line = "import \'./a.ts\';";\n' }],
    ['a test', { 'p/src/a.ts': "import './b.test.ts';\n", 'p/src/b.test.ts': "import './a.ts';\n" }],
    ['a testing folder', { 'p/src/a.ts': '', 'p/src/testing/b.ts': "import '../a.ts';\nimport './b.ts';\n" }],
    ['another package', { 'p/src/a.ts': "import '@isthmus/q';\n", 'q/src/index.ts': "import '@isthmus/p';\n" }],
  ])('is not closed by %s', (_, files: Readonly<Record<string, string>>) => {
    expect(circles(files)).toEqual([]);
  });
});
