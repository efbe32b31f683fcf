import {
  Annotation,
  FixedName,
  RoleBinding,
  Secret,
  ServiceAccount,
  memberAccountName,
  serviceAccountTokenType,
} from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';

/** The objects of a leader for one member. */
export interface MemberAccount {
  readonly account: ServiceAccount;
  readonly binding: RoleBinding;
  /** The API server fills in the token. */
  readonly secret: Secret;
}

/**
 * The account by which one member accesses the leader's Namespace: ServiceAccount, RoleBinding and
 * token Secret of one name, with the marks of `antctl` (docs/spec/membership.md §1).
 */
export function memberAccount(namespace: string, clusterID: string): MemberAccount {
  const name = memberAccountName(clusterID);
  const annotations = { [Annotation.createdByAntctl]: 'true' };
  return {
    account: {
      apiVersion: apiVersionOf(ServiceAccount),
      kind: ServiceAccount.kind,
      metadata: { name, namespace, annotations: { ...annotations, [Annotation.clusterID]: clusterID } },
    },
    binding: {
      apiVersion: apiVersionOf(RoleBinding),
      kind: RoleBinding.kind,
      metadata: { name, namespace, annotations },
      roleRef: { apiGroup: RoleBinding.group, kind: 'Role', name: FixedName.memberRole },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    secret: {
      apiVersion: apiVersionOf(Secret),
      kind: Secret.kind,
      metadata: { name, namespace, annotations: { ...annotations, [Annotation.serviceAccountName]: name } },
      type: serviceAccountTokenType,
    },
  };
}
