import type { LabelSelectorObject } from '@isthmus/machinery';
import type { MatchCondition, WebhookRule } from './webhook-configuration.ts';

/** The requests that a policy or a binding is about, with the defaults that the server fills in. */
export interface MatchResources {
  readonly matchPolicy?: 'Exact' | 'Equivalent' | undefined;
  readonly namespaceSelector?: LabelSelectorObject | undefined;
  readonly objectSelector?: LabelSelectorObject | undefined;
  /** Absent: all. */
  readonly resourceRules?: readonly WebhookRule[] | undefined;
  readonly excludeResourceRules?: readonly WebhookRule[] | undefined;
}

export interface Validation {
  readonly expression: string;
  readonly message?: string | undefined;
  readonly messageExpression?: string | undefined;
  /** Default Invalid. */
  readonly reason?: 'Unauthorized' | 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge' | undefined;
}

/** The `spec` of a ValidatingAdmissionPolicy (admissionregistration.k8s.io/v1). */
export interface PolicySpec {
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  readonly paramKind?: ParamKind | undefined;
  readonly matchConstraints?: MatchResources | undefined;
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  readonly validations?: readonly Validation[] | undefined;
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[] | undefined;
}

export interface ParamKind {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}

export interface ParamRef {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly selector?: LabelSelectorObject | undefined;
  readonly parameterNotFoundAction?: 'Allow' | 'Deny' | undefined;
}

/** The `spec` of a ValidatingAdmissionPolicyBinding. */
export interface BindingSpec {
  readonly policyName?: string | undefined;
  readonly paramRef?: ParamRef | undefined;
  /** Absent: all requests that the policy is about. */
  readonly matchResources?: MatchResources | undefined;
  readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[] | undefined;
}
