/**
 * `npm run affected [-- --since COMMIT] [--seconds N] [--list]`: runs the tests that a change
 * affects. Without `--since`, the change is everything after the last landing; with `--since HEAD`
 * it is everything that is not committed. First all tests of `npm test` that need a changed file,
 * then those on real servers, the nearest first, as far as they fit into N seconds (default 180).
 * Tests that are left out are listed, and run at the landing. After a failure it stops, and its
 * last line names the files that failed.
 */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { errorMessage } from '@isthmus/machinery';
import { binaryNames } from '../../packages/testkit/src/apiserver/binaries.ts';
import { locateBinaries } from '../../packages/testkit/src/apiserver/find-binaries.ts';
import { scriptArguments, wrongArguments } from '../script-arguments.ts';
import { runVitest } from '../test-envtest.ts';
import { affectedTests, withinSeconds } from './affected.ts';
import { readBudget, readLast, readTimes } from './data.ts';
import { moduleGraph } from './module-graph.ts';
import { changedSince, readSources, root } from './repository.ts';

/** The mean number of files that run at a time. */
const unitWorkers = 2;
const envtestWorkers = 2.5;

/** The number of the nearest files, which run first because they fail soonest. */
const nearest = 25;

/** The assumed time of a file that has not run in this checkout. */
const usualSeconds = 0.3;

async function main(): Promise<number> {
  const { values } = scriptArguments('affected', {
    since: { type: 'string', default: readLast().commit },
    seconds: { type: 'string', default: '180' },
    list: { type: 'boolean', default: false },
  });
  const limit = Number(values.seconds);
  if (!(limit >= 0)) wrongArguments('affected', `--seconds must be a number, not ${JSON.stringify(values.seconds)}`);
  const changed = changedSince(values.since);
  const sources = readSources();
  const tests = [...sources.paths].filter((path) => path.endsWith('.test.ts'));
  const affected = affectedTests(changed, tests, moduleGraph(sources, changed));
  const isEnvtest = ({ path }: { readonly path: string }) => path.endsWith('.envtest.test.ts');
  const unit = affected.filter((one) => !isEnvtest(one)).map(({ path }) => path);
  const times = readTimes('unit');
  const unitSeconds = unit.reduce((sum, path) => sum + (times[path] ?? usualSeconds), 0) / unitWorkers;
  const { envtests: budgets } = readBudget();
  const { fit, left } = withinSeconds(
    affected.filter(isEnvtest),
    (path) => budgets[path]?.seconds ?? 0,
    (limit - unitSeconds) * envtestWorkers,
  );
  console.log(
    `changed since ${values.since}: ${count(changed.length)}. Affected: ${count(unit.length)} of npm test, ${count(fit.length + left.length)} on real servers`,
  );
  if (left.length > 0) console.log(`not run within ${limit} s:\n${left.map((path) => `  ${path}`).join('\n')}`);
  if (values.list) {
    console.log(['of npm test:', ...unit, 'on real servers:', ...fit].join('\n'));
    return 0;
  }
  for (const files of [unit.slice(0, nearest), unit.slice(nearest)]) {
    const exitCode = await runNamingFailures('vitest.config.ts', files);
    if (exitCode !== 0) return exitCode;
  }
  if (fit.length === 0) return 0;
  const { sources: programs } = locateBinaries(process.env);
  if (!binaryNames.every((name) => existsSync(programs[name].path))) {
    console.log('tests on real servers were not run: run npm run envtest:install first');
    return 0;
  }
  return runNamingFailures('vitest.envtest.config.ts', fit);
}

const count = (files: number) => (files === 1 ? '1 file' : `${files} files`);

/** Runs files, and names those that failed in the last line. Resolves to the exit code. */
async function runNamingFailures(config: string, files: readonly string[]): Promise<number> {
  if (files.length === 0) return 0;
  const run = await runVitest(config, files);
  const { exitCode } = run.verdict;
  const failed = run.files.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name));
  if (exitCode !== 0)
    console.log(`affected: stopped at a failure: ${failed.length === 0 ? run.verdict.line : failed.join(', ')}`);
  return exitCode;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`affected: ${errorMessage(error)}`);
  process.exitCode = 2;
}
