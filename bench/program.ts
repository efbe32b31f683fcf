import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleInto } from '../scripts/release/bundle.ts';

/** The `isthmus` command as it is measured: bundled, as in an image. */
export interface Program extends AsyncDisposable {
  readonly path: string;
  /** The size of all files together. */
  readonly bytes: number;
}

/**
 * Bundles the command as a release has it. Removed when it is disposed. `checkout`: default this
 * one.
 */
export async function bundleProgram(checkout?: string): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'isthmus-bench-program-'));
  const { entry } = await bundleInto(directory, checkout);
  const sizes = await Promise.all((await readdir(directory)).map((name) => stat(join(directory, name))));
  return {
    path: join(directory, entry),
    bytes: sizes.reduce((total, { size }) => total + size, 0),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The command as it is in the checkout, its types stripped at each start. */
export const sourceProgram = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));

/**
 * Where the launcher of the checkout (packages/cli/bin) has Node keep what it made of the sources.
 */
export const launcherCache = fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url));
