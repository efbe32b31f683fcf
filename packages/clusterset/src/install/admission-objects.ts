import { Label, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import { controllerLabels } from '../roles/controller-names.ts';
import type { AdmissionRule } from '../admission/admission-rule.ts';

/**
 * The policies by which an API server evaluates these rules, and their bindings, in the order in which they are to be created. They are cluster-scoped
 * and hold in `namespace` only, so their names begin with it.
 */
export function admissionObjects(rules: readonly AdmissionRule[], namespace: string): readonly KubernetesObject[] {
  return rules.flatMap((rule) => [policyOf(rule, namespace), bindingOf(rule, namespace)]);
}

function policyOf(rule: AdmissionRule, namespace: string): ValidatingAdmissionPolicy {
  const { types, operations, forEach, unjudged } = rule;
  return {
    apiVersion: apiVersionOf(ValidatingAdmissionPolicy),
    kind: ValidatingAdmissionPolicy.kind,
    metadata: { name: nameOf(rule, namespace), labels: labelsIn(namespace) },
    spec: {
      failurePolicy: unjudged === 'Allow' ? 'Ignore' : 'Fail',
      ...(forEach !== undefined && { paramKind: { apiVersion: apiVersionOf(forEach), kind: forEach.kind } }),
      matchConstraints: {
        // A request for another version of the same objects is judged as well.
        matchPolicy: 'Equivalent',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        // The default, written because server-side apply compares matchConstraints as a whole.
        objectSelector: {},
        resourceRules: types.map(({ group, version, plural }) => ({
          apiGroups: [group],
          apiVersions: [version],
          resources: [plural],
          operations,
          scope: 'Namespaced',
        })),
      },
      matchConditions: [{ name: 'judged', expression: rule.judges(namespace) }],
      validations: rule.requires(namespace).map((each) => ({ ...each, reason: 'Forbidden' })),
    },
  };
}

function bindingOf(rule: AdmissionRule, namespace: string): ValidatingAdmissionPolicyBinding {
  const name = nameOf(rule, namespace);
  return {
    apiVersion: apiVersionOf(ValidatingAdmissionPolicyBinding),
    kind: ValidatingAdmissionPolicyBinding.kind,
    metadata: { name, labels: labelsIn(namespace) },
    spec: {
      policyName: name,
      ...(rule.forEach !== undefined && {
        paramRef: { namespace, selector: {}, parameterNotFoundAction: 'Allow' },
      }),
      validationActions: ['Deny'],
    },
  };
}

function labelsIn(namespace: string) {
  return { ...controllerLabels, [Label.servedIn]: namespace };
}

function nameOf({ name }: AdmissionRule, namespace: string): string {
  return `${namespace}-isthmus-${name}`;
}
