import { libraries } from '../release/libraries/library.ts';
import { apiReport } from '../release/libraries/report.ts';
import type { Generator } from './generator.ts';

const folder = 'docs/reference/libraries';

/**
 * The API reports of the packages that are used alone, from their declarations by their names: a
 * change of a public surface shows in them.
 */
export function libraryReportsGenerator(declarations: ReadonlyMap<string, string>, version: string): Generator {
  return {
    name: 'API reports',
    owns: (path) => path.startsWith(`${folder}/`),
    files: () =>
      Object.fromEntries(
        libraries.map(({ name }) => [
          `${folder}/${name.replace('@isthmus/', '')}.txt`,
          apiReport({ name, version }, declarations.get(name) ?? ''),
        ]),
      ),
  };
}
