import { expect, it } from 'vitest';
import { reasonGivers } from './given-reasons.ts';

const definitions = new Set(['importStatus', 'exportStatus']);

/** Which definitions the last file reports on, and the words that it gives. */
function last(...texts: readonly string[]) {
  const files = new Map(texts.map((text, index) => [`src/${index}.ts`, text]));
  const giver = reasonGivers(files, definitions).at(-1);
  return { definitions: [...(giver?.definitions ?? [])], words: [...(giver?.words ?? [])] };
}

const types = `import type { ReasonOn, importStatus } from '@isthmus/api';
  type Reason = ReasonOn<typeof importStatus, 'Ready=False'>;
  export interface Problem { readonly reason: Reason }
  export const report = (problem: Problem) => problem;`;

it.each([
  ['names the definition', ["import { exportStatus } from '@isthmus/api'; report(exportStatus);"], 'exportStatus'],
  ['uses a type that is made of it', [types, "import type { Problem } from './0.ts';"], 'importStatus'],
  [
    'uses a type that is made of such a type',
    [
      types,
      "import type { Problem } from './0.ts'; export type Both = Problem & {};",
      "import type { Both } from './1.ts';",
    ],
    'importStatus',
  ],
  [
    'uses such a type by an index that passes it on',
    [types, "export type { Problem } from './0.ts';", "import type { Problem } from './1.ts';"],
    'importStatus',
  ],
])('a file reports on a kind where it %s', (_, texts, definition) => {
  expect(last(...texts).definitions).toEqual([definition]);
});

it('a file reports on a kind where it uses a type that is made of it in another package', () => {
  const files = new Map([
    ['packages/wire/src/problem.ts', types],
    ['packages/wire/src/index.ts', "export type { Problem } from './problem.ts';"],
    ['packages/install/src/check.ts', "import type { Problem } from '@isthmus/wire';"],
  ]);
  expect([...(reasonGivers(files, definitions).at(-1)?.definitions ?? [])]).toEqual(['importStatus']);
});

it('a file does not report on a kind for which it calls a function of another file', () => {
  expect(last(types, "import { report } from './0.ts'; report({ reason: 'Ready' });").definitions).toEqual([]);
});

it.each([
  ["const problem = { reason: 'Failed' };", ['Failed']],
  ["const problem = pending('Failed', 'x');", ['Failed', 'x']],
  ["const reason = isNew ? 'Pending' : 'Failed';", ['Pending', 'Failed']],
  ["const verdict = { reason: 'Failed' } satisfies Verdict;", ['Failed']],
])('the words of %s are %j', (text, words) => {
  expect(last(text).words).toEqual(words);
});

it.each([
  "if (reason === 'Failed') stop();",
  "switch (reason) { case 'Failed': stop(); }",
  "type Reason = 'Failed'; let reason: 'Failed' | undefined;",
  "import { stop } from 'Failed';",
  "// 'Failed'",
])('a word that is only compared with, a type or a comment is not given: %s', (text) => {
  expect(last(text).words).toEqual([]);
});
