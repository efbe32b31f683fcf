/** One of the modules that may touch the world: it makes keys (webcrypto). */
import { webcrypto } from 'node:crypto';
import type { Authority, KeyPair } from '@isthmus/sandbox';
import { apiServerNames, createAuthority } from '@isthmus/sandbox';

export type { KeyPair } from '@isthmus/sandbox';

/** All secrets of one cluster, in PEM. */
export interface ClusterCredentials {
  readonly caData: string;
  /** For 127.0.0.1, localhost and the Service names of the API server. */
  readonly serving: KeyPair;
  readonly admin: KeyPair;
  readonly controllerManager: KeyPair;
  readonly serviceAccountPrivateKey: string;
  readonly serviceAccountPublicKey: string;
  /** A client certificate for another user. */
  readonly issueClient: Authority['issueClient'];
}

/**
 * Makes a certificate authority and the certificates and keys that one cluster needs from it, valid
 * from one hour ago for ten days. The API server's certificate is also valid for `addresses`.
 */
export async function issueClusterCredentials(
  clusterName: string,
  addresses: readonly string[] = [],
): Promise<ClusterCredentials> {
  const authority = await createAuthority(`isthmus-envtest-${clusterName}`);
  const signing = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  return {
    caData: authority.caData,
    serving: await authority.issueServing('kube-apiserver', [...apiServerNames, ...addresses]),
    admin: await authority.issueClient({ user: 'kubernetes-admin', groups: ['system:masters'] }),
    controllerManager: await authority.issueClient({ user: 'system:kube-controller-manager', groups: [] }),
    serviceAccountPrivateKey: pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', signing.privateKey)),
    serviceAccountPublicKey: pem('PUBLIC KEY', await webcrypto.subtle.exportKey('spki', signing.publicKey)),
    issueClient: (subject) => authority.issueClient(subject),
  };
}

function pem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
