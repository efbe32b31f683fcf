/**
 * One of the modules that may touch the world: it makes keys and reads the clock for certificates
 * (webcrypto, Date).
 */
import { webcrypto } from 'node:crypto';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certData: string;
  readonly keyData: string;
}

/** The subject of a client certificate: the user name, and the groups of that user. */
export interface Subject {
  readonly user: string;
  readonly groups: readonly string[];
}

/**
 * A certificate authority with its key in memory. All that it issues is valid from one hour ago for
 * ten days, P-256.
 */
export interface Authority {
  /** PEM. */
  readonly caData: string;
  /** Issues the certificate of a server with these DNS names or addresses. */
  issueServing(commonName: string, names: readonly string[]): Promise<KeyPair>;
  /** Issues the certificate of a user: CN is the user name, each O a group. */
  issueClient(subject: Subject): Promise<KeyPair>;
}

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';
const day = 24 * 3600 * 1000;

/**
 * The names by which the API server of a cluster is called on its own machine and inside the
 * cluster.
 */
export const apiServerNames: readonly string[] = [
  '127.0.0.1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
];

/**
 * Makes a certificate authority of its own.
 *
 * Cost: the first call loads the certificate library, some 200 ms; that's why it's not imported
 * above.
 */
export async function createAuthority(commonName: string): Promise<Authority> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const notBefore = new Date(Date.now() - 3600 * 1000);
  const notAfter = new Date(notBefore.getTime() + 10 * day);
  const newKeys = () => webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);

  const caKeys = await newKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    notBefore,
    notAfter,
    keys: caKeys,
    signingAlgorithm: ecdsa,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });

  const issue = async (subject: Subject, usage: string, names: readonly string[]): Promise<KeyPair> => {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      subject: [...subject.groups.map((group) => ({ O: [group] })), { CN: [subject.user] }],
      issuer: ca.subject,
      notBefore,
      notAfter,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: ecdsa,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
        ...(names.length === 0
          ? []
          : [
              new x509.SubjectAlternativeNameExtension(
                names.map((name) => ({ type: /^[\d.]+$|:/.test(name) ? 'ip' : 'dns', value: name })),
              ),
            ]),
      ],
    });
    return { certData: certificate.toString('pem'), keyData: await privateKeyPem(keys.privateKey) };
  };

  return {
    caData: ca.toString('pem'),
    issueServing: (user, names) => issue({ user, groups: [] }, serverAuth, names),
    issueClient: (subject) => issue(subject, clientAuth, []),
  };
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
