/**
 * Digests that the server shows in discovery. The one module of this package that imports
 * node:crypto for them: they are functions of their input.
 */
import { createHash } from 'node:crypto';

/** SHA-512 in upper-case hexadecimal: the ETag of a document. */
export function contentHash(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}

/**
 * `storageVersionHash` of discovery: equal for two resources if they are stored alike (KEP-1111).
 */
export function storageVersionHash(apiVersion: string, kind: string): string {
  const type = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return createHash('sha256').update(`${type}/${kind}`).digest().subarray(0, 8).toString('base64');
}
