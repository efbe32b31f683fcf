/** The files of data beside this one. One of the modules that may touch the world (files). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Budget } from './budget.ts';
import type { FlakyCase } from './flaky.ts';
import { root } from './repository.ts';
import type { TimesFile } from './times.ts';

/** The landing before this one. */
interface LastLanding {
  /** Counts landings. */
  readonly turn: number;
  /** The last landed commit when the work on this landing began. */
  readonly commit: string;
}

const folder = 'scripts/landing';

function read<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
}

function write(path: string, content: unknown): void {
  writeFileSync(join(root, path), `${JSON.stringify(content, undefined, 2)}\n`);
}

export const readBudget = (): Budget => read(`${folder}/budget.json`);
export const readLast = (): LastLanding => read(`${folder}/last.json`);
export const writeLast = (last: LastLanding): void => write(`${folder}/last.json`, last);
export const readFlaky = (): readonly FlakyCase[] => read(`${folder}/flaky.json`);
export const writeFlaky = (list: readonly FlakyCase[]): void => write(`${folder}/flaky.json`, list);

/** The newest times of the files of a suite in this checkout; empty if none has run. */
export function readTimes(suite: 'unit' | 'envtest'): Readonly<Record<string, number>> {
  return existsSync(join(root, 'times.json')) ? (read<TimesFile>('times.json')[suite] ?? {}) : {};
}
