import type { WrittenFile } from '../read/problem.ts';
import { canonicalText } from './canonical-text.ts';

/**
 * The text that a signature of a bundle covers: apiVersion, kind, metadata.name and the whole of
 * spec, as in the file, in canonical JSON (RFC 8785). It is taken from the written file, not from
 * the decoded bundle: a default of a later isthmus must not break the signatures of today, and any
 * library for RFC 8785 can verify without our schema. Throws as {@link canonicalText} does.
 */
export function signedText({ json }: WrittenFile): string {
  const { apiVersion, kind, metadata, spec } = json as Readonly<Record<string, unknown>>;
  const { name } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return canonicalText({ apiVersion, kind, metadata: { name }, spec });
}

/**
 * The identity of a bundle: `sha256:…` of {@link signedText}. `sha256` gives the hex digest of the
 * UTF-8 bytes of a text.
 */
export function bundleDigest(written: WrittenFile, sha256: (text: string) => string): string {
  return `sha256:${sha256(signedText(written))}`;
}
