import type { PolicyRule } from '@isthmus/api';
import { Role } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';

/** The object; if it is a Role that reads Secrets, its rule for them is limited to these names. */
export function limitedToSecrets(object: KubernetesObject, resourceNames: readonly string[]): KubernetesObject {
  const { rules } = object as Role;
  if (object.kind !== Role.kind || rules === undefined) return object;
  return { ...object, rules: rules.map((rule) => (isOfSecrets(rule) ? limited(rule, resourceNames) : rule)) } as Role;
}

/** The place of that rule in a Role; -1 where it reads none. */
export function indexOfSecrets({ rules = [] }: Role): number {
  return rules.findIndex(isOfSecrets);
}

const isOfSecrets = ({ resources, verbs }: PolicyRule) => resources?.join() === 'secrets' && verbs?.includes('list');

function limited({ verbs, ...rule }: PolicyRule, resourceNames: readonly string[]): PolicyRule {
  return { ...rule, resourceNames, verbs };
}
