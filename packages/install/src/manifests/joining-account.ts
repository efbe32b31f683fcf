import {
  Annotation,
  FixedName,
  Label,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
  joinAccountName,
  managedByIsthmus,
  memberAccountName,
  renewalRoleName,
} from '@isthmus/api';
import type { PolicyRule } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import { memberAccount } from './member-account.ts';

/** The objects of a leader for a member whose tokens expire. */
export interface JoiningAccount {
  readonly accounts: { readonly member: ServiceAccount; readonly join: ServiceAccount };
  readonly roles: readonly Role[];
  readonly bindings: readonly RoleBinding[];
  /** The tokens of each account end with its Secret. */
  readonly secrets: { readonly member: Secret; readonly join: Secret };
}

/**
 * The accounts by which one member accesses the leader's Namespace with tokens that it renews. A
 * join file has a token of the second, which can do nothing but ask for one of the first. Then the
 * member deletes the binding of the second, which takes effect at once, and the Secret. The
 * admission policy `member-tokens` limits what tokens they can ask for.
 */
export function joiningAccount(namespace: string, clusterID: string): JoiningAccount {
  const [member, join, renew] = [memberAccountName(clusterID), joinAccountName(clusterID), renewalRoleName(clusterID)];
  const labels = { [Label.managedBy]: managedByIsthmus };
  const make = (name: string) => ({ name, namespace, labels });
  const { account, binding } = memberAccount(namespace, clusterID);
  const { [Annotation.createdByAntctl]: _, ...annotations } = account.metadata.annotations ?? {};
  const accountOf = (name: string, more: object = {}): ServiceAccount => ({
    apiVersion: apiVersionOf(ServiceAccount),
    kind: ServiceAccount.kind,
    metadata: { ...make(name), ...more },
  });
  const roleOf = (name: string, rules: readonly PolicyRule[]): Role => ({
    apiVersion: apiVersionOf(Role),
    kind: Role.kind,
    metadata: make(name),
    rules,
  });
  const bindingOf = (name: string, role: string, to: string): RoleBinding => ({
    apiVersion: apiVersionOf(RoleBinding),
    kind: RoleBinding.kind,
    metadata: make(name),
    roleRef: { ...binding.roleRef, name: role },
    subjects: [{ kind: 'ServiceAccount', name: to, namespace }],
  });
  const secretOf = (name: string): Secret => ({
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: make(name),
    type: 'Opaque',
  });
  const named = (group: string, resource: string, name: string, verb: string): PolicyRule => ({
    apiGroups: [group],
    resources: [resource],
    resourceNames: [name],
    verbs: [verb],
  });
  const issue = named('', 'serviceaccounts/token', member, 'create');
  return {
    accounts: { member: accountOf(member, { annotations }), join: accountOf(join) },
    roles: [
      roleOf(renew, [issue, named('', 'secrets', join, 'delete'), named(Role.group, 'rolebindings', join, 'delete')]),
      roleOf(join, [issue]),
    ],
    bindings: [
      bindingOf(member, FixedName.memberRole, member),
      bindingOf(renew, renew, member),
      bindingOf(join, join, join),
    ],
    secrets: { member: secretOf(member), join: secretOf(join) },
  };
}
