/**
 * `npm run test:envtest [-- vitest arguments]`: the tests against real API servers. Gets the programs first (envtest/install.ts), runs
 * vitest, and prints the number of cases run. Where the programs are absent and cannot be had (no Go, no KUBEBUILDER_ASSETS) it runs
 * nothing, says so, and succeeds; in every other case, no case run is a failure.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goVersion, install } from '../envtest/install.ts';

/** The part of vitest's JSON report that is read here. */
export interface CaseCounts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

/** The end of a run: what to print, and the exit code. */
export interface Verdict {
  readonly line: string;
  readonly exitCode: number;
}

/** Whether missing programs are a failure: only a machine that could have had them fails. */
export function verdictWithoutPrograms(input: {
  readonly goAtHand: boolean;
  readonly assets: string | undefined;
  readonly reason: string;
}): Verdict {
  return input.goAtHand || input.assets
    ? { line: input.reason, exitCode: 1 }
    : { line: `envtest: 0 cases run, for there is neither Go nor KUBEBUILDER_ASSETS. ${input.reason}`, exitCode: 0 };
}

/** The verdict on a run of vitest that ended with `code`; `counts` is undefined where it wrote no report. */
export function verdictOnRun(code: number, counts: CaseCounts | undefined): Verdict {
  const run = counts === undefined ? 0 : counts.numPassedTests + counts.numFailedTests;
  const failed = counts?.numFailedTests ?? 0;
  return {
    line: `envtest: ${run} cases run, ${failed} failed`,
    exitCode: code !== 0 ? code : run === 0 || failed > 0 ? 1 : 0,
  };
}

async function runVitest(args: readonly string[]): Promise<Verdict> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const directory = mkdtempSync(join(tmpdir(), 'isthmus-envtest-report-'));
  const report = join(directory, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const vitest = spawn(
      process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--config',
        'vitest.envtest.config.ts',
        ...reporters,
        ...args,
      ],
      { cwd: root, stdio: 'inherit' },
    );
    const code = await new Promise<number>((resolve, reject) => {
      vitest.once('error', reject);
      vitest.once('exit', (code) => resolve(code ?? 1));
    });
    const counts = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as CaseCounts) : undefined;
    return verdictOnRun(code, counts);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function main(): Promise<Verdict> {
  try {
    await install(process.env, (line) => console.log(line));
  } catch (error) {
    return verdictWithoutPrograms({
      goAtHand: (await goVersion(process.env)) !== undefined,
      assets: process.env['KUBEBUILDER_ASSETS'],
      reason: error instanceof Error ? error.message : String(error),
    });
  }
  return runVitest(process.argv.slice(2));
}

if (import.meta.main) {
  const { line, exitCode } = await main();
  (exitCode === 0 ? console.log : console.error)(line);
  process.exitCode = exitCode;
}
