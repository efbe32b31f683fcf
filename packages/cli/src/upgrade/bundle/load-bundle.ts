import type { KubernetesObject } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import {
  bundleDigest,
  engineProblem,
  lintBundle,
  orderedFindings,
  signatureFinding,
  verifyBundle,
} from '@isthmus/upgrade';
import type { ComponentBundle, Finding, LoadedBundle, SignaturePolicy } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import type { FileBelow } from '../../world/read-below.ts';
import { UsageError } from '../../command/usage-error.ts';
import { isthmusVersion } from '../../version/version.ts';
import { objectsIn } from '../input/read-objects.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import { isFileBeside, isManifest, namedFiles } from './files-beside.ts';
import type { NamedFile } from './files-beside.ts';
import type { BundleInput } from './read-bundle.ts';
import { readBundle, shownAt } from './read-bundle.ts';

/** The requirements for a bundle before it is used. */
export interface BundleDemands {
  readonly signature: SignaturePolicy;
  /** PEM of the public keys that are trusted. */
  readonly publicKeys: readonly string[];
  readonly expired: 'refuse' | 'warn';
  /** RFC 3339: the time by which it may have expired. */
  readonly now: string;
}

/** A bundle with the parts of its content that were read, and the findings against its use. */
export interface BundleAtHand {
  readonly loaded: LoadedBundle;
  readonly input: BundleInput;
  /** The files that the bundle names with a digest. */
  readonly files: readonly NamedFile[];
  /** Paths of manifests that are not there. */
  readonly missing: readonly string[];
  readonly findings: readonly ShownFinding[];
}

/** A file that may be an artifact. */
export interface ManifestFile {
  readonly file: string;
  readonly text: string;
}

/**
 * Reads a bundle, and the manifests that are in its folder or given by their digests. Checks
 * whether the bundle may be used: engine, signature, expiry, and the digests of the files. A caller
 * that plans with it has to stop at findings that block. `contents` lacks artifacts without a file.
 * Errors: {@link UsageError} for files that cannot be read.
 */
export async function loadBundle(
  io: Io,
  path: string,
  demands: BundleDemands,
  given: ReadonlyMap<string, ManifestFile> = new Map(),
): Promise<BundleAtHand> {
  const input = await readBundle(io, path);
  const { bundle, written } = input;
  const engine = engineProblem(bundle, isthmusVersion);
  const files = namedFiles(bundle);
  const { contents, findings, aside, missing } = await contentsOf(io, files, { path, given });
  const all: readonly Finding[] = [
    ...(engine === undefined
      ? []
      : [{ rule: 'bundle.engine', severity: 'block', subject: { path: 'spec.engine' }, ...engine } as const]),
    ...signatureOf(io, input, demands),
    ...expiry(bundle, demands),
    ...findings,
  ];
  return {
    loaded: { bundle, digest: bundleDigest(written, io.bundleCrypto.sha256), contents },
    input,
    files,
    missing,
    findings: orderedFindings([...all.map((one) => shownAt(input, one)), ...foreignFindings(input, demands), ...aside]),
  };
}

/**
 * Rules that are checked elsewhere, with more data: the engine and the time by {@link loadBundle},
 * policies by the plan.
 */
const notOfTheLint = ['bundle.engine', 'bundle.expired', 'bundle.policy-unknown', 'bundle.policy-digest'];

/**
 * The findings of the lint against planning with a bundle, worst first, without those that only
 * warn. That manifests of EKS Anywhere have no digest is reported as a warning of that format.
 */
export function lintAgainstPlanning(input: BundleInput): readonly ShownFinding[] {
  const { bundle, lineOf, conversion } = input;
  const findings = lintBundle(bundle, { lineOf, older: [], engineVersion: isthmusVersion, policies: [] });
  return findings
    .filter(({ rule, severity }) => severity === 'block' && !notOfTheLint.includes(rule))
    .filter(({ rule }) => conversion === undefined || rule !== 'bundle.no-digest')
    .map((one) => shownAt(input, one));
}

/** Artifacts that no signature covers, because the bundle has no digest of them. */
export const withoutDigest = (input: BundleInput): readonly ShownFinding[] =>
  lintAgainstPlanning(input).filter(({ rule }) => rule === 'bundle.no-digest');

