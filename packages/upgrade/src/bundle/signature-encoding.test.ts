import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bytesOf, isEcdsaDer, rawLength } from './signature-encoding.ts';

describe('the encoding of a signature', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = (at: number) => sign('sha256', Buffer.from(String(at)), privateKey);

  it('is DER as OpenSSL writes it, whatever the lengths of the numbers', () => {
    const all = Array.from({ length: 60 }, (_, at) => signed(at));
    expect(new Set(all.map(({ length }) => length)).size).toBeGreaterThan(1);
    expect(all.filter((one) => !isEcdsaDer(one))).toEqual([]);
  });

  it.each<[string, (der: Buffer) => Uint8Array]>([
    ['cut off', (der) => der.subarray(0, -1)],
    ['followed by more bytes', (der) => Buffer.concat([der, Buffer.from([0])])],
    ['empty', () => new Uint8Array()],
    ['of another type', (der) => Buffer.concat([Buffer.from([0x31]), der.subarray(1)])],
    ['of a negative number', () => Uint8Array.of(0x30, 6, 2, 1, 0x80, 2, 1, 1)],
    ['of a number with a leading zero too many', () => Uint8Array.of(0x30, 7, 2, 2, 0, 1, 2, 1, 1)],
    ['of one number', () => Uint8Array.of(0x30, 3, 2, 1, 1)],
    ['the raw numbers', () => sign('sha256', Buffer.from('x'), { key: privateKey, dsaEncoding: 'ieee-p1363' })],
  ])('is not DER: %s', (_title, change) => {
    expect(isEcdsaDer(change(signed(0)))).toBe(false);
  });

  it('is read from base64, and what is not base64 has no bytes', () => {
    const raw = sign('sha256', Buffer.from('x'), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    expect(bytesOf(raw.toString('base64'))).toHaveLength(rawLength);
    expect(bytesOf('not base64!')).toHaveLength(0);
  });
});
