import { bytesOf, isEcdsaDer, rawLength } from './signature-encoding.ts';
import type { Finding } from '../finding.ts';
import type { WrittenFile } from '../read/problem.ts';
import type { ComponentBundle } from './component-bundle.ts';
import type { BundleCrypto } from './crypto.ts';
import { signedText } from './signed-text.ts';

/** The field `signature` of a bundle. */
export type BundleSignature = NonNullable<ComponentBundle['signature']>;

/** The policy for signatures: without a valid one a bundle is rejected, or it is only reported. */
export type SignaturePolicy = 'require' | 'warn';

/** Signs the text of a bundle: {@link signedText}. Throws as {@link BundleCrypto.sign} does. */
export function signBundle(written: WrittenFile, privateKeyPem: string, crypto: BundleCrypto): BundleSignature {
  const keyID = crypto.keyID(privateKeyPem);
  return { algorithm: 'ecdsa-p256-sha256', keyID, value: crypto.sign(privateKeyPem, signedText(written)) };
}

/** The result of verifying a signature. */
export type SignatureVerdict =
  | { readonly kind: 'valid'; readonly keyID: string }
  /** There is none. */
  | { readonly kind: 'missing' }
  /**
   * The signature is of a key that was not given. `keyID` comes from the bundle and is not
   * verified.
   */
  | { readonly kind: 'unknown-key'; readonly keyID: string; readonly isAnyGiven: boolean }
  /** It is not ASN.1 DER: whatever the bundle has, it was signed or copied in another form. */
  | { readonly kind: 'malformed'; readonly keyID: string; readonly isRaw: boolean }
  /**
   * The bundle names a key that was given, but the signature does not match: the bundle or the
   * signature was changed after signing.
   */
  | { readonly kind: 'invalid'; readonly keyID: string };

/**
 * Holds the signature of a bundle against the public keys that are trusted. Throws for a PEM that
 * is no P-256 key.
 */
export function verifyBundle(
  written: WrittenFile,
  signature: BundleSignature | undefined,
  publicKeyPems: readonly string[],
  crypto: BundleCrypto,
): SignatureVerdict {
  const trusted = new Map(publicKeyPems.map((pem) => [crypto.keyID(pem), pem]));
  if (signature === undefined) return { kind: 'missing' };
  const { keyID, value } = signature;
  const pem = trusted.get(keyID);
  if (pem === undefined) return { kind: 'unknown-key', keyID, isAnyGiven: trusted.size > 0 };
  const bytes = bytesOf(value);
  if (!isEcdsaDer(bytes)) return { kind: 'malformed', keyID, isRaw: bytes.length === rawLength };
  return { kind: crypto.verify(pem, signedText(written), value) ? 'valid' : 'invalid', keyID };
}

/**
 * The finding for a verdict under a policy; undefined if the signature is valid. A wrong signature
 * blocks under each policy.
 */
export function signatureFinding(verdict: SignatureVerdict, demanded: SignaturePolicy): Finding | undefined {
  if (verdict.kind === 'valid') return undefined;
  const rule = 'bundle.signature';
  const subject = { path: 'signature' };
  const severity = demanded === 'require' ? 'block' : 'warn';
  switch (verdict.kind) {
    case 'missing':
      return {
        rule,
        severity,
        subject,
        why: 'the bundle is not signed, so its contents cannot be verified',
        unblock: 'use the signed bundle, or sign it with `isthmus upgrade bundle sign`',
      };
    case 'unknown-key':
      return {
        rule,
        severity,
        subject,
        why: verdict.isAnyGiven
          ? `it is signed with the key ${verdict.keyID}, which is not one of the given keys`
          : `its signature of the key ${verdict.keyID} was not checked, because no public key was given: its contents may have been changed`,
        unblock: 'pass the public key of the publisher with --public-key',
      };
    case 'malformed':
      return {
        rule,
        severity: 'block',
        subject: { path: 'signature.value' },
        why: `the signature of the key ${verdict.keyID} cannot be verified: its value is not ASN.1 DER in base64${verdict.isRaw ? ', but the two numbers of the signature side by side (64 bytes)' : ''}`,
        unblock:
          'sign the bundle again with `isthmus upgrade bundle sign`, or write the signature as `openssl dgst -sha256 -sign` prints it',
      };
    default:
      return {
        rule,
        severity: 'block',
        subject,
        why: `the signature of the key ${verdict.keyID} is invalid: the bundle was changed after it was signed`,
        unblock: 'fetch the bundle again from its publisher',
      };
  }
}
