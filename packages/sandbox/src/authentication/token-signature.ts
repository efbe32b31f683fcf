// The one module of the sandbox that uses cryptography: signatures of tokens. The key is an
// argument.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs the text with HMAC-SHA-256; base64url. */
export function sign(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/**
 * Whether a signature is that of the text. Takes the same time for every wrong one of the right
 * length.
 */
export function isSigned(key: string, text: string, signature: string): boolean {
  const expected = Buffer.from(sign(key, text));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
