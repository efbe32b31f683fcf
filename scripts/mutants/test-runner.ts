/**
 * The runner of Vitest in a run of mutants. It repeats each test with one mutant after the other,
 * and in the end without any, in one process and with all hooks.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { RunnerTask, RunnerTestCase, TestTryOptions } from 'vitest';
import { TestRunner } from 'vitest';
import type { Line, Plan } from './protocol.ts';

declare global {
  /** Whether a mutant holds now. Called by mutated code. `differs`: whether that would change the value. */
  // oxlint-disable-next-line no-var
  var mutant: (number: number, differs?: () => boolean) => boolean;
}

/** How much longer than without a mutant a test may take before it is taken for one without an end. */
const timesLonger = 5;
const alwaysAllowedMs = 2_000;
/** How often that is looked at. */
const lookMs = 100;
const lookPasses = 1_000;

const plan = JSON.parse(readFileSync(process.env['ISTHMUS_MUTANTS'] ?? '', 'utf8')) as Plan;
const hits = new Uint8Array(plan.count);
const passed = new Uint8Array(plan.count);
let active = plan.always ?? -1;
let tested = '';
let startMs = 0;
let allowedMs = Infinity;
let passes = 0;
let alive: readonly number[] = [];
const killed = new Set<number>();

globalThis.mutant = (number, differs) => {
  passed[number] = 1;
  if (plan.phase === 'reach') {
    if (hits[number] === 0 && makesDifference(differs)) hits[number] = 1;
    return false;
  }
  passes++;
  if (passes % lookPasses === 0) endWhatHangs();
  return number === active;
};

function makesDifference(differs: (() => boolean) | undefined): boolean {
  try {
    return differs === undefined || differs();
  } catch {
    return true;
  }
}

/** Reports a test that takes too long; the process is then ended from outside. */
function endWhatHangs(): void {
  if (usedMs() - startMs <= allowedMs) return;
  allowedMs = Infinity;
  write({ kind: 'killed', mutant: active, test: tested, hangs: true });
}
setInterval(endWhatHangs, lookMs).unref();

/** The time of the processor that the thread has taken. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function write(line: Line): void {
  appendFileSync(plan.lines, `${JSON.stringify(line)}\n`);
}

const numbersIn = (marks: Uint8Array): readonly number[] => [...marks.keys()].filter((mutant) => marks[mutant] === 1);

/** Repeats every test with each mutant that it reaches. */
export default class MutantRunner extends TestRunner {
  #outside: readonly number[] = [];

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    if (test.type === 'test' && plan.phase === 'kill' && plan.always === undefined) {
      alive = (plan.tries[test.id]?.mutants ?? []).filter((mutant) => !killed.has(mutant));
      if (alive.length === 0) test.mode = 'skip';
      else test.repeats = alive.length;
    } else if (plan.always !== undefined && (killed.size > 0 || plan.tries[test.id] === undefined)) test.mode = 'skip';
    await super.onBeforeRunTask(test);
  }

  override onBeforeTryTask(test: RunnerTask, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options);
    if (plan.phase === 'reach') this.#outside = numbersIn(hits);
    startMs = usedMs();
    hits.fill(0);
    passed.fill(0);
    if (plan.phase === 'reach') return;
    const next = alive[options.repeats];
    active = plan.always ?? next ?? -1;
    tested = test.id;
    const ms = plan.tries[test.id]?.ms ?? 0;
    allowedMs = active === -1 ? Infinity : ms * timesLonger + alwaysAllowedMs;
    if (active !== -1) write({ kind: 'try', mutant: active, test: test.id });
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options);
    allowedMs = Infinity;
    const isPassed = test.result?.state === 'pass';
    if (plan.phase === 'reach') {
      const path = isAbsolute(test.file.filepath) ? relative(this.config.root, test.file.filepath) : test.file.filepath;
      const ms = usedMs() - startMs;
      write({
        kind: 'reached',
        test: test.id,
        name: test.name,
        path,
        passed: isPassed,
        ms,
        reached: numbersIn(passed),
        differing: numbersIn(hits),
        outside: this.#outside,
      });
      hits.fill(0);
    } else if (active === -1) write(isPassed ? { kind: 'ended', test: test.id } : { kind: 'spoiled', test: test.id });
    else if (!isPassed) {
      const hangs = test.result?.errors?.some(({ message }) => message.includes('timed out in')) === true;
      killed.add(active);
      write({ kind: 'killed', mutant: active, test: test.id, hangs });
    }
    if (plan.always === undefined) active = -1;
  }
}
