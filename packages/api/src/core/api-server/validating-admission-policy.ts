import type { KubernetesObject, LabelSelectorObject } from '@isthmus/machinery';
import { builtIn } from '../built-in.ts';
import type { RuleWithOperations } from './webhook-configuration.ts';

interface NamedRule extends RuleWithOperations {
  /** Absent: all names. */
  readonly resourceNames?: readonly string[] | undefined;
}

interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/**
 * Rules in CEL that the API server evaluates itself; without a
 * {@link ValidatingAdmissionPolicyBinding} it evaluates none.
 */
export interface ValidatingAdmissionPolicy extends KubernetesObject {
  readonly spec?:
    | {
        /** How a request is handled if an expression cannot be evaluated. */
        readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
        /** The kind of `params`; absent: there are none. */
        readonly paramKind?:
          | { readonly apiVersion?: string | undefined; readonly kind?: string | undefined }
          | undefined;
        readonly matchConstraints?:
          | {
              readonly matchPolicy?: 'Equivalent' | 'Exact' | undefined;
              readonly namespaceSelector?: LabelSelectorObject | undefined;
              readonly objectSelector?: LabelSelectorObject | undefined;
              readonly resourceRules?: readonly NamedRule[] | undefined;
              readonly excludeResourceRules?: readonly NamedRule[] | undefined;
            }
          | undefined;
        readonly matchConditions?: readonly NamedExpression[] | undefined;
        readonly validations?:
          | readonly {
              readonly expression: string;
              readonly message?: string | undefined;
              /** Goes before `message` where it has a value. */
              readonly messageExpression?: string | undefined;
              readonly reason?: 'Unauthorized' | 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge' | undefined;
            }[]
          | undefined;
      }
    | undefined;
}

export interface ValidatingAdmissionPolicyBinding extends KubernetesObject {
  readonly spec?:
    | {
        readonly policyName?: string | undefined;
        readonly paramRef?:
          | {
              readonly namespace?: string | undefined;
              readonly selector?: LabelSelectorObject | undefined;
              readonly parameterNotFoundAction?: 'Allow' | 'Deny' | undefined;
            }
          | undefined;
        /** Narrows the policy down further. */
        readonly matchResources?: object | undefined;
        readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[] | undefined;
      }
    | undefined;
}

const registration = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const;

/** Served since Kubernetes 1.30. */
export const ValidatingAdmissionPolicy = builtIn<ValidatingAdmissionPolicy>({
  ...registration,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  statusSubresource: true,
});

export const ValidatingAdmissionPolicyBinding = builtIn<ValidatingAdmissionPolicyBinding>({
  ...registration,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  statusSubresource: false,
});
