import { delimiter, join } from 'node:path';
import { mergeKubeconfigs } from './kubeconfig.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';
import { isMissingFile } from '../world/read-file.ts';
import type { ReadFile } from '../world/read-file.ts';

/** The places that are searched for kubeconfig files. */
export interface KubeconfigPlaces {
  /** `KUBECONFIG` is read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home folder of the user, where there is one. */
  readonly home: string | undefined;
  readonly readFile: ReadFile;
  /** A single file, which is read instead of all others: the value of `--kubeconfig`. */
  readonly path?: string | undefined;
}

/**
 * Reads the kubeconfig as kubectl does: the file that is named, otherwise the files of
 * `KUBECONFIG`, otherwise `~/.kube/config`. Files of `KUBECONFIG` that do not exist are left out
 * with a warning.
 *
 * Errors: a file that cannot be read, a file that is not a kubeconfig (with the line), or no file
 * at all. Each error names the places that were read.
 */
export async function loadKubeconfig(places: KubeconfigPlaces): Promise<Kubeconfig> {
  const { env, home, readFile, path } = places;
  if (path !== undefined && path !== '') return readKubeconfig(path, readFile);

  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return readListed(listed, readFile);

  const standard = home === undefined ? undefined : join(home, '.kube', 'config');
  const todo = 'name a file with --kubeconfig or in KUBECONFIG';
  if (standard === undefined)
    throw new Error(`no kubeconfig found: KUBECONFIG is not set and there is no home folder; ${todo}`);
  try {
    return await readKubeconfig(standard, readFile);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    throw new Error(`no kubeconfig found: KUBECONFIG is not set and ${standard} does not exist; ${todo}`, {
      cause: error,
    });
  }
}

async function readListed(paths: readonly string[], readFile: ReadFile): Promise<Kubeconfig> {
  const found: Kubeconfig[] = [];
  const missing: string[] = [];
  for (const path of paths) {
    try {
      found.push(await readKubeconfig(path, readFile));
    } catch (error) {
      if (!isMissingFile(error)) throw error;
      missing.push(path);
    }
  }
  if (found.length === 0)
    throw new Error(`no kubeconfig found: none of the files in KUBECONFIG exists (${missing.join(', ')})`);
  const merged = mergeKubeconfigs(found);
  return {
    ...merged,
    warnings: [...missing.map((path) => `${path}, named in KUBECONFIG, does not exist`), ...merged.warnings],
  };
}

async function readKubeconfig(path: string, readFile: ReadFile): Promise<Kubeconfig> {
  return parseKubeconfig({ path, ...(await readFile(path)) });
}
