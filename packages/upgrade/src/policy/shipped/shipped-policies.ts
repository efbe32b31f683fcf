import { formatFieldError } from '@isthmus/schema';
import { upgradeGroup, upgradeVersion } from '../../file-kind.ts';
import type { Policy } from '../policy.ts';
import { policy } from '../policy.ts';
import { antreaMulticluster } from './antrea-multicluster.ts';
import { antrea } from './antrea.ts';
import { cilium } from './cilium.ts';
import { clusterApi } from './cluster-api.ts';
import { eksAnywhere } from './eks-anywhere.ts';
import { isthmus } from './isthmus.ts';
import { kubernetes } from './kubernetes.ts';
import type { PolicyData } from './policy-data.ts';

/** Ours first, the others by name. */
const shipped: readonly PolicyData[] = [
  isthmus,
  antrea,
  antreaMulticluster,
  cilium,
  clusterApi,
  eksAnywhere,
  kubernetes,
];

/**
 * The files of the policies that ship with isthmus, as a user would write them: without defaults.
 */
export function shippedPolicyFiles(): readonly object[] {
  return shipped.map(({ name, spec }) => ({
    apiVersion: `${upgradeGroup}/${upgradeVersion}`,
    kind: policy.kind,
    metadata: { name },
    spec,
  }));
}

/**
 * The policies that ship with isthmus, read as files are. They need no check: the tests hold
 * `policyProblems` against them.
 */
export function shippedPolicies(): readonly Policy[] {
  return shippedPolicyFiles().map((file) => {
    const { value, unknownFields, errors } = policy.decode(file);
    const wrong = [...unknownFields, ...errors.map(formatFieldError)];
    if (wrong.length > 0) throw new Error(`a shipped policy is not valid: ${wrong.join('; ')}`);
    return value;
  });
}
