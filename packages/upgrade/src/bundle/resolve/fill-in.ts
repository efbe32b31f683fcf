import type { WrittenFile } from '../../read/problem.ts';

/** The resolved facts about an artifact. */
export interface ResolvedArtifact {
  readonly digest: string;
  /** Bytes; absent where the digest alone is known. */
  readonly size?: number | undefined;
}

/** A bundle with digests and sizes filled in. */
export interface FilledBundle {
  readonly written: WrittenFile;
  /** How many artifacts were completed. */
  readonly filled: number;
  /** Whether it had a signature, which does not cover the new content and was left out. */
  readonly lostSignature: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * A bundle with the resolved digests and sizes, by location. An existing digest stays, and an
 * artifact with another digest gets no size: the caller compares the two. The signature is left
 * out, because it would no longer be valid; everything else is unchanged. Assumes a file that was
 * read as a bundle.
 */
export function fillIn({ json }: WrittenFile, resolved: ReadonlyMap<string, ResolvedArtifact>): FilledBundle {
  let filled = 0;
  const artifact = (one: Json): Json => {
    const found = resolved.get(String(one['uri']));
    if (found === undefined || (one['digest'] ?? found.digest) !== found.digest) return one;
    const size = one['size'] ?? found.size;
    const next = { ...one, digest: found.digest, ...(size !== undefined && { size }) };
    if (one['digest'] === undefined || size !== one['size']) filled++;
    return next;
  };
  const component = (one: Json): Json =>
    Array.isArray(one['artifacts']) ? { ...one, artifacts: (one['artifacts'] as readonly Json[]).map(artifact) } : one;
  const withComponents = (one: Json): Json =>
    Array.isArray(one['components'])
      ? { ...one, components: (one['components'] as readonly Json[]).map(component) }
      : one;
  const bundle = json as Json;
  const spec = withComponents(bundle['spec'] as Json);
  const minors = Object.entries((spec['perKubernetes'] ?? {}) as Readonly<Record<string, Json>>);
  const perKubernetes = Object.fromEntries(minors.map(([minor, one]) => [minor, withComponents(one)]));
  const next: Json = { ...bundle, spec: { ...spec, ...(spec['perKubernetes'] !== undefined && { perKubernetes }) } };
  if (filled === 0) return { written: { json }, filled, lostSignature: false };
  const { signature, ...unsigned } = next;
  return { written: { json: unsigned }, filled, lostSignature: signature !== undefined };
}
