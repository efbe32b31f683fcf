import type { ObjectRef } from '@isthmus/machinery';
import { isRecord } from '@isthmus/machinery';
import type { CallOptions, Client } from './client.ts';
import { pathOf } from './requests.ts';

/** What a token is to be like. */
export interface TokenWish {
  /** How long it is valid, in seconds; an API server grants at least 600, and may grant less. */
  readonly expirationSeconds: number;
  /** The Secret in the Namespace of the account whose deletion ends the token. Default: none. */
  readonly boundTo?: { readonly name: string; readonly uid?: string | undefined } | undefined;
}

/**
 * Asks for a token of a ServiceAccount (authentication.k8s.io/v1 TokenRequest). Errors: those of
 * {@link Client}; an Error if the answer has no token that is valid in a header.
 */
export async function requestToken(
  client: Client,
  { namespace, name }: ObjectRef,
  { expirationSeconds, boundTo }: TokenWish,
  options?: CallOptions,
): Promise<string> {
  const boundObjectRef = boundTo && { apiVersion: 'v1', kind: 'Secret', ...boundTo };
  const { text } = await client.request(
    {
      method: 'POST',
      path: pathOf(serviceAccounts, { namespace, name, subresource: 'token' }),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds, boundObjectRef },
      }),
    },
    options,
  );
  const token = tokenIn(text);
  if (token === undefined) throw new Error(`the answer to a TokenRequest for ServiceAccount ${name} has no token`);
  return token;
}

function tokenIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const status = isRecord(answer) ? answer['status'] : undefined;
    const token = isRecord(status) ? status['token'] : undefined;
    return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

const serviceAccounts = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
} as const;
