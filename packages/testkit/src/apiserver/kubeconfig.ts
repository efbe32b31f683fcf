import type { KeyPair } from './certificates.ts';

/** A kubeconfig for a token, or for a file with a token, which may change. */
export function tokenKubeconfig(
  { url, caData }: { readonly url: string; readonly caData: string },
  user: { readonly token: string } | { readonly tokenFile: string },
): string {
  const ca = Buffer.from(caData, 'utf8').toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster: { server: url, 'certificate-authority-data': ca } }],
    users: [{ name: 'it', user }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  });
}

/**
 * A kubeconfig with one cluster, one user with a client certificate, and one context, all named
 * `name`.
 */
export function renderKubeconfig(input: {
  /** A DNS label: it is written without quotes. */
  readonly name: string;
  readonly url: string;
  readonly caData: string;
  readonly user: KeyPair;
}): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return `apiVersion: v1
kind: Config
current-context: ${input.name}
clusters:
- name: ${input.name}
  cluster:
    server: ${input.url}
    certificate-authority-data: ${base64(input.caData)}
users:
- name: ${input.name}
  user:
    client-certificate-data: ${base64(input.user.certData)}
    client-key-data: ${base64(input.user.keyData)}
contexts:
- name: ${input.name}
  context:
    cluster: ${input.name}
    user: ${input.name}
`;
}
