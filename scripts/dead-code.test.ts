import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * The names that one of the two steps of `npm run check` complains of in a repository of these
 * files.
 */
function complaints(files: Readonly<Record<string, string>>, args: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-dead-code-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const manifests = Object.fromEntries(
    ['machinery', 'kube', 'cli'].map((name) => [
      `packages/${name}/package.json`,
      JSON.stringify({ name: `@isthmus/${name}`, type: 'module', exports: { '.': './src/index.ts' } }),
    ]),
  );
  const all = { 'package.json': JSON.stringify({ name: 'x', workspaces: ['packages/*'] }), ...manifests, ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, 'node_modules/@isthmus'), { recursive: true });
  for (const name of ['machinery', 'kube']) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@isthmus', name));
  }
  for (const config of ['knip.jsonc', 'knip.shipped.jsonc']) cpSync(join(root, config), join(folder, config));
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/knip/bin/knip.js'), '--no-progress', '--reporter', 'json', ...args],
    { cwd: folder, encoding: 'utf8' },
  );
  const { issues } = JSON.parse(stdout) as {
    readonly issues: readonly Readonly<Record<'files' | 'exports' | 'types', readonly { readonly name: string }[]>>[];
  };
  const names = issues.flatMap((one) => [...(one.exports ?? []), ...(one.types ?? [])].map(({ name }) => name));
  return [...new Set(names)].toSorted();
}

const repository = {
  'packages/machinery/src/names.ts':
    'export const used = 1;\nexport const tested = 2;\nexport const offered = 3;\nexport interface Offered {}\nexport const inner = 4;\n',
  'packages/machinery/src/index.ts':
    "export { used, offered } from './names.ts';\nexport type { Offered } from './names.ts';\n",
  'packages/machinery/src/names.test.ts': "import { tested } from './names.ts';\nconsole.log(tested);\n",
  'packages/kube/src/index.ts': 'export const forOthers = 1;\n',
  'packages/cli/src/main.ts':
    "import { used } from '@isthmus/machinery';\nimport '@isthmus/kube';\nconsole.log(used);\n",
  'packages/cli/src/index.ts': '',
  'packages/cli/bin/isthmus.js': "import '../src/main.ts';\n",
};

it('an exported name that no other file imports fails the check, one in an index too; kube offers names to others', () => {
  expect(complaints(repository, ['--include', 'exports,types'])).toEqual(['Offered', 'inner', 'offered']);
});

it('an exported name that only a test imports fails the check', () => {
  expect(complaints(repository, ['--production', '-c', 'knip.shipped.jsonc', '--include', 'exports,types'])).toEqual([
    'inner',
    'tested',
  ]);
});
