/**
 * So many random bytes, in hexadecimal. Node loads its cryptography here and not at the start: most
 * commands need none.
 */
export function randomHex(bytes: number): string {
  return process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('hex');
}
