import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** The `isthmus` command as it is measured: bundled, as in an image. */
export interface Program extends AsyncDisposable {
  readonly path: string;
  /** Of all files. */
  readonly bytes: number;
}

/**
 * Bundles the command into one folder, a file for each part that is loaded alone. One file for everything would have Node compile the sandbox and
 * the rules of upgrades at each start of a controller. Without comments and indentation: Node keeps the text of what it runs in memory. Removed when
 * it is disposed. `checkout`: default this one.
 */
export async function bundleProgram(checkout = root): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'isthmus-bench-program-'));
  const bundle = await rolldown({ input: join(checkout, 'packages/cli/src/main.ts'), cwd: checkout, platform: 'node' });
  await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: 'isthmus.mjs',
    chunkFileNames: '[name]-[hash].mjs',
    // Names stay, for stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  await Promise.all((await readdir(directory)).map((name) => inAscii(join(directory, name))));
  const sizes = await Promise.all((await readdir(directory)).map((name) => stat(join(directory, name))));
  return {
    path: join(directory, 'isthmus.mjs'),
    bytes: sizes.reduce((total, { size }) => total + size, 0),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Of a file with other characters Node keeps two bytes for each. */
async function inAscii(path: string): Promise<void> {
  const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/[^\0-\x7f]/g, escaped));
}

/** The command as it stands in the checkout, its types stripped at each start. */
export const sourceProgram = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));

const root = fileURLToPath(new URL('..', import.meta.url));
