import { parseManifests, yamlFieldLines, YamlReadError } from '@isthmus/machinery';
import { componentBundle, isEksaBundles, readEksaBundles, readFile } from '@isthmus/upgrade';
import type { ComponentBundle, Finding, WrittenFile } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import { readText, wrongFile } from '../input/read-input.ts';

/** A bundle as it was read from a file of ours or of EKS Anywhere. */
export interface BundleInput {
  readonly path: string;
  readonly bundle: ComponentBundle;
  readonly written: WrittenFile;
  /** The path in the file, of a path in the bundle. */
  readonly pathOf: (path: string) => string;
  /** The line of a path in the bundle. */
  readonly lineOf: (path: string) => number;
  /** The missing parts of a file of another format, in its own paths; absent for one of ours. */
  readonly conversion?: readonly ShownFinding[] | undefined;
}

/** Reads a ComponentBundle, or a Bundles of EKS Anywhere. Errors: UsageError with every problem. */
export async function readBundle(io: Pick<Io, 'readFile'>, path: string): Promise<BundleInput> {
  return bundleIn(await readText(io, path), path);
}

/** As {@link readBundle}, from a given text. */
export function bundleIn(text: string, path: string): BundleInput {
  const foreign = eksaDocument(text, path);
  if (foreign === undefined) {
    const result = readFile(componentBundle, text, path);
    if (result.kind === 'refused') throw wrongFile(path, result.problems, result.unlisted);
    return { path, bundle: result.value, written: result.written, pathOf: (at) => at, lineOf: result.lineOf };
  }
  const lineOf = yamlFieldLines(text);
  const result = readEksaBundles(foreign, { source: path, lineOf });
  if (result.kind === 'refused') throw wrongFile(path, result.problems);
  const { bundle, written, findings, originOf } = result;
  return {
    path,
    bundle,
    written,
    pathOf: originOf,
    lineOf: (at) => lineOf(originOf(at)),
    conversion: findings.map((one) => ({ ...one, place: `${path}:${lineOf(one.subject.path)}` })),
  };
}

function eksaDocument(text: string, path: string): unknown {
  if (!text.includes('anywhere.eks.amazonaws.com/')) return undefined;
  try {
    const [document, second] = parseManifests(text, { source: path });
    return second === undefined && isEksaBundles(document?.value) ? document?.value : undefined;
  } catch (error) {
    // The reader of our own kind reports it with its place.
    if (error instanceof YamlReadError) return undefined;
    throw error;
  }
}

/** A finding about a bundle, with the path and the place in its file. */
export function shownAt({ path, pathOf, lineOf }: BundleInput, finding: Finding): ShownFinding {
  const at = finding.subject.path ?? '';
  const subject = { ...finding.subject, ...(finding.subject.path !== undefined && { path: pathOf(at) }) };
  return { ...finding, subject, place: `${path}:${lineOf(at)}` };
}
