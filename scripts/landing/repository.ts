/**
 * Reads the checkout and its history for the module graph. One of the modules that may touch the
 * world (git, files).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sources } from './module-graph.ts';

/** The root of the checkout, with a `/` at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs git in the checkout; returns its lines. Errors: git fails, with its output. */
function git(...args: readonly string[]): readonly string[] {
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return output.split('\n').filter((line) => line !== '');
}

/** Files that git tracks or would track. */
function checkoutPaths(): readonly string[] {
  const paths = git('ls-files', '--cached', '--others', '--exclude-standard');
  return paths.filter((path) => existsSync(join(root, path)));
}

/** The repository as the module graph reads it. */
export function readSources(): Sources {
  const paths = new Set(checkoutPaths());
  const texts = new Map(
    [...paths]
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
  const entries = new Map<string, string>();
  for (const path of paths) {
    if (!/^packages\/[a-z-]+\/package\.json$/.test(path)) continue;
    const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, string>>;
    };
    for (const [entry, target] of Object.entries(exports)) {
      entries.set(posix.join(name, entry), posix.join(posix.dirname(path), target));
    }
  }
  return { paths, texts, entries };
}

/**
 * Paths that differ between a commit and the working tree: changed, added, removed, and not tracked
 * yet. Errors: an unknown commit.
 */
export function changedSince(commit: string): readonly string[] {
  return [...git('diff', '--name-only', '--no-renames', commit), ...git('ls-files', '--others', '--exclude-standard')];
}

/** Whether the history of this clone has the commit. */
export function hasCommit(commit: string): boolean {
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/** The present commit of the checkout. */
export function head(): string {
  return git('rev-parse', 'HEAD')[0] ?? '';
}
