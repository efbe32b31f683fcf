import {
  ClusterRole,
  ClusterRoleBinding,
  Label,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import type { AdmissionRule } from '../admission/admission-rule.ts';
import {
  admissionAccess,
  admissionName,
  admissionReaderName,
  bindingSpec,
  policySpec,
} from '../admission/policy-specs.ts';
import { rbacOf } from '../rbac/policy-rules.ts';
import { controllerLabels, controllerNames } from '../roles/controller-names.ts';

/**
 * The policies by which an API server evaluates these rules, and their bindings, in the order of
 * their creation. Their names begin with `namespace`, because they are cluster-scoped and apply to
 * that Namespace only.
 */
export function admissionObjects(rules: readonly AdmissionRule[], namespace: string): readonly KubernetesObject[] {
  return rules.flatMap((rule) => [policyOf(rule, namespace), bindingOf(rule, namespace)]);
}

/**
 * The policies of a controller, and the right to read them. Without the policies there is no such
 * right, so the controller does not look for them.
 */
export function controllerAdmissionObjects(
  rules: readonly AdmissionRule[],
  namespace: string,
): readonly KubernetesObject[] {
  const name = admissionReaderName(namespace);
  const metadata = { name, labels: labelsIn(namespace) };
  return [
    ...admissionObjects(rules, namespace),
    {
      apiVersion: apiVersionOf(ClusterRole),
      kind: ClusterRole.kind,
      metadata,
      rules: rbacOf(admissionAccess(rules, namespace), { at: 'local' }).all,
    } as ClusterRole,
    {
      apiVersion: apiVersionOf(ClusterRoleBinding),
      kind: ClusterRoleBinding.kind,
      metadata,
      roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: controllerNames.serviceAccount, namespace }],
    } as ClusterRoleBinding,
  ];
}

function policyOf(rule: AdmissionRule, namespace: string): ValidatingAdmissionPolicy {
  return {
    apiVersion: apiVersionOf(ValidatingAdmissionPolicy),
    kind: ValidatingAdmissionPolicy.kind,
    metadata: { name: admissionName(rule, namespace), labels: labelsIn(namespace) },
    spec: policySpec(rule, namespace),
  };
}

function bindingOf(rule: AdmissionRule, namespace: string): ValidatingAdmissionPolicyBinding {
  return {
    apiVersion: apiVersionOf(ValidatingAdmissionPolicyBinding),
    kind: ValidatingAdmissionPolicyBinding.kind,
    metadata: { name: admissionName(rule, namespace), labels: labelsIn(namespace) },
    spec: bindingSpec(rule, namespace),
  };
}

function labelsIn(namespace: string) {
  return { ...controllerLabels, [Label.servedIn]: namespace };
}
