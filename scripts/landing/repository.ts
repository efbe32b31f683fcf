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

/** Runs git in the checkout; returns its output. Errors: git fails, with its output. */
function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

/** The paths of a list without quotation marks, which git ends with NUL. */
function gitPaths(...args: readonly string[]): readonly string[] {
  return git(...args)
    .split('\0')
    .filter((path) => path !== '');
}

/** Files that git tracks or would track. */
function checkoutPaths(): readonly string[] {
  const paths = gitPaths('ls-files', '-z', '--cached', '--others', '--exclude-standard');
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
    if (!/^packages\/[^/]+\/package\.json$/.test(path)) continue;
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
  return [
    ...gitPaths('diff', '-z', '--name-only', '--no-renames', commit),
    ...gitPaths('ls-files', '-z', '--others', '--exclude-standard'),
  ];
}

/**
 * Whether the checkout continues the commit. It does not if the history was rewritten, or this
 * clone does not have it.
 */
export function continues(commit: string): boolean {
  try {
    git('merge-base', '--is-ancestor', commit, 'HEAD');
    return true;
  } catch {
    return false;
  }
}

/**
 * The newest commit that has landed: the one that `HEAD` shares with the branch it follows, and
 * `HEAD` if it follows none.
 */
export function landedHead(): string {
  try {
    return git('merge-base', 'HEAD', '@{upstream}').trim();
  } catch {
    return git('rev-parse', 'HEAD').trim();
  }
}
