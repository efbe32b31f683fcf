/** One rule of a Role or a ClusterRole (rbac.authorization.k8s.io/v1). */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string | undefined;
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The request on a resource that a rule is matched against. */
export interface ResourceAsk {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly name: string | undefined;
}

/** Whether a rule allows a request about a resource. */
export function ruleAllowsResource(rule: PolicyRule, ask: ResourceAsk): boolean {
  const { verb, group, resource, subresource = '', name = '' } = ask;
  const path = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    has(rule.verbs, verb) &&
    has(rule.apiGroups, group) &&
    (rule.resources ?? []).some(
      (each) => each === '*' || each === path || (subresource !== '' && each === `*/${subresource}`),
    ) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(name))
  );
}

/** Whether a rule allows a request for a non-resource path. */
export function ruleAllowsPath(rule: PolicyRule, verb: string, path: string): boolean {
  return (
    has(rule.verbs, verb) &&
    (rule.nonResourceURLs ?? []).some(
      (each) =>
        each === '*' || each === path || (each.endsWith('*') && path.startsWith(each.slice(0, -1).replace(/\*+$/, ''))),
    )
  );
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((each) => each === '*' || each === value) === true;
}
