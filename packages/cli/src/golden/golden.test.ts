import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { rootCommand } from '../root-command.ts';
import { isthmusVersion } from '../version/version.ts';
import { inputFiles } from './testing/input-files.ts';
import {
  bundleAndPlanLines,
  checkLines,
  checkPlanLine,
  explainedStep,
  mistakenLines,
  otherLines,
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
    const recorded = await record([...lines, ...otherLines]);
    // A release changes nothing but this.
    await expect(recorded.replaceAll(isthmusVersion, '<version>')).toMatchFileSnapshot(golden('help'));
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
    const lines = spec.steps.map(({ id }) => explainedStep(id));
    await expect(await record([...lines, checkPlanLine], files)).toMatchFileSnapshot(golden('explained-plan'));
  });
});

describe('every command', () => {
  const here = fileURLToPath(new URL('.', import.meta.url));
  // The lines, not the files with their output: a run that records a new command has written none
  // of them yet.
  const without = (lines: readonly string[]) =>
    commandsOf(rootCommand).filter((command) => !lines.some((line) => `${line} `.startsWith(`${command} `)));

  it('has a line whose output is recorded, beside its help and its mistakes', () => {
    const lines = [...bundleAndPlanLines, ...checkLines, ...otherLines, explainedStep('1.1')];
    const todo = 'add a command line of the command to golden/testing/lines.ts, or its test to recordedElsewhere';
    expect(without(lines), todo).toEqual(Object.keys(recordedElsewhere));
    const absent = Object.values(recordedElsewhere).filter((path) => !existsSync(`${here}/../${path}`));
    expect(absent).toEqual([]);
  });

  it('has a line with a typical mistake', () => {
    expect(without(mistakenLines), 'add a wrong line of the command to mistakenLines').toEqual([]);
  });
});
