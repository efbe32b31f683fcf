import { describe, expect, it } from 'vitest';
import { describeCircle, folderCircles } from './folder-circles.ts';
import { tiesBetween } from './imports.ts';

const circles = (files: Readonly<Record<string, string>>) => folderCircles(tiesBetween(new Map(Object.entries(files))));
const imports = (specifier: string) => `import type { X } from '${specifier}';\n`;

describe('folders that import each other', () => {
  it('are found, with the lines of both directions', () => {
    const found = circles({
      'p/src/a/one.ts': `// A comment.\n${imports('../b/two.ts')}`,
      'p/src/b/two.ts': '',
      'p/src/b/three.ts': "import {\n  Y,\n} from '../a/one.ts';\n",
    });
    expect(found.map(describeCircle)).toEqual([
      [
        'p/src/a, p/src/b import each other:',
        '  p/src/a imports p/src/b (1):',
        "    p/src/a/one.ts:2: import type { X } from '../b/two.ts'",
        '  p/src/b imports p/src/a (1):',
        "    p/src/b/three.ts:1: import { Y, } from '../a/one.ts'",
      ].join('\n'),
    ]);
  });

  it('are found around a corner, and through what is below them', () => {
    const found = circles({
      'p/src/a/deep/one.ts': imports('../../b/one.ts'),
      'p/src/b/one.ts': "export { X } from '../c/one.ts';\n",
      'p/src/c/one.ts': "import '../a/two.ts';\n",
      'p/src/a/two.ts': '',
    });
    expect(found.map(({ folders }) => folders)).toEqual([['p/src/a', 'p/src/b', 'p/src/c']]);
  });

  it('are found where one of them loads the other while it runs', () => {
    const found = circles({
      'p/src/a/one.ts': imports('../b/one.ts'),
      'p/src/b/one.ts': "const load = () => import('../a/two.ts');\n",
      'p/src/a/two.ts': '',
    });
    expect(found.map(({ folders }) => folders)).toEqual([['p/src/a', 'p/src/b']]);
  });

  it('are found at every level by themselves', () => {
    const found = circles({
      'p/src/a/x/one.ts': imports('../y/one.ts'),
      'p/src/a/y/one.ts': imports('../x/two.ts'),
      'p/src/a/x/two.ts': imports('../../b/one.ts'),
      'p/src/b/one.ts': '',
    });
    expect(found.map(({ folders }) => folders)).toEqual([['p/src/a/x', 'p/src/a/y']]);
  });

  it.each([
    [
      'a folder and its own loose files',
      { 'p/src/a/x/one.ts': imports('../two.ts'), 'p/src/a/two.ts': imports('./x/one.ts') },
    ],
    [
      'a test',
      { 'p/src/a/one.ts': imports('../b/one.ts'), 'p/src/b/one.ts': '', 'p/src/b/one.test.ts': imports('../a/one.ts') },
    ],
    [
      'a testing folder',
      {
        'p/src/a/one.ts': imports('../b/one.ts'),
        'p/src/b/one.ts': '',
        'p/src/b/testing/t.ts': imports('../../a/one.ts'),
      },
    ],
    [
      'imports that go one way',
      { 'p/src/a/one.ts': imports('../b/one.ts'), 'p/src/b/one.ts': imports('../c/one.ts'), 'p/src/c/one.ts': '' },
    ],
  ])('are not %s', (_, files) => {
    expect(circles(files)).toEqual([]);
  });

  it('are shown by five lines of each direction at most', () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`p/src/a/f${i}.ts`, imports('../b/one.ts')]));
    const [circle] = circles({ ...files, 'p/src/b/one.ts': imports('../a/f0.ts') });
    expect(circle && describeCircle(circle).split('\n')).toContain('    and 3 more');
  });
});
