/**
 * `node scripts/release/previous/record.ts COMMIT [CHART-COMMIT]`: records an earlier version of
 * Isthmus in `fixtures`: its manifests, its chart, and the objects of a fleet in which Services are
 * exported and imported, as its own controllers and sandbox write them. `CHART-COMMIT`: the commit
 * of the chart, if COMMIT has none. README.md describes when to run it.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printYamlDocuments } from '@isthmus/machinery';
import { checkOutEarlier } from '../../../bench/swaps/earlier-checkout.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const here = fileURLToPath(new URL('fixtures', import.meta.url));
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });

/** The files of a commit below a folder, by their path in it. */
function filesOf(commit: string, folder: string): ReadonlyMap<string, string> {
  const paths = git('ls-tree', '-r', '--name-only', commit, `${folder}/`).split('\n').filter(Boolean);
  return new Map(paths.map((path) => [path.slice(folder.length + 1), git('show', `${commit}:${path}`)]));
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(here, path)), { recursive: true });
  writeFileSync(join(here, path), text);
  console.log(`scripts/release/previous/fixtures/${path}`);
}

/**
 * The objects of a fleet of that version, by cluster: a program of this folder, with the packages
 * of that checkout.
 */
function recordObjects(checkout: string): Readonly<Record<string, readonly unknown[]>> {
  const folder = join(checkout, 'scripts/release/previous');
  mkdirSync(folder, { recursive: true });
  const files = ['record-objects.ts', 'fleet.ts'].map((name) => join(here, '..', name));
  for (const file of files) copyFileSync(file, join(folder, basename(file)));
  const printed = execFileSync(process.execPath, [join(folder, 'record-objects.ts')], { maxBuffer: 2 ** 28 });
  return JSON.parse(printed.toString()) as Readonly<Record<string, readonly unknown[]>>;
}

async function main([commit = '', chartCommit = commit]: readonly string[]): Promise<number> {
  await using checkout = commit === '' ? undefined : await checkOutEarlier(commit);
  if (checkout === undefined) {
    console.error('usage: node scripts/release/previous/record.ts COMMIT [CHART-COMMIT], with commits of this clone');
    return 2;
  }
  const chart = filesOf(chartCommit, 'deploy/charts/isthmus');
  if (chart.size === 0) {
    console.error(`${chartCommit} has no chart: name a commit that has one as the second argument`);
    return 1;
  }
  const objects = recordObjects(checkout.path);
  rmSync(here, { recursive: true, force: true });
  for (const role of ['leader', 'member'])
    put(`manifests/${role}.yaml`, readFileSync(join(checkout.path, `deploy/${role}.yaml`), 'utf8'));
  for (const [path, text] of chart) put(`chart/${path}`, text);
  for (const [cluster, all] of Object.entries(objects)) put(`objects/${cluster}.yaml`, printYamlDocuments(all));
  const { version } = JSON.parse(git('show', `${commit}:package.json`)) as { readonly version: string };
  const hash = (one: string) => git('rev-parse', `${one}^{commit}`).trim();
  put(
    'previous.json',
    `${JSON.stringify({ version, commit: hash(commit), chartCommit: hash(chartCommit) }, undefined, 2)}\n`,
  );
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
