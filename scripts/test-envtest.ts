/**
 * `npm run test:envtest [-- vitest arguments]`: the tests against real API servers. Installs the
 * programs first (envtest/install.ts), runs vitest, and prints the number of cases run. If the
 * programs are absent and cannot be installed (no Go, no KUBEBUILDER_ASSETS), it runs nothing,
 * prints that, and succeeds. In every other case, it fails if no case ran.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '@isthmus/machinery';
import { goVersion, install } from '../envtest/install.ts';
import { slownessNow } from './landing/calibration.ts';
import { readBudget } from './landing/data.ts';
import { unlessHelp } from './script-arguments.ts';

/** The part of vitest's JSON report that is read here. */
export interface CaseCounts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  /** Cases that were skipped, each for a reason that it prints. */
  readonly numPendingTests: number;
}

/** One case of the report. */
export interface ReportedCase {
  readonly title: string;
  readonly status: string;
  readonly failureMessages?: readonly string[] | undefined;
  /** The data that the case recorded about itself. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** One file of the report. */
export interface ReportedFile {
  /** The absolute path. */
  readonly name: string;
  /** Also `failed` if the file failed outside of its cases. */
  readonly status: string;
  readonly assertionResults: readonly ReportedCase[];
}

interface Report extends CaseCounts {
  readonly testResults: readonly ReportedFile[];
}

/** The end of a run: what to print, and the exit code. */
export interface Verdict {
  readonly line: string;
  readonly exitCode: number;
}

/** Whether missing programs are a failure: only on a machine that could have installed them. */
export function verdictWithoutPrograms(input: {
  readonly goAtHand: boolean;
  readonly assets: string | undefined;
  readonly reason: string;
}): Verdict {
  return input.goAtHand || input.assets
    ? { line: input.reason, exitCode: 1 }
    : { line: `envtest: 0 cases run, for there is neither Go nor KUBEBUILDER_ASSETS. ${input.reason}`, exitCode: 0 };
}

/**
 * The verdict on a run of vitest that ended with `code`; `counts` is undefined if it wrote no
 * report.
 */
export function verdictOnRun(code: number, counts: CaseCounts | undefined, suite = 'envtest'): Verdict {
  const run = counts === undefined ? 0 : counts.numPassedTests + counts.numFailedTests;
  const failed = counts?.numFailedTests ?? 0;
  const skipped = counts?.numPendingTests ?? 0;
  return {
    line: `${suite}: ${run} cases run, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    exitCode: code !== 0 ? code : run === 0 || failed > 0 ? 1 : 0,
  };
}

/**
 * Runs vitest with a configuration of the root and these arguments. Its files share one release,
 * which the first file that needs it builds.
 */
export async function runVitest(config: string, args: readonly string[], options: RunOptions = {}): Promise<TestRun> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const directory = mkdtempSync(join(tmpdir(), 'isthmus-test-report-'));
  const report = join(directory, 'report.json');
  try {
    const program = join(root, 'node_modules/vitest/vitest.mjs');
    const vitest = spawn(process.execPath, ['--max-semi-space-size=64', program, 'run', '--config', config, ...args], {
      cwd: root,
      env: {
        ISTHMUS_SLOWNESS: slownessNow(readBudget().loopSeconds).toFixed(2),
        ISTHMUS_DIST: join(directory, 'dist'),
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
        ...process.env,
        ...options.env,
        ISTHMUS_REPORT: report,
      },
      stdio: ['inherit', options.quiet === true ? 2 : 'inherit', 'inherit'],
    });
    const code = await new Promise<number>((resolve, reject) => {
      vitest.once('error', reject);
      vitest.once('exit', (code) => resolve(code ?? 1));
    });
    const found = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report) : undefined;
    const errors = `${report}.errors`;
    const errorsOutside = existsSync(errors) ? Number(readFileSync(errors, 'utf8')) : 0;
    const files = found?.testResults ?? [];
    const cases = files.flatMap(({ assertionResults }) => assertionResults);
    const suite = config === 'vitest.envtest.config.ts' ? 'envtest' : 'npm test';
    return { verdict: verdictOnRun(code, found, suite), files, cases, errorsOutside };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export interface TestRun {
  readonly verdict: Verdict;
  readonly files: readonly ReportedFile[];
  /** In the order of the files and of their cases; empty if nothing ran. */
  readonly cases: readonly ReportedCase[];
  /** Such as rejections that nothing handles; they also make the exit code 1. */
  readonly errorsOutside: number;
}

/** How to run them. */
export interface RunOptions {
  /** Variables beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether everything is printed on standard error, because standard output has another use.
   * Default: no.
   */
  readonly quiet?: boolean | undefined;
}

/**
 * Installs the programs and runs vitest with these arguments.
 */
export async function testEnvtest(args: readonly string[], options: RunOptions = {}): Promise<TestRun> {
  try {
    await install(process.env, (line) => (options.quiet === true ? console.error : console.log)(line));
  } catch (error) {
    const verdict = verdictWithoutPrograms({
      goAtHand: (await goVersion(process.env)) !== undefined,
      assets: process.env['KUBEBUILDER_ASSETS'],
      reason: errorMessage(error),
    });
    return { verdict, files: [], cases: [], errorsOutside: 0 };
  }
  return runVitest('vitest.envtest.config.ts', args, options);
}

if (import.meta.main) {
  const { line, exitCode } = (await testEnvtest(unlessHelp('test:envtest'))).verdict;
  (exitCode === 0 ? console.log : console.error)(line);
  process.exitCode = exitCode;
}
