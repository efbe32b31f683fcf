/**
 * `npm run landing -- begin|unit|sweeps|envtest`: the tests of a landing, as `.ci/run` runs them
 * (docs/testing.md). `begin` is the first step of the work that will land next. It records the
 * commit that landed last, so that the landing can find the changes since then, and the turn.
 */
import { relative } from 'node:path';
import { scriptArguments, wrongArguments } from '../script-arguments.ts';
import { runVitest, testEnvtest } from '../test-envtest.ts';
import type { ReportedFile, TestRun } from '../test-envtest.ts';
import { affectedTests } from './affected.ts';
import {
  compareTimes,
  slownessOfFiles,
  filesOfLanding,
  hasTurn,
  nextLanding,
  overrunText,
  secondsOf,
} from './budget.ts';
import type { ChosenFile } from './budget.ts';
import { calibrationSeconds } from './calibration.ts';
import { readBudget, readFlaky, readLast, readTimes, writeFlaky, writeLast } from './data.ts';
import { filesToRepeat, flakyCases, flakyProblems, withFlaky } from './flaky.ts';
import type { FailedFile } from './flaky.ts';
import { moduleGraph } from './module-graph.ts';
import { changedSince, continues, landedHead, readSources, root } from './repository.ts';
import type { FileTime } from './times.ts';

/**
 * Records what has landed: everything that the branch has in common with the one that it follows,
 * or everything up to `HEAD` if it follows none.
 */
function begin(): number {
  const next = nextLanding(readLast(), landedHead());
  if (next === undefined) {
    console.error('this landing has begun already: commit scripts/landing/last.json with your first change');
    return 1;
  }
  writeLast(next);
  console.log(`landing ${next.turn} begins at ${next.commit}: commit scripts/landing/last.json with your first change`);
  return 0;
}

interface Affected {
  /** Files that the changes touch. */
  readonly changed: readonly string[];
  /**
   * The tests that the changes since the last landing affect, with the number of imports between;
   * all tests if its commit is not in the history of this one.
   */
  readonly steps: ReadonlyMap<string, number>;
  /** Tests with sweeps, of which this run otherwise checks a share. */
  readonly sweeps: readonly string[];
}

function affectedSinceLast(): Affected {
  const sources = readSources();
  const tests = [...sources.paths].filter((path) => path.endsWith('.test.ts'));
  const { commit } = readLast();
  const isKnown = continues(commit);
  if (!isKnown) console.log(`landing: commit ${commit} is not before this one, so all tests count as affected`);
  const changed = isKnown ? changedSince(commit) : [];
  const graph = moduleGraph(sources, changed);
  const affected = isKnown ? affectedTests(changed, tests, graph) : tests.map((path) => ({ path, steps: 0 }));
  return {
    changed,
    steps: new Map(affected.map(({ path, steps }) => [path, steps])),
    sweeps: tests.filter((path) => graph.reach(path).has('packages/testkit/src/sweep.ts')),
  };
}

/** The tests on real servers of this landing. */
async function envtests(): Promise<number> {
  const { turn } = readLast();
  const { steps, changed } = affectedSinceLast();
  const change = { affected: new Set(steps.keys()), edited: new Set(changed), landing: turn };
  const chosen = filesOfLanding(readBudget(), change);
  for (const [why, files] of Map.groupBy(chosen, (file: ChosenFile) => file.why)) {
    console.log(`${why}: ${files.length} files\n${files.map(({ path }) => `  ${path}`).join('\n')}`);
  }
  return judged(
    testEnvtest,
    chosen.flatMap(({ path, why }) => (why === 'edited, and runs only at its turn' ? [] : [path])),
  );
}

/** Sweeps at most this many imports away from a change check all their points at this landing. */
const nearSteps = 2;

