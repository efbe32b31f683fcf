/**
 * `npm run mutants [-- PATHS] [--nearest N] [--longest MS]`: changes the code in one place after
 * the other, and prints which changes no test notices. N: with how many files of tests each file of
 * code is tried; MS: what such a test may take. Paths are files or folders of shipped code;
 * without, it is the code that carries packets, keeps what is lost, and judges versions. Exit code:
 * 1 where less than 90 % of the mutants that matter are killed, or an entry of `equivalents.ts`
 * matches nothing; 2 for a mistake.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@isthmus/machinery';
import type { Sources } from '../landing/module-graph.ts';
import { moduleGraph } from '../landing/module-graph.ts';
import { readSources, root } from '../landing/repository.ts';
import { scriptArguments, wrongArguments } from '../script-arguments.ts';
import { copyCheckout } from './copy.ts';
import { equivalents } from './equivalents.ts';
import type { Mutant } from './mutate.ts';
import { mutate } from './mutate.ts';
import type { Tries } from './protocol.ts';
import type { ReachedTest } from './run-mutants.ts';
import { findKilled, findReach, isNoticed } from './run-mutants.ts';
import type { Judged } from './score.ts';
import { describeScores, isAbout, outdated, scoreOf } from './score.ts';

const usual = [
  'packages/dataplane/src/agent',
  'packages/controlplane/src/loss',
  'packages/controlplane/src/own-cluster/missing',
  'packages/controlplane/src/common-area/find-losses.ts',
  'packages/controlplane/src/common-area/lost-exports.ts',
  'packages/controlplane/src/exchanges/service/import/lost.ts',
  'packages/upgrade/src/policy/skew',
];

/**
 * Stories that are about code, by the beginning of its path. They are as far from it as stories
 * that only pass through it.
 */
const stories: Readonly<Record<string, readonly string[]>> = {
  'packages/controlplane/src/': [
    'packages/controlplane/src/stories/definition-losses.test.ts',
    'packages/controlplane/src/stories/held-parts.test.ts',
    'packages/controlplane/src/stories/losses-under-antrea.test.ts',
    'packages/controlplane/src/stories/losses.test.ts',
    'packages/controlplane/src/stories/sole-exporter.test.ts',
    'packages/controlplane/src/stories/unmarked-losses.test.ts',
  ],
};

const passing = 0.9;

/** How many tests a mutant is tried with, and files of tests one that holds from the start. */
const testsOfOne = 40;
/** Long tests, in milliseconds of a processor: a mutant is tried with fewer of them. */
const longMs = 50;
const longTestsOfOne = 8;
const filesOfOne = 4;

async function main(): Promise<number> {
  const { values, positionals } = scriptArguments(
    'mutants',
    { nearest: { type: 'string', default: '10' }, longest: { type: 'string', default: '3000' } },
    { allowPositionals: true },
  );
  const numberOf = (name: 'nearest' | 'longest') => {
    const number = Number(values[name]);
    if (number >= 1) return number;
    return wrongArguments('mutants', `--${name} must be a number from 1, not ${JSON.stringify(values[name])}`);
  };
  const [nearest, longestMs] = [numberOf('nearest'), numberOf('longest')];
  const asked = positionals.length === 0 ? usual : positionals.map((path) => path.replace(/\/$/, ''));
  const sources = readSources();
  const targets = [...sources.paths]
    .filter((path) => asked.some((one) => path === one || path.startsWith(`${one}/`)))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('/testing/'))
    .toSorted();
  if (targets.length === 0) throw new Error(`no shipped code in ${asked.join(', ')}`);

  const { files, testsOf, stepsTo } = testsFor(targets, sources, nearest);
  using copy = copyCheckout(root, sources.paths);
  const found = new Map<string, readonly Mutant[]>();
  const all: { readonly file: string; readonly mutant: Mutant }[] = [];
  for (const file of targets) {
    const { mutants, text } = mutate(readFileSync(join(root, file), 'utf8'), all.length);
    writeFileSync(join(copy.root, file), text);
    found.set(file, mutants);
    all.push(...mutants.map((mutant) => ({ file, mutant })));
  }
  const problems = outdated(equivalents, found);
  if (problems.length > 0) {
    console.error(`equivalents.ts is outdated:\n${problems.join('\n')}`);
    return 1;
  }
  const isEquivalent = all.map(({ file, mutant }) => equivalents.some((one) => isAbout(one, file, mutant)));
  console.log(`${all.length} mutants in ${targets.length} files, ${files.length} files of tests`);

  const run = { root: copy.root, count: all.length, report: console.log };
  const { tests: ran, outside } = await findReach(run, files);
  const failing = ran.filter(({ passed }) => !passed);
  if (failing.length > 0) throw new Error(`tests fail without a mutant: ${failing.map(({ name }) => name).join('; ')}`);
  const usable = ({ passed, ms }: ReachedTest): boolean => passed && ms <= longestMs;
  const reaching = all.map(({ file }, number) =>
    ran
      .filter((test) => usable(test) && test.differing.includes(number))
      .toSorted((one, other) => stepsTo(one.path, file) - stepsTo(other.path, file)),
  );
  const tries = triesOf(reaching.map((of, number) => (isEquivalent[number] === true ? [] : of)));
  console.log(`${ran.length} tests; ${tries.size} of them are repeated with mutants`);
  const killed = new Set(await findKilled(run, tries, files));
  const atStart = [...outside].filter((number) => !killed.has(number) && isEquivalent[number] !== true);
  console.log(`${killed.size} mutants are killed; ${atStart.length} hold from the start, one process each`);
  for (const number of atStart) {
    const near = (testsOf.get(all[number]?.file ?? '') ?? []).slice(0, filesOfOne);
    const of = ran.filter((test) => near.includes(test.path) && usable(test));
    if (await isNoticed(run, number, of, near)) killed.add(number);
  }
  const judged = all.map(({ file, mutant }, number): Judged => {
    const isReached = outside.has(number) || ran.some(({ reached }) => reached.includes(number));
    const open = isReached ? 'survived' : 'unreached';
    return {
      ...mutant,
      file,
      outcome: isEquivalent[number] === true ? 'equivalent' : killed.has(number) ? 'killed' : open,
    };
  });
  console.log(`\n${describeScores(judged)}`);
  return scoreOf(judged) >= passing ? 0 : 1;
}

