import { createPublicKey, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { issueClusterCredentials } from './certificates.ts';

it('issues certificates that the own authority signed, for their subjects, names and keys', async () => {
  const credentials = await issueClusterCredentials('north');
  const ca = new X509Certificate(credentials.caData);
  expect(ca.ca).toBe(true);
  const cases = [
    { pair: credentials.admin, subject: 'O=system:masters\nCN=kubernetes-admin' },
    { pair: credentials.controllerManager, subject: 'CN=system:kube-controller-manager' },
    { pair: credentials.serving, subject: 'CN=kube-apiserver' },
  ];
  for (const { pair, subject } of cases) {
    const certificate = new X509Certificate(pair.certData);
    expect(certificate.subject).toBe(subject);
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.publicKey.equals(createPublicKey(pair.keyData))).toBe(true);
  }
  const serving = new X509Certificate(credentials.serving.certData);
  expect(serving.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(serving.checkHost('localhost')).toBe('localhost');
  const tokenKey = createPublicKey(credentials.serviceAccountPublicKey);
  expect(tokenKey.equals(createPublicKey(credentials.serviceAccountPrivateKey))).toBe(true);
});

it('gives no two clusters the same authority', async () => {
  const [one, other] = await Promise.all([issueClusterCredentials('north'), issueClusterCredentials('north')]);
  const admin = new X509Certificate(one.admin.certData);
  expect(admin.verify(new X509Certificate(other.caData).publicKey)).toBe(false);
});
