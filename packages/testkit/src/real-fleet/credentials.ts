import {
  Annotation,
  FixedName,
  RoleBinding,
  Secret,
  SecretKey,
  ServiceAccount,
  serviceAccountTokenType,
} from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { after } from './world.ts';

/** A short-lived token of a ServiceAccount, as a Pod would get it. */
export async function serviceAccountToken(client: Client, namespace: string, name: string): Promise<string> {
  const { text } = await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 3600 },
    }),
  });
  return (JSON.parse(text) as { readonly status: { readonly token: string } }).status.token;
}

/** What a member needs to reach the leader: the data of a Secret, base64 as on the wire. */
export type MemberCredential = Readonly<Record<string, string>>;

/**
 * Issues the credential of one member on the leader, as control-plane.md §2.4 has it: ServiceAccount, RoleBinding and token Secret of
 * one name; the token is what kube-controller-manager fills in.
 */
export async function issueMemberCredential(
  client: Client,
  namespace: string,
  clusterID: string,
): Promise<MemberCredential> {
  const name = `member-${clusterID}`;
  const annotations = { [Annotation.createdByAntctl]: 'true' };
  await client.create(ServiceAccount, {
    metadata: { name, namespace, annotations: { ...annotations, [Annotation.clusterID]: clusterID } },
  });
  await client.create(RoleBinding, {
    metadata: { name, namespace, annotations },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: FixedName.memberRole },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  await client.create(Secret, {
    metadata: { name, namespace, annotations: { ...annotations, [Annotation.serviceAccountName]: name } },
    type: serviceAccountTokenType,
  });
  for (;;) {
    const { data } = await client.get(Secret, { namespace, name });
    const [ca, token] = [data?.[SecretKey.caCrt], data?.[SecretKey.token]];
    if (ca !== undefined && token !== undefined) return { [SecretKey.caCrt]: ca, [SecretKey.token]: token };
    await after(20);
  }
}
