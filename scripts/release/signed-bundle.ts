import { componentBundle, problemLine, putSignature, readFile, signBundle } from '@isthmus/upgrade';
import type { BundleCrypto } from '@isthmus/upgrade';

/**
 * The text of a ComponentBundle with a signature, as `isthmus upgrade bundle sign` writes it.
 * Errors: throws on a text that is no valid bundle, and as {@link BundleCrypto.sign}.
 */
export function signedBundle(text: string, privateKeyPem: string, crypto: BundleCrypto): string {
  const read = readFile(componentBundle, text, 'bundle.yaml');
  if (read.kind === 'refused')
    throw new Error(`the bundle cannot be signed: ${read.problems.map(problemLine).join('; ')}`);
  return putSignature(text, signBundle(read.written, privateKeyPem, crypto)).text;
}
