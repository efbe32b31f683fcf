/**
 * `npm run candidate [-- --again]`: the artifacts of a release candidate, if the whole suite and
 * the soak succeed on its commit. What passes is kept in the git directory of the checkout, so that
 * a run that is started again continues; `--again` starts from the beginning. docs/release.md has
 * the steps around it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { scriptArguments } from '../script-arguments.ts';
import { makeCandidate } from './candidate.ts';
import type { Ended, Stage } from './candidate.ts';
import { printLine, printPassed, readPassed } from './passed.ts';

const { again } = scriptArguments('candidate', { again: { type: 'boolean', default: false } }).values;
const root = fileURLToPath(new URL('../..', import.meta.url));
const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

/** Not below node_modules, which `npm ci` empties, nor in dist, which a build fills. */
const record = resolve(root, git('rev-parse', '--git-path', 'isthmus-candidate').trim());

function look() {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return { version, commit: git('rev-parse', 'HEAD').trim(), changes: git('status', '--porcelain') };
}

async function run({ command: [program = '', ...args] }: Stage): Promise<Ended> {
  const env = { ...process.env, ISTHMUS_PASSED: record };
  const child = spawn(program, args, { cwd: root, env, stdio: ['inherit', 'pipe', 'inherit'] });
  const ended = once(child, 'close') as unknown as Promise<readonly [number | null]>;
  let lastLine = '';
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    const plain = stripVTControlCharacters(line).trim();
    if (plain !== '') lastLine = plain;
  }
  const [code] = await ended;
  return { code: code ?? 1, lastLine };
}

async function main(): Promise<number> {
  const subject = { commit: look().commit, node: process.version };
  const passed = () => readPassed(subject, existsSync(record) ? readFileSync(record, 'utf8') : '');
  // Also ends a line that was cut off, and what is about another commit.
  writeFileSync(record, printPassed(subject, again ? [] : passed()));
  return makeCandidate({
    look,
    run,
    passed,
    keep: (one) => appendFileSync(record, printLine(one)),
    now: () => performance.now(),
    date: () => new Date(performance.timeOrigin + performance.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    say: (line) => console.log(line),
  });
}

process.exitCode = await main();
