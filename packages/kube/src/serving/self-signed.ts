// Makes a key and a signature with node:crypto.
import { generateKeyPairSync, sign } from 'node:crypto';
import type { ServingCertificate } from './certificates.ts';

export interface SelfSignedOptions {
  readonly commonName: string;
  /** The only DNS name. */
  readonly dnsName: string;
  /** Wall clock, epoch milliseconds: valid from a day before until ten years after. */
  readonly nowMs: number;
}

/**
 * A self-signed certificate with a new key (P-256): traffic is encrypted, and clients have to
 * accept the certificate without checking it, as `insecureSkipVerify` of Prometheus does. For
 * clients that check, use a certificate of an authority.
 */
export function selfSignedCertificate({ commonName, dnsName, nowMs }: SelfSignedOptions): ServingCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(commonNameId, tlv(utf8String, Buffer.from(commonName, 'utf8')))));
  const alternativeNames = sequence(tlv(dnsNameTag, Buffer.from(dnsName, 'ascii')));
  const content = sequence(
    tlv(explicit(0), tlv(integer, Buffer.from([2]))),
    tlv(integer, Buffer.from([1])),
    sequence(ecdsaWithSha256),
    name,
    sequence(utcTime(nowMs - dayMs), utcTime(nowMs + 3_650 * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(explicit(3), sequence(sequence(subjectAltNameId, tlv(octetString, alternativeNames)))),
  );
  const signature = sign('sha256', content, { key: privateKey, dsaEncoding: 'der' });
  const bits = tlv(bitString, Buffer.concat([Buffer.from([0]), signature]));
  const der = sequence(content, sequence(ecdsaWithSha256), bits);
  return {
    certPem: pem('CERTIFICATE', der),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const dayMs = 24 * 3_600_000;

/** Tags of DER (X.690). */
const integer = 0x02;
const bitString = 0x03;
const octetString = 0x04;
const utf8String = 0x0c;
const utcTimeTag = 0x17;
const dnsNameTag = 0x82;
const explicit = (number: number) => 0xa0 + number;

/** Object identifiers: 2.5.4.3, 2.5.29.17, 1.2.840.10045.4.3.2. */
const commonNameId = Buffer.from('0603550403', 'hex');
const subjectAltNameId = Buffer.from('0603551d11', 'hex');
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return tlv(0x31, Buffer.concat(parts));
}

function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** `YYMMDDhhmmssZ`: of the years until 2049. */
function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return tlv(utcTimeTag, Buffer.from(`${digits}Z`, 'ascii'));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
