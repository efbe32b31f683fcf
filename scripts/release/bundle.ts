import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { RolldownOutput } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A program or a library as one folder. */
export interface Bundle {
  /** The name of the file to run or to import, in that folder. */
  readonly entry: string;
  /**
   * The npm packages whose code is in it: the folder of each, below `node_modules` of the checkout.
   */
  readonly packages: readonly string[];
}

/**
 * Bundles the command into `folder`, a file for each part that is loaded alone. One file for
 * everything would have Node compile the sandbox and the rules of upgrades at each start of a
 * controller. Without comments and indentation: Node keeps the text of what it runs in memory. The
 * same sources give the same bytes. `checkout`: default this one.
 */
export async function bundleInto(folder: string, checkout = root): Promise<Bundle> {
  const bundle = await rolldown({
    input: join(checkout, 'packages/cli/src/main.ts'),
    cwd: checkout,
    platform: 'node',
    // The oldest Node that the package runs on.
    transform: { target: 'node22' },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: entry,
    chunkFileNames: '[name]-[hash].mjs',
    // Names stay, for stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  await Promise.all((await readdir(folder)).map((name) => inAscii(join(folder, name))));
  return { entry, packages: packagesOf(modulesOf(output)) };
}

/**
 * Bundles a library into `folder`, as {@link bundleInto} but with line breaks for readers. `entry`:
 * the module with its exports, from the root. The packages of `external` are imported, and nothing
 * of them is in the bundle.
 */
export async function bundleLibraryInto(
  folder: string,
  library: { readonly entry: string; readonly external: readonly string[] },
): Promise<Bundle> {
  const bundle = await rolldown({
    input: join(root, library.entry),
    cwd: root,
    platform: 'node',
    external: [...library.external],
    transform: { target: 'node22' },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: libraryEntry,
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  return { entry: libraryEntry, packages: packagesOf(modulesOf(output)) };
}

const entry = 'isthmus.mjs';
const libraryEntry = 'index.js';

const modulesOf = (output: RolldownOutput['output']): readonly string[] =>
  output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));

/**
 * The packages that modules are from, by the paths of the modules. Modules of the checkout are not
 * from a package.
 */
function packagesOf(modules: readonly string[]): readonly string[] {
  const found = modules.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(found)].toSorted();
}

/**
 * Escapes all other characters: Node keeps two bytes for each character of a file that is not
 * ASCII.
 */
async function inAscii(path: string): Promise<void> {
  const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/[^\0-\x7f]/g, escaped));
}
