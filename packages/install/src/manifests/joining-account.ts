import {
  Annotation,
  FixedName,
  Label,
  Role,
  RoleBinding,
  Secret,
  joinSecretName,
  managedByIsthmus,
  memberAccountName,
  renewalRoleName,
} from '@isthmus/api';
import type { ServiceAccount } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import { memberAccount } from './member-account.ts';

/** The objects of a leader for a member whose tokens expire, in the order of their creation. */
export interface JoiningAccount {
  readonly account: ServiceAccount;
  /** The member's Role, and the right to renew the token. */
  readonly bindings: readonly RoleBinding[];
  readonly renewal: Role;
  /** The tokens of the member end with the first Secret, that of the join file with the second. */
  readonly member: Secret;
  readonly join: Secret;
}

/**
 * The account by which one member accesses the leader's Namespace with tokens that it renews. RBAC
 * limits it to its own account, and the admission policy `member-tokens` to the Secret
 * `member-<clusterID>`.
 */
export function joiningAccount(namespace: string, clusterID: string): JoiningAccount {
  const name = memberAccountName(clusterID);
  const { account, binding } = memberAccount(namespace, clusterID);
  const labels = { [Label.managedBy]: managedByIsthmus };
  const metadata = (of: string) => ({ name: of, namespace, labels });
  const { [Annotation.createdByAntctl]: _, ...annotations } = account.metadata.annotations ?? {};
  const [join, renew] = [joinSecretName(clusterID), renewalRoleName(clusterID)];
  const subjects = [{ kind: 'ServiceAccount' as const, name, namespace }];
  const bindingOf = (of: string, role: string): RoleBinding => ({
    apiVersion: apiVersionOf(RoleBinding),
    kind: RoleBinding.kind,
    metadata: metadata(of),
    roleRef: { apiGroup: RoleBinding.group, kind: 'Role', name: role },
    subjects,
  });
  const anchor = (of: string): Secret => ({
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: metadata(of),
    type: 'Opaque',
  });
  return {
    account: { ...account, metadata: { ...metadata(name), annotations } },
    bindings: [bindingOf(binding.metadata.name, FixedName.memberRole), bindingOf(renew, renew)],
    renewal: {
      apiVersion: apiVersionOf(Role),
      kind: Role.kind,
      metadata: metadata(renew),
      rules: [
        { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [name], verbs: ['create'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: [join], verbs: ['get', 'delete'] },
      ],
    },
    member: anchor(name),
    join: anchor(join),
  };
}
