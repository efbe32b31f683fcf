import type { PolicyRule } from '@isthmus/api';

/**
 * A request in the form that the RBAC authorizer gets, after the server has determined the user and
 * the Namespace.
 */
export interface ResourceRequest {
  readonly verb: string;
  readonly group: string;
  /** `plural` or `plural/subresource`. */
  readonly resource: string;
  /** Empty for create, and for list and watch without a field selector on the name. */
  readonly name: string;
}

/**
 * Whether one of the rules allows the request, by the decision of kube-apiserver's RBAC authorizer
 * for rules without wildcards: verb, group and resource must each be listed, and the name too
 * unless the rule lists none.
 */
export function isAllowedBy(rules: readonly PolicyRule[], request: ResourceRequest): boolean {
  return rules.some(
    (rule) =>
      rule.verbs.includes(request.verb) &&
      (rule.apiGroups ?? []).includes(request.group) &&
      (rule.resources ?? []).includes(request.resource) &&
      ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(request.name)),
  );
}
