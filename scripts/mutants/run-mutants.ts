/** Runs the tests of a copy with its mutants, in a process of their own. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Line, Plan, Tries } from './protocol.ts';

/** A test that ran without a mutant. */
export type ReachedTest = Extract<Line, { kind: 'reached' }>;

export interface Reach {
  readonly tests: readonly ReachedTest[];
  /** Mutants that are evaluated outside of tests, such as when modules are loaded. */
  readonly outside: ReadonlySet<number>;
}

/** What a file of tests may take before it is ended: it catches what hangs. */
const wholeMs = 900_000;
/** The limit of a test with a mutant, if nothing else ends it. */
const tryMs = 20_000;
/** Short tests are tried before longer ones: these are the limits. */
const rounds = [50, 300, 3_000];
const pollMs = 200;

export interface MutantRun {
  readonly root: string;
  readonly count: number;
  readonly report: (text: string) => void;
}

/** Which mutants each test reaches. */
export async function findReach(run: MutantRun, files: readonly string[]): Promise<Reach> {
  const { lines } = await runTests(run, { phase: 'reach', tries: {} }, files, wholeMs);
  const tests = lines.filter((line) => line.kind === 'reached');
  return { tests, outside: new Set(tests.flatMap(({ outside }) => outside)) };
}

/** The mutants that a test notices. `all`: by the ids of the tests. */
export async function findKilled(
  run: MutantRun,
  all: ReadonlyMap<string, Tries>,
  files: readonly string[],
): Promise<ReadonlySet<number>> {
  const killers = new Map<number, string>();
  const spoiled = new Set<string>();
  const tries = new Map(all);
  for (const limitMs of rounds) {
    const round = [...tries].filter(([, { ms }]) => ms <= limitMs);
    const left = new Map(round.map(([test, { mutants, ms }]) => [test, { mutants: [...mutants], ms }]));
    for (const [test] of round) tries.delete(test);
    for (;;) {
      for (const one of left.values()) one.mutants = one.mutants.filter((mutant) => !killers.has(mutant));
      const open = [...left].filter(([, { mutants }]) => mutants.length > 0);
      if (open.length === 0) break;
      const { lines, hung } = await runTests(run, { phase: 'kill', tries: Object.fromEntries(open) }, files, tryMs);
      for (const line of lines) {
        const one = line.kind === 'reached' ? undefined : left.get(line.test);
        if (line.kind === 'killed') killers.set(line.mutant, line.test);
        if (line.kind === 'spoiled') spoiled.add(line.test);
        if (line.kind === 'ended' || line.kind === 'spoiled') left.delete(line.test);
        if (line.kind === 'try' && one !== undefined) {
          one.mutants = one.mutants.filter((mutant) => mutant !== line.mutant);
        }
      }
      if (hung === undefined) break;
      killers.set(hung.mutant, hung.test);
    }
    run.report(`  ${killers.size} mutants are killed by tests of up to ${limitMs} ms`);
  }
  for (const test of spoiled) run.report(`  ${test} cannot be repeated after a mutant, and does not count`);
  return new Set([...killers].filter(([, test]) => !spoiled.has(test)).map(([mutant]) => mutant));
}

/** Whether a test notices a mutant that holds while modules are loaded. */
export async function isNoticed(
  run: MutantRun,
  always: number,
  tests: readonly ReachedTest[],
  files: readonly string[],
): Promise<boolean> {
  const tries = Object.fromEntries(tests.map(({ test, ms }) => [test, { mutants: [], ms }]));
  const { hung, failed } = await runTests(run, { phase: 'kill', always, tries }, files, tryMs);
  return failed || hung !== undefined;
}

async function runTests(
  { root, count }: MutantRun,
  rest: Pick<Plan, 'phase' | 'tries' | 'always'>,
  files: readonly string[],
  limitMs: number,
): Promise<{ lines: readonly Line[]; hung: Extract<Line, { kind: 'try' }> | undefined; failed: boolean }> {
  const [planFile, lines] = [join(root, 'plan.json'), join(root, 'lines.jsonl')];
  const plan: Plan = { ...rest, count, lines };
  writeFileSync(planFile, JSON.stringify(plan));
  writeFileSync(lines, '');
  const child = spawn(
    process.execPath,
    [join(root, 'scripts/mutants/run-tests.ts'), root, planFile, String(limitMs), ...files],
    {
      cwd: root,
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, '.compiled'), NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'ignore', process.env['MUTANTS_DEBUG'] === undefined ? 'ignore' : 'inherit'],
    },
  );
  const ended = new Promise<number | null>((resolve, reject) => child.once('exit', resolve).once('error', reject));
  const written = (): readonly Line[] =>
    readFileSync(lines, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  let seen = -1;
  let last: Line | undefined;
  let sinceMs = performance.now();
  let code: number | null | undefined;
  for (;;) {
    code = await Promise.race([ended, sleep(pollMs).then(() => undefined)]);
    if (code !== undefined) break;
    const { length } = readFileSync(lines);
    if (length !== seen) {
      [seen, sinceMs] = [length, performance.now()];
      last = written().at(-1);
    }
    const hangs = last?.kind === 'try' && performance.now() - sinceMs > 2 * tryMs;
    // What timed out may still be running, with whatever mutant comes next.
    if (hangs || (last?.kind === 'killed' && last.hangs)) {
      child.kill('SIGKILL');
      await ended;
      break;
    }
  }
  const all = written();
  rmSync(lines);
  const end = all.at(-1);
  const hung = code === undefined && end?.kind === 'try' ? end : undefined;
  const stopped = code === undefined && end?.kind === 'killed' ? { ...end, kind: 'try' as const } : undefined;
  return { lines: all, hung: hung ?? stopped, failed: code !== 0 };
}
