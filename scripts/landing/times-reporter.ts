/**
 * A reporter of vitest: prints the times of files and groups, and records them in `times.json`, and
 * the number of errors outside of tests beside the report, which does not contain them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';
import { groupTimes, timesText, withTimes } from './times.ts';
import type { FileTime, TimesFile } from './times.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** How many files are shown: a run of fewer prints no times. */
const shown = 20;

/** The file of the times. `ISTHMUS_TIMES` names another file. */
const timesPath = () => env['ISTHMUS_TIMES'] ?? join(root, 'times.json');

/**
 * The reporters of a suite: vitest's own output, the times, and, if `scripts/test-envtest.ts` names
 * a file, the report that it reads.
 */
export function reportersOf(suite: string): (string | [string, Record<string, unknown>] | Reporter)[] {
  const report = env['ISTHMUS_REPORT'];
  const json: [string, Record<string, unknown>][] = report === undefined ? [] : [['json', { outputFile: report }]];
  return ['default', ...json, new TimesReporter(suite, (path) => path.split('/').slice(0, 2).join('/'))];
}

/**
 * Reports the times of a suite.
 *
 * Guarantees: `times.json` has the newest time of each file, even if only some files ran. The text
 * is printed only if more files ran than it shows.
 */
class TimesReporter implements Reporter {
  readonly #suite: string;
  readonly #groupOf: (path: string) => string;

  constructor(suite: string, groupOf: (path: string) => string) {
    this.#suite = suite;
    this.#groupOf = groupOf;
  }

  onTestRunEnd(modules: readonly TestModule[], errorsOutside: readonly unknown[]): void {
    const report = env['ISTHMUS_REPORT'];
    if (report !== undefined) writeFileSync(`${report}.errors`, String(errorsOutside.length));
    const files = modules.map(timeOf);
    const before = existsSync(timesPath()) ? (JSON.parse(readFileSync(timesPath(), 'utf8')) as TimesFile) : {};
    writeFileSync(timesPath(), `${JSON.stringify(withTimes(before, this.#suite, files), undefined, 2)}\n`);
    if (files.length <= shown) return;
    console.log(timesText(files, groupTimes(files, this.#groupOf), shown).join('\n'));
  }
}

function timeOf(module: TestModule): FileTime {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const seconds = Math.round(collectDuration + setupDuration + duration) / 1000;
  return { path: relative(root, module.moduleId), seconds };
}
