import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@isthmus/api';
import type { Access } from '@isthmus/kube';
import { apiVersionOf } from '@isthmus/machinery';
import type { AdmissionRule } from './admission-rule.ts';

/**
 * The name of the policy of a rule and of its binding. It begins with `namespace`, because they are
 * cluster-scoped and apply to that Namespace only.
 */
export function admissionName({ name }: AdmissionRule, namespace: string): string {
  return `${namespace}-isthmus-${name}`;
}

/** The policy by which an API server evaluates the rule. */
export function policySpec(rule: AdmissionRule, namespace: string): NonNullable<ValidatingAdmissionPolicy['spec']> {
  const { types, operations, forEach, reach, unjudged } = rule;
  return {
    failurePolicy: unjudged === 'Allow' ? 'Ignore' : 'Fail',
    ...(forEach !== undefined && { paramKind: { apiVersion: apiVersionOf(forEach), kind: forEach.kind } }),
    matchConstraints: {
      // A request for another version of the same objects is evaluated as well.
      matchPolicy: 'Equivalent',
      namespaceSelector: reach === 'cluster' ? {} : { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      // The defaults, written because server-side apply compares matchConstraints as a whole.
      objectSelector: {},
      resourceRules: types.map(({ group, version, plural }) => ({
        apiGroups: [group],
        apiVersions: [version],
        resources: [plural],
        operations,
        scope: reach === 'cluster' ? '*' : 'Namespaced',
      })),
    },
    matchConditions: [{ name: 'judged', expression: rule.judges(namespace) }],
    validations: rule.requires(namespace).map((each) => ({ ...each, reason: 'Forbidden' })),
  };
}

/** The binding, which puts the policy into force. */
export function bindingSpec(
  rule: AdmissionRule,
  namespace: string,
): NonNullable<ValidatingAdmissionPolicyBinding['spec']> {
  return {
    policyName: admissionName(rule, namespace),
    ...(rule.forEach !== undefined && {
      paramRef: { namespace, selector: {}, parameterNotFoundAction: 'Allow' },
    }),
    validationActions: ['Deny'],
  };
}

/**
 * The name of the ClusterRole by which a controller reads its own policies and bindings, and of its
 * binding.
 */
export function admissionReaderName(namespace: string): string {
  return `${namespace}-isthmus-read-admission`;
}

/**
 * The access that a controller needs to find out whether its policies are in force: get, by name.
 * And list and watch, of all policies of the cluster: RBAC grants a watch by name for one name
 * alone. Without these two, a controller asks every minute.
 */
export function admissionAccess(rules: readonly AdmissionRule[], namespace: string): readonly Access<'local'>[] {
  const resourceNames = rules.map((rule) => admissionName(rule, namespace));
  return [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding].flatMap((type) => {
    const access = { at: 'local', type, scope: 'all', optional: true } as const;
    return [
      { ...access, verbs: ['get'], resourceNames },
      { ...access, verbs: ['list', 'watch'] },
    ] as const;
  });
}
