import { FixedName } from '@isthmus/api';
import type { Client, World } from '@isthmus/kube';
import type { AdmissionWatch } from '@isthmus/controlplane';
import { createAdmissionCheck } from './admission-check.ts';
import { leaderRules, memberRules } from './rules.ts';

export interface OwnPoliciesOptions {
  /** For the API server of the cluster. A denied request does not mean that anything is wrong. */
  readonly client: Client;
  /** The Namespace of the controller. */
  readonly namespace: string;
  readonly world: World;
  /** The interval of the checks, in milliseconds. Default: a minute; tests have less time. */
  readonly everyMs?: number | undefined;
}

/** Watches the admission policies of a leader. */
export function leaderAdmission(options: OwnPoliciesOptions): AdmissionWatch {
  const isDefault = options.namespace === FixedName.leaderNamespace;
  const manifest = isDefault ? 'deploy/leader.yaml' : 'deploy/leader-namespaced.yaml';
  return createAdmissionCheck({ ...options, manifest, rules: leaderRules });
}

/** Watches the admission policies of a member. */
export function memberAdmission(options: OwnPoliciesOptions): AdmissionWatch {
  return createAdmissionCheck({ ...options, manifest: 'deploy/member.yaml', rules: memberRules });
}