/** Checks all points of the sweeps whose turn it is, and of those near a change. */
async function sweeps(): Promise<number> {
  const { steps, sweeps: all } = affectedSinceLast();
  const unit = all.filter((path) => !path.endsWith('.envtest.test.ts'));
  const { turn } = readLast();
  const chosen = unit.filter((path) => hasTurn(path, turn) || (steps.get(path) ?? Infinity) <= nearSteps);
  console.log(`all points of ${chosen.length} of ${unit.length} files with sweeps`);
  return judged((files) => runVitest('vitest.config.ts', files, { env: { SWEEPS: 'whole' } }), chosen);
}

/** Runs files of a suite, or all if none are named. */
type RunFiles = (files: readonly string[]) => Promise<TestRun>;

/**
 * Runs files, then those that failed once more, alone, if they are few; compares times with the
 * budget. Resolves to the exit code. `limit`: the allowed time of the whole run, in seconds of an
 * ordinary host.
 */
async function judged(run: RunFiles, files: readonly string[], limit = Infinity): Promise<number> {
  const before = calibrationSeconds();
  const from = performance.now();
  const first = await run(files);
  const whole = { path: 'the whole run', seconds: (performance.now() - from) / 1000 };
  const budget = readBudget();
  const times = timesOf(first);
  const loops = Math.max(before, calibrationSeconds()) / budget.loopSeconds;
  const slowness = Math.max(loops, slownessOfFiles(secondsOf(budget), times));
  console.log(`this host is ${slowness.toFixed(2)} times slower than an ordinary one`);
  const failed = first.files.filter(({ status }) => status === 'failed').map(failedFile);
  const isGreen = first.verdict.exitCode === 0 || (await passesAlone(run, failed, first.errorsOutside));
  const { warnings, failures } = compareTimes(
    { ...secondsOf(budget), [whole.path]: limit },
    [...times, whole],
    slowness,
  );
  for (const one of warnings) console.log(`warning: ${overrunText(one)}`);
  for (const one of failures) console.log(`too slow: ${overrunText(one)}`);
  console.log(first.verdict.line);
  return isGreen && failures.length === 0 ? 0 : 1;
}

/** The times of the files of a run. */
function timesOf({ files }: TestRun): readonly FileTime[] {
  const times = readTimes('envtest');
  return files.map(({ name }) => relative(root, name)).map((path) => ({ path, seconds: times[path] ?? 0 }));
}

/**
 * Whether files that failed pass alone. Their cases are then reported as flaky, and recorded in
 * `flaky.json`.
 */
async function passesAlone(run: RunFiles, failed: readonly FailedFile[], errorsOutside: number): Promise<boolean> {
  const passed = new Set<string>();
  for (const path of filesToRepeat(failed, errorsOutside)) {
    console.log(`failed, runs once more, alone: ${path}`);
    if ((await run([path])).verdict.exitCode !== 0) return false;
    passed.add(path);
  }
  const flaky = flakyCases(failed, passed);
  for (const { path, title, failure } of flaky) console.log(`flaky: ${path}: ${title}: ${failure}`);
  const list = withFlaky(readFlaky(), flaky);
  writeFlaky(list);
  if (flaky.length > 0) console.log(`flaky: scripts/landing/flaky.json lists them: commit it with the next change`);
  const problems = flakyProblems(list, new Set(list.map(({ path }) => path)));
  for (const problem of problems) console.log(problem);
  return passed.size > 0 && passed.size === failed.length && problems.length === 0;
}

function failedFile({ name, assertionResults }: ReportedFile): FailedFile {
  const cases = assertionResults.filter(({ status }) => status === 'failed');
  return {
    path: relative(root, name),
    cases: cases.map(({ title, failureMessages = [] }) => ({ title, failure: failureMessages[0] ?? '' })),
  };
}

const commands: Readonly<Record<string, () => number | Promise<number>>> = {
  begin,
  unit: () => judged((files) => runVitest('vitest.config.ts', files), [], readBudget().groups.unit),
  sweeps,
  envtest: envtests,
};

const { positionals } = scriptArguments('landing', {}, { allowPositionals: true });
const [name = '', ...more] = positionals;
const command = more.length === 0 && commands[name];
if (!command) wrongArguments('landing', `one of ${Object.keys(commands).join(', ')} is needed`);
process.exitCode = await command();
