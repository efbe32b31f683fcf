import type { LabelSelectorObject } from '@isthmus/machinery';
import type { WebhookClientConfig } from '../../definition/definition.ts';
import type { Stored } from '../../store/stored.ts';
import type { Operation } from '../../core/core.ts';

/**
 * One webhook of a configuration, with the defaults that the server has filled in
 * (admissionregistration.k8s.io/v1).
 */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly WebhookRule[] | undefined;
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  readonly matchPolicy?: 'Exact' | 'Equivalent' | undefined;
  readonly namespaceSelector?: LabelSelectorObject | undefined;
  readonly objectSelector?: LabelSelectorObject | undefined;
  readonly sideEffects?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly admissionReviewVersions?: readonly string[] | undefined;
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded' | undefined;
  readonly matchConditions?: readonly MatchCondition[] | undefined;
}

export interface MatchCondition {
  readonly name: string;
  /** CEL over the variables of admission. */
  readonly expression: string;
}

export interface WebhookRule {
  readonly operations?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly scope?: string | undefined;
  /** Rules of policies have it. Absent or empty: all names. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** A request as rules see it. */
export interface Requested {
  readonly operation: Operation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespaced: boolean;
  /** Empty if it is not known yet. */
  readonly name: string;
}

/**
 * All webhooks of the given configurations, in the order of the configurations and of their lists.
 */
export function webhooksOf(configurations: readonly Stored[]): readonly Webhook[] {
  return configurations.flatMap((configuration) => (configuration['webhooks'] ?? []) as readonly Webhook[]);
}

/** Whether a rule is about a request. */
export function ruleMatches(rule: WebhookRule, requested: Requested): boolean {
  const { operation, group, version, resource, subresource = '', namespaced, name } = requested;
  const { resourceNames = [] } = rule;
  return (
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, group) &&
    includes(rule.apiVersions, version) &&
    (rule.resources ?? []).some((each) => matchesResource(each, resource, subresource)) &&
    (rule.scope === undefined || rule.scope === '*' || (rule.scope === 'Namespaced') === namespaced) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

/**
 * `*` is every resource and no subresource; `* / *` everything; `pods/*` each subresource of Pods
 * and the Pods.
 */
function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  const [left = '', right] = pattern.split('/');
  const leftMatches = left === '*' || left === resource;
  if (right === undefined) return leftMatches && subresource === '';
  return leftMatches && (right === '*' || right === subresource);
}

function includes(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((each) => each === '*' || each === value) === true;
}
