import type { Client } from '@isthmus/kube';
import { requestToken } from '@isthmus/kube';

/**
 * As long as the certificates of a sandbox are good for; a controller that is handed a token does
 * not ask for another.
 */
const tokenSeconds = 10 * 24 * 3600;

/** A token of a ServiceAccount, with the lifetime of a sandbox. */
export function accountToken(admin: Client, namespace: string, name: string): Promise<string> {
  return requestToken(admin, { namespace, name }, { expirationSeconds: tokenSeconds });
}
