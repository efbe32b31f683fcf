import { Role, RoleBinding, Secret, ServiceAccount } from '@isthmus/api';
import type { JoiningAccount } from '@isthmus/install';
import type { Client } from '@isthmus/kube';
import { orNotFound, requestToken } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';

/** The life of the token in a join file. */
export const joinSeconds = 900;
const fieldManager = 'isthmus-grant';

/**
 * Creates the accounts of a member at its leader, and a token of a join file; that of an older file
 * ends. A command that was interrupted can be repeated.
 */
export async function issueJoinToken(
  client: Client,
  { accounts, roles, bindings, secrets }: JoiningAccount,
): Promise<string> {
  for (const account of Object.values(accounts)) await apply(client, ServiceAccount, account);
  for (const role of roles) await apply(client, Role, role);
  for (const binding of bindings) await apply(client, RoleBinding, binding);
  await apply(client, Secret, secrets.member);
  await orNotFound(client.delete(Secret, secrets.join.metadata));
  const { metadata } = await client.create(Secret, secrets.join);
  const boundTo = { name: metadata.name, uid: metadata.uid };
  return requestToken(client, accounts.join.metadata, { expirationSeconds: joinSeconds, boundTo });
}

async function apply<T extends KubernetesObject>(client: Client, type: ResourceType<T>, object: T): Promise<void> {
  await client.patch(type, object.metadata, { type: 'apply', body: object, fieldManager, force: true });
}
