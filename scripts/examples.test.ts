import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { examplesIn, promised } from './readme-examples.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const resolve = createRequire(`${root}packages/cli/package.json`).resolve;

/**
 * Runs an example as a module of its own, with the packages of this repository, and gives what it
 * prints, a text per line.
 */
async function run(example: string): Promise<readonly string[]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const code = stripTypeScriptTypes(example).replaceAll(
      /(from )'(@isthmus\/[\w/-]+)'/g,
      (_, from: string, name: string) => `${from}'${pathToFileURL(resolve(name)).href}'`,
    );
    await import(`data:text/javascript,${encodeURIComponent(code)}`);
    return log.mock.calls.map((values) =>
      values.map((value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '),
    );
  } finally {
    log.mockRestore();
  }
}

describe('the programs of examples', () => {
  it.each(globSync('examples/*.ts', { cwd: root }))('print what they promise: %s', async (path) => {
    const text = readFileSync(root + path, 'utf8');
    const { stdout } = await promisify(execFile)(process.execPath, [root + path]);
    expect(promised(text)).not.toEqual([]);
    expect(stdout.trimEnd().split('\n')).toEqual(promised(text));
  });
});

describe('the README of a package', () => {
  const packages = globSync('packages/*/package.json', { cwd: root })
    .map((path) => path.replace('/package.json', ''))
    .toSorted();

  it.each(packages)('has an example that prints what it promises: %s', async (folder) => {
    const example = examplesIn(readFileSync(`${root}${folder}/README.md`, 'utf8'))[0] ?? '';
    expect(promised(example)).not.toEqual([]);
    expect(await run(example)).toEqual(promised(example));
  });

  it.each(packages)('has a line for each folder: %s', (folder) => {
    const page = readFileSync(`${root}${folder}/README.md`, 'utf8');
    const folders = globSync('*/', { cwd: `${root}${folder}/src` })
      .filter((name) => !name.includes('.'))
      .map((name) => name.replace(/\/$/, ''));
    const named = [...page.matchAll(/^\| `([\w-]+)\/`/gm)].map((match) => match[1] ?? '');
    expect(named.toSorted()).toEqual(folders.toSorted());
  });
});
