import type { PolicyRule } from '@isthmus/api';
import type { GrantedRules } from '../rbac/policy-rules.ts';
import { rbacOf } from '../rbac/policy-rules.ts';
import type { ProcessDefinition, RemoteCredential } from './role.ts';

/**
 * The rules for the ServiceAccount of a role's process in its own cluster. Errors: throws if a role
 * declares access outside of its reach.
 */
export function ownRules({ name, own }: ProcessDefinition): GrantedRules {
  const rules = rbacOf(own.access, { at: 'local' });
  if (own.reach === 'own' && rules.all.length > 0) {
    throw new Error(`a ${name} acts in its own Namespace only, but declares ${JSON.stringify(rules.all)}`);
  }
  return rules;
}

/** The rules for a token of the credential in the Namespace of the process that issued it. */
export function remoteRules({ at, access }: RemoteCredential): readonly PolicyRule[] {
  return rbacOf(access, { at }).own;
}
