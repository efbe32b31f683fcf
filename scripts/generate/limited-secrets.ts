import type { PolicyRule } from '@isthmus/api';
import { Role } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';

/** The names of Secrets with tokens: those that are read, and those whose token is renewed. */
export interface SecretNames {
  readonly read: readonly string[];
  readonly renewed: readonly string[];
}

/** The object; if it is a Role for Secrets, its rules for them are limited to these names. */
export function limitedToSecrets(object: KubernetesObject, { read, renewed }: SecretNames): KubernetesObject {
  const { rules } = object as Role;
  if (object.kind !== Role.kind || rules === undefined) return object;
  const limit = (rule: PolicyRule) => {
    if (rule.resources?.join() !== 'secrets') return rule;
    return limited(rule, isOfSecrets(rule) ? read : renewed);
  };
  return { ...object, rules: rules.map(limit) } as Role;
}

/** The place of that rule in a Role; -1 where it reads none. */
export function indexOfSecrets({ rules = [] }: Role): number {
  return rules.findIndex(isOfSecrets);
}

const isOfSecrets = ({ resources, verbs }: PolicyRule) => resources?.join() === 'secrets' && verbs?.includes('list');

function limited({ verbs, ...rule }: PolicyRule, resourceNames: readonly string[]): PolicyRule {
  return { ...rule, resourceNames, verbs };
}
