import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { rootCommand } from '../root-command.ts';
import { inputFiles } from './testing/input-files.ts';
import {
  bundleAndPlanLines,
  checkLines,
  checkPlanLine,
  mistakenLines,
  planLine,
  recordedElsewhere,
} from './testing/lines.ts';
import type { Files } from './testing/record.ts';
import { commandsOf, pathsOf, record, run } from './testing/record.ts';

const golden = (name: string) => fileURLToPath(new URL(`${name}.yaml`, import.meta.url));

describe('what commands print, and what they end with, is as recorded', () => {
  let files: Files = inputFiles;
  beforeAll(async () => {
    files = { ...inputFiles, 'plan.json': (await run(planLine, inputFiles)).out };
  });

  it('for --help of every command', async () => {
    const lines = pathsOf(rootCommand).flatMap((path) => (path === '' ? ['', '--help'] : [`${path} --help`]));
    await expect(await record([...lines, '--version', 'version', 'version --json'])).toMatchFileSnapshot(
      golden('help'),
    );
  });

  it.each([
    ['bundles-and-plans', bundleAndPlanLines],
    ['checks', checkLines],
    ['mistakes', mistakenLines],
  ])('for the lines of %s', async (name, lines) => {
    await expect(await record(lines, files)).toMatchFileSnapshot(golden(name));
  });

  it('for each step of a plan that is explained, and a plan that is checked', async () => {
    const { spec } = JSON.parse(files['plan.json'] ?? '{}') as { spec: { steps: readonly { id: string }[] } };
    const lines = spec.steps.map(({ id }) => `upgrade explain plan.json ${id}`);
    await expect(await record([...lines, checkPlanLine], files)).toMatchFileSnapshot(golden('explained-plan'));
  });
});

describe('every command', () => {
  const here = fileURLToPath(new URL('.', import.meta.url));
  /** The lines of a recorded file. */
  const linesOf = (path: string) =>
    [...readFileSync(path, 'utf8').matchAll(/^command: '?isthmus ([^'\n]*)/gm)].map(([, line = '']) => line);

  it('has a line whose output is recorded, beside its help and its mistakes', () => {
    const files = globSync('*.yaml', { cwd: here }).filter((name) => name !== 'mistakes.yaml');
    const lines = files.flatMap((name) => linesOf(`${here}/${name}`)).filter((line) => !line.includes('--help'));
    const missing = commandsOf(rootCommand).filter(
      (command) => !lines.some((line) => `${line} `.startsWith(`${command} `)),
    );
    expect(missing).toEqual(Object.keys(recordedElsewhere));
    const absent = Object.values(recordedElsewhere).filter((path) => !existsSync(`${here}/../${path}`));
    expect(absent).toEqual([]);
  });

  it('has a line with a typical mistake', () => {
    const lines = linesOf(golden('mistakes'));
    const missing = commandsOf(rootCommand).filter(
      (command) => !lines.some((line) => `${line} `.startsWith(`${command} `)),
    );
    expect(missing).toEqual([]);
  });
});
