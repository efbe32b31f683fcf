import { labelSelectorOf } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { LabelSelectorObject } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { pathSegmentName } from '../define.ts';
import { labelSelector } from '../field-checks.ts';
import { invalid, required } from '../field-rules.ts';

/**
 * The strategy of Roles and ClusterRoles. Only ClusterRoles may name paths (`nonResourceURLs`) and
 * aggregate other roles.
 */
export function roleStrategy(namespaced: boolean): Partial<Strategy> {
  const errors = (object: Stored) => [
    ...rulesOf(object).flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, namespaced)),
    ...aggregationErrors(object),
  ];
  return {
    nameProblems: pathSegmentName,
    createOnUpdate: true,
    validate: errors,
    validateUpdate: errors,
  };
}

interface Rule {
  readonly verbs?: readonly string[] | null | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

const rulesOf = (object: Stored) => (object['rules'] ?? []) as readonly Rule[];

function ruleErrors(rule: Rule, path: string, namespaced: boolean): readonly FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs: urls = [] } = rule;
  const errors =
    (rule.verbs ?? []).length === 0 ? [required(`${path}.verbs`, 'verbs must contain at least one value')] : [];
  if (urls.length > 0) {
    const wrong = (detail: string) => invalid(`${path}.nonResourceURLs`, urls, detail);
    if (namespaced) errors.push(wrong('namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      errors.push(wrong('rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function aggregationErrors(object: Stored): readonly FieldError[] {
  const rule = object['aggregationRule'] as
    | { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] }
    | undefined;
  if (rule === undefined) return [];
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = rule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return selectors.flatMap((selector, index) => {
    const at = `${path}[${index}]`;
    const errors = labelSelector(at, selector);
    return isReadable(selector) ? errors : [...errors, invalid(at, null, 'invalid label selector.')];
  });
}

function isReadable(selector: LabelSelectorObject): boolean {
  try {
    labelSelectorOf(selector);
    return true;
  } catch {
    return false;
  }
}
