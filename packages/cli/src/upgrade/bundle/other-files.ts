import { errorMessage } from '@isthmus/machinery';
import type { Finding } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { isFileBeside, isProgramOrChart } from './files-beside.ts';
import type { NamedFile } from './files-beside.ts';
import { digestFinding, outsideFinding } from './load-bundle.ts';

/** The text in place of a digest. */
const outside = 'outside';

/** The files beside a bundle except manifests, which are read when it is loaded. */
export interface OtherFiles {
  /** How many files have the digest of the bundle. */
  readonly verified: number;
  /** Paths of missing files. */
  readonly missing: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Compares the programs and charts beside a bundle with every digest that it has for them. A path
 * that leads out of the folder is not read, and a finding reports it. Errors: {@link UsageError}
 * for files that cannot be read.
 */
export async function verifyOtherFiles(io: Io, files: readonly NamedFile[], folder: string): Promise<OtherFiles> {
  const findings: Finding[] = [];
  const missing = new Set<string>();
  const digests = new Map<string, string | undefined>();
  const verified = new Set<string>();
  const compared = new Set<string>();
  for (const { artifact, digest, component, path } of files) {
    const { uri } = artifact;
    if (!isProgramOrChart(artifact) || !isFileBeside(artifact) || compared.has(`${digest} ${uri}`)) continue;
    compared.add(`${digest} ${uri}`);
    if (!digests.has(uri)) digests.set(uri, await digestOf(io, folder, uri));
    const found = digests.get(uri);
    if (found === undefined) missing.add(uri);
    else if (found === outside)
      findings.push(
        outsideFinding({ component, path: `${path}.uri` }, uri, 'if you trust the file, copy it into that folder'),
      );
    else if (found === digest) verified.add(uri);
    else
      findings.push(digestFinding({ component, path: `${path}.digest` }, { file: `${folder}${uri}`, found, digest }));
  }
  return { verified: verified.size, missing: [...missing], findings };
}

async function digestOf(io: Io, folder: string, uri: string): Promise<string | undefined> {
  try {
    const found = await io.bytesBelow(folder, uri);
    if (found.kind === 'outside') return outside;
    return found.kind === 'bytes' ? `sha256:${await io.bundleCrypto.sha256OfChunks(found.chunks)}` : undefined;
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}
