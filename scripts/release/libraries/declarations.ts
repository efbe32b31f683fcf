import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import type { Plugin } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import type { Library } from './library.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/**
 * The declarations of each library as one module, which names no file of the repository; by the
 * name of the library. The compiler writes those of every module, and the bundler keeps what the
 * library exports and what that refers to. Errors: the compiler's, with its own text.
 */
export async function declarationsOf(libraries: readonly Library[]): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'isthmus-declarations-'));
  try {
    await compile(libraries, folder);
    const texts = new Map<string, string>();
    for (const library of libraries) texts.set(library.name, await joined(library, folder));
    return texts;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes the declarations of every module that the libraries reach to `folder`, in the layout of
 * the repository.
 */
async function compile(libraries: readonly Library[], folder: string): Promise<void> {
  const settings = join(folder, 'tsconfig.json');
  await writeFile(
    settings,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        incremental: false,
        // `npm run check` checks the types.
        noCheck: true,
        rootDir: root,
        outDir: folder,
        typeRoots: [join(root, 'node_modules/@types')],
        // Nothing is written for what is found below node_modules.
        paths: {
          '@isthmus/schema/cel': [join(root, 'packages/schema/src/cel/index.ts')],
          '@isthmus/*': [join(root, 'packages/*/src/index.ts')],
        },
      },
      include: [],
      files: libraries.map(({ entry }) => join(root, entry)),
    }),
  );
  await run(join(root, 'node_modules/.bin/tsc'), ['--project', settings], { cwd: root, maxBuffer: 2 ** 26 }).catch(
    (error: { readonly stdout?: string; readonly message: string }) => {
      throw new Error(`cannot write declarations: ${error.stdout || error.message}`, { cause: error });
    },
  );
}

async function joined({ name, entry, external }: Library, folder: string): Promise<string> {
  const bundle = await rolldown({
    input: join(folder, declarationOf(entry)),
    cwd: folder,
    external: [/^node:/, ...external],
    checks: { pluginTimings: false },
    plugins: [declarationsOfThisRepository(folder), dts({ emitDtsOnly: true, generator: 'oxc', tsconfig: false })],
  });
  try {
    const { output } = await bundle.generate({ format: 'esm' });
    const [chunk, ...more] = output;
    if (more.length > 0) throw new Error(`the declarations of ${name} are more than one file`);
    return chunk.code;
  } finally {
    await bundle.close();
  }
}

const declarationOf = (path: string): string => path.replace(/\.ts$/, '.d.ts');

/**
 * Finds the declarations that stand for a module of the repository; the entry of a library is the
 * one place that names its package, and means its sources.
 */
function declarationsOfThisRepository(folder: string): Plugin {
  return {
    name: 'declarations-of-this-repository',
    resolveId(id, importer) {
      const ofPackage = /^@isthmus\/([a-z-]+)(?:\/([a-z]+))?$/.exec(id);
      if (ofPackage !== null) {
        const [, name = '', part] = ofPackage;
        return join(folder, `packages/${name}/src`, ...(part === undefined ? [] : [part]), 'index.d.ts');
      }
      if (importer !== undefined && id.startsWith('.') && id.endsWith('.ts'))
        return join(dirname(importer), id.endsWith('.d.ts') ? id : declarationOf(id));
      return null;
    },
  };
}
