import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** The `isthmus` command as it is measured: one file, as in an image. */
export interface Program extends AsyncDisposable {
  readonly path: string;
  readonly bytes: number;
}

/** Bundles the command; removed when it is disposed. */
export async function bundleProgram(): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'isthmus-bench-program-'));
  const path = join(directory, 'isthmus.mjs');
  const bundle = await rolldown({ input: join(root, 'packages/cli/src/main.ts'), cwd: root, platform: 'node' });
  await bundle.write({ file: path, format: 'esm', codeSplitting: false });
  await bundle.close();
  return {
    path,
    bytes: (await stat(path)).size,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The command as it stands in the checkout, its types stripped at each start. */
export const sourceProgram = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));

const root = fileURLToPath(new URL('..', import.meta.url));
