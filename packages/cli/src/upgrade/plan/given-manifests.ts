import { placedComponents } from '@isthmus/upgrade';
import type { Finding } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import type { BundleAtHand, ManifestFile } from '../bundle/load-bundle.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import { filesBelow, readText } from '../input/read-input.ts';

/**
 * The files of folders, by the digest of their bytes: manifests that a bundle names at a registry
 * or on the network, as the user fetched them. Links that are not followed are added to `aside`.
 * Errors: {@link UsageError} for files that cannot be read.
 */
export async function givenManifests(
  io: Pick<Io, 'bundleCrypto' | 'listFiles' | 'readFile'>,
  folders: readonly string[],
  aside: ShownFinding[],
): Promise<ReadonlyMap<string, ManifestFile>> {
  const files = (await Promise.all(folders.map((folder) => filesBelow(io, folder, aside)))).flat();
  const read = await Promise.all(files.map(async (file) => ({ file, text: await readText(io, file) })));
  return new Map(read.map((one) => [`sha256:${io.bundleCrypto.sha256(one.text)}`, one]));
}

/**
 * Files that are not an artifact of any of the bundles: of another version, or changed after their
 * download.
 */
export function strayFindings(
  given: ReadonlyMap<string, ManifestFile>,
  bundles: readonly BundleAtHand[],
): readonly Finding[] {
  const wanted = new Set(
    bundles.flatMap(({ loaded }) =>
      placedComponents(loaded.bundle).flatMap(({ component }) => component.artifacts.map(({ digest }) => digest)),
    ),
  );
  return [...given]
    .filter(([digest]) => !wanted.has(digest))
    .map(([digest, { file }]) => ({
      rule: 'bundle.stray-manifest',
      severity: 'warn',
      subject: { path: file },
      why: `no artifact of the bundles has its digest, ${digest}; it is ignored`,
      unblock: 'fetch the file that the bundle names, byte for byte',
    }));
}
