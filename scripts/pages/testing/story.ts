import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Block } from '../blocks.ts';
import { blocksOf } from '../blocks.ts';
import type { PageName } from '../printed-blocks.ts';
import { blocksRunBy } from '../printed-blocks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The blocks of one page that a test runs as printed. */
export interface Story {
  /** In the order of the page: all that scripts/pages/printed-blocks.ts assigns to this test. */
  readonly blocks: readonly Block[];
  /**
   * Gives the text of a block to `act`; the block counts as run when that succeeds. `number` is its
   * place below the heading, 1 if it is left out. Errors: the page has no such block, or it is
   * assigned to another test.
   */
  run<Result>(heading: string, act: (text: string) => Result | Promise<Result>, number?: number): Promise<Result>;
}

/**
 * Starts to run the blocks of a page that are assigned to the test file `url`, in the suite that is
 * being defined. When all tests of the suite have passed, it fails if one of these blocks was not
 * run: so the list in scripts/pages/printed-blocks.ts is true.
 */
export function startStory(url: string, page: PageName): Story {
  const test = relative(root, fileURLToPath(url));
  const blocks = blocksRunBy(test, page, blocksOf(readFileSync(`${root}${page}`, 'utf8')));
  const left = new Set(blocks);
  // oxlint-disable-next-line no-empty-pattern -- the runner passes fixtures by the names that it finds here
  afterAll(({}, suite) => {
    const passed = ({ tasks }: typeof suite): boolean =>
      tasks.every((task) => ('tasks' in task ? passed(task) : task.result?.state === 'pass'));
    if (left.size === 0 || !passed(suite)) return;
    const names = [...left].map(({ heading, number }) => `"${heading}", block ${number}`);
    throw new Error(
      `${test} has not run these blocks of ${page}, which scripts/pages assigns to it: ${names.join('; ')}`,
    );
  });
  return {
    blocks,
    async run(heading, act, number = 1) {
      const block = blocks.find((one) => one.heading === heading && one.number === number);
      if (block === undefined)
        throw new Error(`scripts/pages assigns no block ${number} below "${heading}" of ${page} to ${test}`);
      const result = await act(block.text);
      left.delete(block);
      return result;
    },
  };
}

/** Where a block is typed. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Types a block into a shell, which ends at the first command that fails, and gives what it writes.
 * Errors: a command failed, with all that was written.
 */
export function typeBlock(block: string, { cwd, env }: Terminal): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = execFile('sh', ['-ec', block], { cwd, env, maxBuffer: 2 ** 26 }, (_error, out, err) => {
      if (shell.exitCode === 0) resolve(out);
      else reject(new Error(`ended with ${shell.exitCode}:\n${block}${out}${err}`));
    });
    shell.stdin?.end();
  });
}