/** The tests of each file, of its package, the nearest first; and all in the order of the run. */
function testsFor(targets: readonly string[], sources: Sources, nearest: number) {
  const graph = moduleGraph(sources);
  const packageOf = (path: string): string => path.split('/', 2).join('/');
  const tests = [...sources.paths]
    .filter((path) => targets.some((target) => packageOf(target) === packageOf(path)))
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.envtest.test.ts'))
    .toSorted();
  const steps = new Map(tests.map((test) => [test, graph.reach(test)]));
  const stepsTo = (test: string, target: string): number => steps.get(test)?.get(target) ?? Infinity;
  const testsOf = new Map(
    targets.map((target) => {
      const reaching = tests
        .filter((test) => packageOf(test) === packageOf(target) && stepsTo(test, target) < Infinity)
        .toSorted((one, other) => stepsTo(one, target) - stepsTo(other, target));
      const about = Object.entries(stories).flatMap(([code, of]) => (target.startsWith(code) ? of : []));
      return [target, [...new Set([...reaching.slice(0, nearest), ...about])]] as const;
    }),
  );
  // Who reaches little of it is about what he reaches, and soon over.
  const reachedBy = (test: string): number => targets.filter((target) => stepsTo(test, target) < Infinity).length;
  const files = [...new Set([...testsOf.values()].flat())].toSorted((one, other) => reachedBy(one) - reachedBy(other));
  return { files, testsOf, stepsTo };
}

/** With which mutants each test is repeated. `reaching`: the tests in which each matters. */
function triesOf(reaching: readonly (readonly ReachedTest[])[]): ReadonlyMap<string, Tries> {
  const tries = new Map<string, { readonly mutants: number[]; readonly ms: number }>();
  // One of each file, the next one of each, and so on; first those of stories that are about it.
  const isAbout = ({ path }: ReachedTest): number => (Object.values(stories).flat().includes(path) ? 0 : 1_000);
  reaching.forEach((of, number) => {
    const short = of.filter(({ ms }) => ms <= longMs);
    const byFile = Map.groupBy(
      of.filter(({ ms }) => ms > longMs),
      ({ path }) => path,
    );
    const long = [...byFile.values()]
      .flatMap((ofFile) => ofFile.map((one, at) => ({ one, at: at + isAbout(one) })))
      .toSorted((one, other) => one.at - other.at)
      .map(({ one }) => one);
    for (const { test, ms } of [...short.slice(0, testsOfOne), ...long.slice(0, longTestsOfOne)]) {
      const { mutants } = tries.get(test) ?? { mutants: [] };
      tries.set(test, { mutants: [...mutants, number], ms });
    }
  });
  return tries;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`mutants: ${errorMessage(error)}`);
  process.exitCode = 2;
}
