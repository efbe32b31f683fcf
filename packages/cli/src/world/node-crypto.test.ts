import { createHash, generateKeyPairSync } from 'node:crypto';
import { errorMessage } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from './node-crypto.ts';

const spki = { type: 'spki', format: 'pem' } as const;
const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding: spki, privateKeyEncoding: pkcs8 });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384', publicKeyEncoding: spki, privateKeyEncoding: pkcs8 });
const ed25519 = generateKeyPairSync('ed25519', { publicKeyEncoding: spki, privateKeyEncoding: pkcs8 });
const pem = (label: string, content: string) => `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`;
const encrypted = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: spki,
  privateKeyEncoding: { ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'x' },
}).privateKey;
const sec1 = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: spki,
  privateKeyEncoding: { type: 'sec1', format: 'pem' },
}).privateKey;

/**
 * RFC 6979 appendix A.2.5 (P-256, SHA-256, message "sample"): a key and a signature that were not
 * made here. The points and numbers of the RFC in the encodings of SubjectPublicKeyInfo and ASN.1
 * DER.
 */
const rfc6979 = {
  publicKey: pem(
    'PUBLIC KEY',
    Buffer.from(
      '3059301306072a8648ce3d020106082a8648ce3d030107034200' +
        '0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6' +
        '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299',
      'hex',
    ).toString('base64'),
  ),
  signature: Buffer.from(
    '3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716' +
      '022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
    'hex',
  ).toString('base64'),
};

describe('the cryptography of bundles', () => {
  it('verifies the signature of RFC 6979 A.2.5, and of no other text', () => {
    expect(nodeCrypto.verify(rfc6979.publicKey, 'sample', rfc6979.signature)).toBe(true);
    expect(nodeCrypto.verify(rfc6979.publicKey, 'Sample', rfc6979.signature)).toBe(false);
  });

  it('verifies what it signed, with the other half of the key alone', () => {
    const other = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: spki,
      privateKeyEncoding: pkcs8,
    });
    const signature = nodeCrypto.sign(p256.privateKey, 'ä');
    expect(nodeCrypto.verify(p256.publicKey, 'ä', signature)).toBe(true);
    expect(nodeCrypto.verify(other.publicKey, 'ä', signature)).toBe(false);
  });

  it('names both halves of a key alike, by the SHA-256 of its SubjectPublicKeyInfo', () => {
    const der = Buffer.from(p256.publicKey.split('\n').slice(1, -2).join(''), 'base64');
    const keyID = `sha256:${createHash('sha256').update(der).digest('hex')}`;
    expect([nodeCrypto.keyID(p256.publicKey), nodeCrypto.keyID(p256.privateKey)]).toEqual([keyID, keyID]);
  });

  it('rejects whatever is not a signature', () => {
    fc.assert(
      fc.property(fc.base64String(), (signature) => !nodeCrypto.verify(p256.publicKey, 'x', signature)),
      { numRuns: 50 },
    );
  });

  it.each([
    ['another curve', p384.privateKey, 'a key on the curve secp384r1; bundles must be signed with ECDSA on P-256'],
    ['another kind', ed25519.privateKey, 'a key of type ed25519; bundles must be signed with ECDSA on P-256'],
    [
      'encryption',
      encrypted,
      'an encrypted private key; it must contain a private key in PKCS#8 that is not encrypted',
    ],
    ['another encoding', sec1, 'a private key in SEC 1; it must contain a private key in PKCS#8'],
    ['the other half', p256.publicKey, 'a PEM of PUBLIC KEY; it must contain a private key in PKCS#8'],
    ['a certificate', pem('CERTIFICATE', 'AA=='), 'a PEM of CERTIFICATE; it must contain a private key'],
    [
      'damage',
      pem('PRIVATE KEY', 'c2VjcmV0'),
      'a private key that cannot be read: its content is damaged or not a key',
    ],
    ['no PEM', 'secret', 'not PEM; it must contain a private key in PKCS#8'],
  ])('refuses to sign with a key of %s, and does not quote it', (_what, key, message) => {
    let reported = '';
    try {
      nodeCrypto.sign(key, 'x');
    } catch (error) {
      reported = errorMessage(error);
    }
    expect(reported).toContain(message);
    for (const line of key.split('\n').filter((one) => !one.startsWith('-----') && one !== '')) {
      expect(reported).not.toContain(line);
    }
  });

  it.each([
    ['another curve', p384.publicKey, 'a key on the curve secp384r1'],
    ['the private half', p256.privateKey, 'a private key; it must contain a public key'],
  ])('refuses to verify with a key of %s', (_what, key, message) => {
    expect(() => nodeCrypto.verify(key, 'x', '')).toThrow(message);
  });
});
