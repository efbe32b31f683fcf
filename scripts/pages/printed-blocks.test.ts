import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { blocksOf } from './blocks.ts';
import { problemsOfPages } from './problems.ts';
import { printedBlocks, testsOf } from './printed-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const pages = globSync(
  ['README.md', 'docs/guides/**/*.md', 'docs/{helm,kustomize,release,testbed,antrea}.md', 'docs/sandbox/*.md'],
  { cwd: root },
).toSorted();

describe('the pages whose commands users type', () => {
  it('have no block without a test that runs it as printed, or the reason why it cannot be run', () => {
    const problems = problemsOfPages({
      pages: new Map(pages.map((page) => [page, textOf(page)])),
      entries: printedBlocks,
      testText: (path) => (existsSync(`${root}${path}`) ? textOf(path) : undefined),
    });
    expect(problems.join('\n')).toBe('');
  });

  it('are at least those that the list names', () => {
    const named = Object.values(printedBlocks).flatMap((page) => Object.values(page).flat());
    expect(named.flatMap((entry) => testsOf(entry)).length).toBeGreaterThan(60);
  });
});

describe('a page', () => {
  const page = '# A\n\n    npm run a\n\n1. One:\n\n   ```sh\n   npm run b\n   ```\n\n## B\n\n```text\nc\n```\n';
  const test = 'scripts/a.envtest.test.ts';
  const problems = (entries: Parameters<typeof problemsOfPages>[0]['entries'], text?: string) =>
    problemsOfPages({ pages: new Map([['docs/a.md', page]]), entries, testText: () => text });
  const running = `startStory(import.meta.url, 'docs/a.md')`;

  it('is read with its indented blocks and those in lists', () => {
    expect(blocksOf(page)).toEqual([
      { heading: 'A', number: 1, info: undefined, text: 'npm run a\n' },
      { heading: 'A', number: 2, info: 'sh', text: 'npm run b\n' },
      { heading: 'B', number: 1, info: 'text', text: 'c\n' },
    ]);
  });

  it('has no problem where tests run its blocks, and the others have a reason', () => {
    expect(problems({ 'docs/a.md': { A: [test, [test]], B: [{ why: 'output' }] } }, running)).toEqual([]);
  });

  it.each([
    ['a block has no entry', { A: [test, test] }, running, 'docs/a.md, "B", block 1 (c): no test runs it.'],
    ['a whole page is new', undefined, running, 'docs/a.md, "A", block 1 (npm run a): no test runs it.'],
    [
      'a reason is empty',
      { A: [test, test], B: [{ why: '' }] },
      running,
      'docs/a.md, "B", block 1 (c): no test runs it.',
    ],
    ['an entry has no block', { A: [test, test, test], B: [{ why: 'output' }] }, running, 'has no block 3 below "A"'],
    ['a heading is gone', { A: [test, test], B: [test], C: [test] }, running, 'has no block 1 below "C"'],
    [
      'a test does not exist',
      { A: [test, test], B: [test] },
      undefined,
      `${test}, in scripts/pages/printed-blocks.ts, does not exist`,
    ],
    ['a test runs no block of the page', { A: [test, test], B: [test] }, '', `${test} runs no block of docs/a.md`],
  ])('has a problem where %s', (_, entries, text, problem) => {
    expect(problems(entries === undefined ? {} : { 'docs/a.md': entries }, text).join('\n')).toContain(problem);
  });
});
