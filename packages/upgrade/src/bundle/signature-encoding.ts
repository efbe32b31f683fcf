/** The bytes of a text in base64; none for a text that is not base64. */
export function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/**
 * The bytes of an ECDSA signature on P-256 in the form of IEEE P1363: both numbers, 32 bytes each.
 */
export const rawLength = 64;

/**
 * Whether bytes are an ECDSA signature as ASN.1 DER (RFC 3279 §2.2.3): a SEQUENCE of two positive
 * INTEGERs and nothing else.
 */
export function isEcdsaDer(bytes: Uint8Array): boolean {
  // Two numbers of 33 bytes fit into a length of one byte.
  if (bytes[0] !== sequence || bytes[1] !== bytes.length - 2 || bytes.length > maxLength) return false;
  const second = afterInteger(bytes, 2);
  return second !== undefined && afterInteger(bytes, second) === bytes.length;
}

/**
 * The place behind an INTEGER that begins at `at`; undefined where there is none in its shortest
 * form.
 */
function afterInteger(bytes: Uint8Array, at: number): number | undefined {
  const length = bytes[at + 1] ?? 0;
  const [first = negative, next = 0] = [bytes[at + 2], bytes[at + 3]];
  const isPadded = first === 0 && length > 1 && next < negative;
  if (bytes[at] !== integer || length === 0 || first >= negative || isPadded) return undefined;
  return at + 2 + length;
}

const sequence = 0x30;
const integer = 0x02;
const negative = 0x80;
const maxLength = 72;
