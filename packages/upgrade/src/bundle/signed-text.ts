import type { WrittenFile } from '../read/problem.ts';
import { canonicalText } from './canonical-text.ts';

/**
 * What a signature of a bundle covers, as text: apiVersion, kind, metadata.name and the whole of spec, as they stand in the file, in canonical
 * JSON (RFC 8785). Taken from what was written and not from what was read: a default that a later isthmus knows must not break the signatures
 * of today, and whoever has a library for RFC 8785 can verify without our schema. Throws as {@link canonicalText} does.
 */
export function signedText({ json }: WrittenFile): string {
  const { apiVersion, kind, metadata, spec } = json as Readonly<Record<string, unknown>>;
  const { name } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return canonicalText({ apiVersion, kind, metadata: { name }, spec });
}

/** The identity of a bundle: `sha256:…` of {@link signedText}. `sha256` gives the hex digest of the UTF-8 bytes of a text. */
export function bundleDigest(written: WrittenFile, sha256: (text: string) => string): string {
  return `sha256:${sha256(signedText(written))}`;
}
