import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The `isthmus` command as one folder. */
export interface Bundle {
  /** The name of the file to run, in that folder. */
  readonly entry: string;
  /** The npm packages whose code is in it: the folder of each, below `node_modules` of the checkout. */
  readonly packages: readonly string[];
}

/**
 * Bundles the command into `folder`, a file for each part that is loaded alone. One file for everything would have Node compile the sandbox and
 * the rules of upgrades at each start of a controller. Without comments and indentation: Node keeps the text of what it runs in memory. The same
 * sources give the same bytes. `checkout`: default this one.
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
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
  return { entry, packages: packagesOf(modules) };
}

const entry = 'isthmus.mjs';

/** Of modules, by their paths, the packages that they are from. Those of the checkout are none. */
function packagesOf(modules: readonly string[]): readonly string[] {
  const found = modules.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(found)].toSorted();
}

/** Of a file with other characters Node keeps two bytes for each. */
async function inAscii(path: string): Promise<void> {
  const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/[^\0-\x7f]/g, escaped));
}
