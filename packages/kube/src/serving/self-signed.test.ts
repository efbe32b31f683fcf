import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { selfSignedCertificate } from './self-signed.ts';

it('is a certificate that its own key signed, for one name, valid from a day before for ten years', () => {
  const nowMs = Date.UTC(2026, 10, 22, 12);
  const options = { commonName: 'isthmus-leader', dnsName: 'metrics.isthmus.internal', nowMs };
  const { certPem, keyPem } = selfSignedCertificate(options);
  const certificate = new X509Certificate(certPem);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
  expect(certificate.checkHost('metrics.isthmus.internal')).toBe('metrics.isthmus.internal');
  expect([certificate.subject, certificate.issuer]).toEqual(['CN=isthmus-leader', 'CN=isthmus-leader']);
  expect(Date.parse(certificate.validFrom)).toBe(Date.UTC(2026, 10, 21, 12));
  expect(new Date(certificate.validTo).getUTCFullYear()).toBe(2036);
  expect(selfSignedCertificate(options).certPem).not.toBe(certPem);
});
