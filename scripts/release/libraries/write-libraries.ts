import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLibraryInto } from '../bundle.ts';
import { libraryManifest } from '../package-files.ts';
import { emptyFolder, packInto, writeNotices } from '../package-folder.ts';
import { declarationsOf } from './declarations.ts';
import { libraries } from './library.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const types = 'index.d.ts';

/**
 * Writes the libraries to `out`, each as the file that npm installs and unpacked in
 * `packages/<name>`. Gives the names of the files. The same sources give the same bytes.
 */
export async function writeLibraries(out: string, version: string): Promise<readonly string[]> {
  const declarations = await declarationsOf(libraries);
  const paths: string[] = [];
  for (const library of libraries) {
    const folder = await emptyFolder(join(out, 'packages', library.name.replace('@isthmus/', '')));
    const { entry, packages } = await bundleLibraryInto(folder, library);
    await writeFile(join(folder, types), declarations.get(library.name) ?? '');
    await writeFile(join(folder, 'package.json'), libraryManifest({ version, entry, types }, library));
    await copyFile(join(root, library.readme), join(folder, 'README.md'));
    await writeNotices(folder, packages);
    paths.push(await packInto(out, folder));
  }
  return paths;
}
