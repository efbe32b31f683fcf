import type { Client } from '@isthmus/kube';

/**
 * As long as the certificates of a sandbox are good for; a controller that is handed a token does
 * not ask for another.
 */
const tokenSeconds = 10 * 24 * 3600;

/** A token of a ServiceAccount, with the lifetime of a sandbox. */
export async function accountToken(admin: Client, namespace: string, name: string): Promise<string> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  };
  const { text } = await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (JSON.parse(text) as { readonly status: { readonly token: string } }).status.token;
}
