/**
 * `npm run generate`: writes every file that is derived from definitions, and removes those that no
 * longer are. `npm run generate -- --check` changes nothing, names each stale file and fails if
 * there is one.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliGenerator } from './generate/cli.ts';
import { coverageGenerator } from './generate/coverage-pages.ts';
import { crdRulesGenerator } from './generate/crd-rules.ts';
import { crdGenerator } from './generate/crds.ts';
import { staleFiles } from './generate/generator.ts';
import type { Generator } from './generate/generator.ts';
import { exchangesGenerator } from './generate/exchanges.ts';
import { libraryReportsGenerator } from './generate/library-reports.ts';
import { kustomizeGenerator } from './generate/kustomize.ts';
import { metricsGenerator } from './generate/metrics.ts';
import { rbacGenerator } from './generate/rbac.ts';
import { referenceGenerator } from './generate/reference.ts';
import { sandboxKindsGenerator } from './generate/sandbox-kinds.ts';
import { troubleshootingGenerator } from './generate/troubleshooting.ts';
import { upgradePagesGenerator } from './generate/upgrade-pages.ts';
import { repositoryVersion } from './generate/repository-version.ts';
import { dockerfileGenerator } from './release/image/dockerfile.ts';
import { declarationsOf } from './release/libraries/declarations.ts';
import { libraries } from './release/libraries/library.ts';
import { scriptArguments } from './script-arguments.ts';

const { check } = scriptArguments('generate', { check: { type: 'boolean', default: false } }).values;
const root = fileURLToPath(new URL('..', import.meta.url));
const textsOf = (paths: readonly string[]) =>
  new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

/**
 * A new generator is one more line here; its paths must lie below deploy/, docs/ or
 * multicluster/build/.
 */
const generators: readonly Generator[] = [
  crdGenerator,
  metricsGenerator,
  referenceGenerator,
  troubleshootingGenerator,
  exchangesGenerator,
  rbacGenerator,
  kustomizeGenerator,
  cliGenerator,
  upgradePagesGenerator,
  crdRulesGenerator,
  dockerfileGenerator,
  sandboxKindsGenerator,
  libraryReportsGenerator(await declarationsOf(libraries), repositoryVersion()),
  coverageGenerator(textsOf(globSync('docs/coverage/*.yaml', { cwd: root }))),
];

const paths = globSync(['deploy/**/*', 'docs/**/*', 'multicluster/build/**/*'], { cwd: root }).filter((path) =>
  generators.some((one) => one.owns(path)),
);
const existing = textsOf(paths);
const stale = staleFiles(generators, existing);

for (const { path, text, why, generator } of stale) {
  console.log(`${path}: ${why} (${generator})`);
  if (check) continue;
  const file = join(root, path);
  if (text === undefined) rmSync(file);
  else {
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
if (check && stale.length > 0) {
  console.log(`${stale.length} generated file(s) are stale: run 'npm run generate'`);
  process.exitCode = 1;
} else if (!check) {
  console.log(stale.length === 0 ? 'generate: nothing to do' : `generate: ${stale.length} file(s) brought up to date`);
}
