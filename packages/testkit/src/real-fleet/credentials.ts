import { RoleBinding, Secret, SecretKey, ServiceAccount } from '@isthmus/api';
import { memberAccount } from '@isthmus/install';
import type { Client } from '@isthmus/kube';
import { requestToken } from '@isthmus/kube';
import { after } from './world.ts';

/** A short-lived token of a ServiceAccount, like that of a Pod. */
export function serviceAccountToken(client: Client, namespace: string, name: string): Promise<string> {
  return requestToken(client, { namespace, name }, { expirationSeconds: 3600 });
}

/** The credential of a member for the leader: the data of a Secret, base64 as on the wire. */
export type MemberCredential = Readonly<Record<string, string>>;

/**
 * Issues the credential of one member on the leader; kube-controller-manager fills in the token.
 */
export async function issueMemberCredential(
  client: Client,
  namespace: string,
  clusterID: string,
): Promise<MemberCredential> {
  const { account, binding, secret } = memberAccount(namespace, clusterID);
  await client.create(ServiceAccount, account);
  await client.create(RoleBinding, binding);
  await client.create(Secret, secret);
  for (;;) {
    const { data } = await client.get(Secret, { namespace, name: secret.metadata.name });
    const [ca, token] = [data?.[SecretKey.caCrt], data?.[SecretKey.token]];
    if (ca !== undefined && token !== undefined) return { [SecretKey.caCrt]: ca, [SecretKey.token]: token };
    await after(20);
  }
}
