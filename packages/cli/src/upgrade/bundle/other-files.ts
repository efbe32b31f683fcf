import { isDisabled, placedComponents } from '@isthmus/upgrade';
import type { Artifact, ComponentBundle, Finding } from '@isthmus/upgrade';
import type { Io } from '../../io.ts';
import { UsageError } from '../../usage-error.ts';
import { digestFinding, isFileBeside } from './load-bundle.ts';

/** What is beside a bundle but manifests, which are read when it is loaded. */
export interface OtherFiles {
  /** How many have the digest that the bundle says. */
  readonly verified: number;
  /** Paths of those that are not there. */
  readonly missing: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Compares the programs and charts beside a bundle with their digests. A path that leads out of the folder counts as missing: nothing is read there. Errors: {@link UsageError} for
 * files that cannot be read.
 */
export async function verifyOtherFiles(io: Io, bundle: ComponentBundle, folder: string): Promise<OtherFiles> {
  const findings: Finding[] = [];
  const missing: string[] = [];
  const seen = new Set<string>();
  let verified = 0;
  for (const { component, path } of placedComponents(bundle)) {
    if (isDisabled(component)) continue;
    for (const [index, { uri, digest, ...artifact }] of component.artifacts.entries()) {
      if (digest === undefined || seen.has(uri) || !isOtherFile({ uri, ...artifact })) continue;
      seen.add(uri);
      const found = await digestOf(io, folder, uri);
      if (found === undefined) missing.push(uri);
      else if (found === digest) verified++;
      else {
        const at = { component: component.id, path: `${path}.artifacts[${index}].digest` };
        findings.push(digestFinding(at, { file: `${folder}${uri}`, found, digest }));
      }
    }
  }
  return { verified, missing, findings };
}

function isOtherFile(artifact: Artifact): boolean {
  return (artifact.kind === 'binary' || artifact.kind === 'chart') && isFileBeside(artifact);
}

async function digestOf(io: Io, folder: string, uri: string): Promise<string | undefined> {
  try {
    const found = await io.bytesBelow(folder, uri);
    return found.kind === 'bytes' ? `sha256:${await io.bundleCrypto.sha256OfChunks(found.chunks)}` : undefined;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
