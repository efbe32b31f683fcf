/** 32 bytes in base64: the last of 43 digits has two bits that must be 0. */
const wireGuardKey = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/**
 * Why a text cannot be a WireGuard public key, as the end of a sentence about it; undefined where
 * it can. The key itself is not quoted: it may be a private one.
 */
export function publicKeyProblem(text: string): string | undefined {
  return wireGuardKey.test(text) ? undefined : 'is not a WireGuard public key (32 bytes in base64)';
}
