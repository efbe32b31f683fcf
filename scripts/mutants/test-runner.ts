/**
 * The runner of Vitest in a run of mutants. It repeats each test with one mutant after the other,
 * and in the end without any, in one process and with all hooks.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { RunnerTask, RunnerTestCase, SerializedConfig, TestTryOptions } from 'vitest';
import { TestRunner } from 'vitest';
import type { Line, Plan } from './protocol.ts';

declare global {
  /** Whether a mutant holds now. Mutated code asks. `differs`: whether that changes the value. */
  // oxlint-disable-next-line no-var
  var mutant: (number: number, differs?: () => boolean) => boolean;
  /** What all files of tests in one process share. */
  // oxlint-disable-next-line no-var
  var mutantSwitch: MutantSwitch | undefined;
}

/** How much longer than without a mutant a test may take before it counts as one without an end. */
const timesLonger = 5;
const alwaysAllowedMs = 2_000;
/** How often that is looked at. */
const lookMs = 100;
const lookPasses = 1_000;

/** Which mutant holds, and what is reached. */
class MutantSwitch {
  readonly plan: Plan;
  readonly killed = new Set<number>();
  readonly differing: Uint8Array;
  readonly reached: Uint8Array;
  active: number;
  alive: readonly number[] = [];
  startMs = 0;
  #tested = '';
  #allowedMs = Infinity;
  #passes = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.differing = new Uint8Array(plan.count);
    this.reached = new Uint8Array(plan.count);
    this.active = plan.always ?? -1;
    setInterval(() => this.#endWhatHangs(), lookMs).unref();
  }

  holds(number: number, differs: (() => boolean) | undefined): boolean {
    this.reached[number] = 1;
    if (this.plan.phase === 'reach') {
      if (this.differing[number] === 0 && makesDifference(differs)) this.differing[number] = 1;
      return false;
    }
    this.#passes++;
    if (this.#passes % lookPasses === 0) this.#endWhatHangs();
    return number === this.active;
  }

  begin(test: string): void {
    this.startMs = usedMs();
    this.differing.fill(0);
    this.reached.fill(0);
    this.#tested = test;
    const ms = this.plan.tries[test]?.ms ?? 0;
    this.#allowedMs = this.active === -1 ? Infinity : ms * timesLonger + alwaysAllowedMs;
  }

  end(): void {
    this.#allowedMs = Infinity;
  }

  write(line: Line): void {
    appendFileSync(this.plan.lines, `${JSON.stringify(line)}\n`);
  }

  /** Reports a test that takes too long; the process is then ended from outside. */
  #endWhatHangs(): void {
    if (usedMs() - this.startMs <= this.#allowedMs) return;
    this.end();
    this.write({ kind: 'killed', mutant: this.active, test: this.#tested, hangs: true });
  }
}

function makesDifference(differs: (() => boolean) | undefined): boolean {
  try {
    return differs === undefined || differs();
  } catch {
    return true;
  }
}

/** The time of the processor that the thread has taken. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function sharedSwitch(): MutantSwitch {
  if (globalThis.mutantSwitch === undefined) {
    const plan = JSON.parse(readFileSync(process.env['ISTHMUS_MUTANTS'] ?? '', 'utf8')) as Plan;
    const made = new MutantSwitch(plan);
    globalThis.mutantSwitch = made;
    globalThis.mutant = (number, differs) => made.holds(number, differs);
  }
  return globalThis.mutantSwitch;
}

const numbersIn = (marks: Uint8Array): readonly number[] => [...marks.keys()].filter((number) => marks[number] === 1);

/** Repeats every test with each mutant that it reaches. */
export default class MutantRunner extends TestRunner {
  readonly #switch: MutantSwitch;
  #outside: readonly number[] = [];

  constructor(config: SerializedConfig) {
    super(config);
    this.#switch = sharedSwitch();
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    const { plan, killed } = this.#switch;
    if (test.type === 'test' && plan.phase === 'kill' && plan.always === undefined) {
      const alive = (plan.tries[test.id]?.mutants ?? []).filter((mutant) => !killed.has(mutant));
      this.#switch.alive = alive;
      if (alive.length === 0) test.mode = 'skip';
      else test.repeats = alive.length;
    } else if (plan.always !== undefined && (killed.size > 0 || plan.tries[test.id] === undefined)) test.mode = 'skip';
    await super.onBeforeRunTask(test);
  }

  override onBeforeTryTask(test: RunnerTask, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options);
    const { plan, alive, differing } = this.#switch;
    if (plan.phase === 'reach') this.#outside = numbersIn(differing);
    else this.#switch.active = plan.always ?? alive[options.repeats] ?? -1;
    this.#switch.begin(test.id);
    const { active } = this.#switch;
    if (active !== -1) this.#switch.write({ kind: 'try', mutant: active, test: test.id });
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options);
    this.#switch.end();
    const { plan, active, killed } = this.#switch;
    const passed = test.result?.state === 'pass';
    if (plan.phase === 'reach') this.#writeReach(test, passed);
    else if (active === -1) this.#switch.write({ kind: passed ? 'ended' : 'spoiled', test: test.id });
    else if (!passed) {
      const hangs = test.result?.errors?.some(({ message }) => message.includes('timed out in')) === true;
      killed.add(active);
      this.#switch.write({ kind: 'killed', mutant: active, test: test.id, hangs });
    }
    if (plan.always === undefined) this.#switch.active = -1;
  }

  #writeReach(test: RunnerTestCase, passed: boolean): void {
    const { startMs, reached, differing } = this.#switch;
    const { filepath } = test.file;
    this.#switch.write({
      kind: 'reached',
      test: test.id,
      name: test.name,
      path: isAbsolute(filepath) ? relative(this.config.root, filepath) : filepath,
      passed,
      ms: usedMs() - startMs,
      reached: numbersIn(reached),
      differing: numbersIn(differing),
      outside: this.#outside,
    });
    differing.fill(0);
  }
}