/** A file of EKS Anywhere has a signature of another kind, which reports itself. */
function signatureOf(io: Io, { bundle, written, conversion }: BundleInput, demands: BundleDemands): readonly Finding[] {
  if (conversion !== undefined) return [];
  const verdict = verifyBundle(written, bundle.signature, demands.publicKeys, io.bundleCrypto);
  const finding = signatureFinding(verdict, demands.signature);
  return finding === undefined ? [] : [finding];
}

function foreignFindings({ conversion = [] }: BundleInput, { signature }: BundleDemands): readonly ShownFinding[] {
  const isRefused = ({ rule }: Finding) => rule === 'eksa.signature' && signature === 'require';
  return conversion.map((one) => (isRefused(one) ? { ...one, severity: 'block' } : one));
}

function expiry({ spec: { expiresAt } }: ComponentBundle, { expired, now }: BundleDemands): readonly Finding[] {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.parse(now)) return [];
  return [
    {
      rule: 'bundle.expired',
      severity: expired === 'refuse' ? 'block' : 'warn',
      subject: { path: 'spec.expiresAt' },
      why: `it expired at ${expiresAt}, and it is ${now}`,
      unblock: 'use the latest bundle of its channel',
    },
  ];
}

async function contentsOf(
  io: Io,
  files: readonly NamedFile[],
  { path, given }: { readonly path: string; readonly given: ReadonlyMap<string, ManifestFile> },
) {
  const contents = new Map<string, readonly KubernetesObject[]>();
  const findings: Finding[] = [];
  const aside: ShownFinding[] = [];
  const missing = new Set<string>();
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  for (const { artifact, digest, component, path: at } of files) {
    if (contents.has(digest) || !isManifest(artifact)) continue;
    const one = given.get(digest);
    if (one !== undefined) contents.set(digest, objectsOf(one.text, one.file, aside));
    if (one !== undefined || !isFileBeside(artifact)) continue;
    const beside = await readBeside(io, folder, artifact.uri);
    if (beside.kind === 'missing') {
      missing.add(artifact.uri);
      continue;
    }
    if (beside.kind === 'outside') {
      findings.push(
        outsideFinding(
          { component, path: `${at}.uri` },
          artifact.uri,
          'if you trust the file, copy it into that folder, or plan with --manifests',
        ),
      );
      continue;
    }
    const { path: file, text } = beside;
    const found = `sha256:${io.bundleCrypto.sha256(text)}`;
    if (found === digest) contents.set(digest, objectsOf(text, file, aside));
    else findings.push(digestFinding({ component, path: `${at}.digest` }, { file, found, digest }));
  }
  return { contents, findings, aside, missing: [...missing] };
}

/** The finding for a file whose digest differs from the bundle's. */
export function digestFinding(
  subject: Finding['subject'],
  { file, found, digest }: { readonly file: string; readonly found: string; readonly digest: string },
): Finding {
  return {
    rule: 'bundle.digest',
    severity: 'block',
    subject,
    why: `${file} differs from the file that the bundle names: its digest is ${found}, but the bundle has ${digest}`,
    unblock: 'fetch the file again from the publisher of the bundle',
  };
}

/** The finding for a path that leads out of the folder of the bundle, itself or by a link. */
export function outsideFinding(subject: Finding['subject'], uri: string, unblock: string): Finding {
  return {
    rule: 'bundle.outside',
    severity: 'warn',
    subject,
    why: `${JSON.stringify(uri)} is not a file in the folder of the bundle, so it was not read`,
    unblock,
  };
}

/** A bundle may come from anywhere: the files that it names are read below its own folder only. */
async function readBeside(io: Io, folder: string, uri: string): Promise<FileBelow> {
  try {
    return await io.readBelow(folder, uri);
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}

/**
 * The objects of a manifest in the order of the file; those of a list one by one. Files of
 * Kustomize are not objects. Keys that occur twice are added to `aside`.
 */
function objectsOf(text: string, file: string, aside: ShownFinding[]): readonly KubernetesObject[] {
  return objectsIn(text, file, aside).map(({ object }) => object);
}
