import { Annotation, ClusterNetworkPolicy, Tier, importedPrefix } from '@isthmus/api';
import type { CacheState, Resource } from '@isthmus/kube';
import { carriesOurLabel, isClaimed } from '@isthmus/wire';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';

/** The objects of the own cluster that the replication of policies uses. */
export interface LocalPolicies extends OwnCluster {
  readonly policies: Resource<ClusterNetworkPolicy>;
  readonly tiers: Resource<Tier>;
  /** Whether this cluster can have policies; undefined: not known yet. */
  hasEngine(): boolean | undefined;
}

/**
 * Optional, because the manifests of an older release do not grant read access. In a cluster
 * without Antrea there are no policies.
 */
const optional = { scope: 'all', optional: true, whenUnserved: 'empty' } as const;

/** The index of policies by their Tier. */
export const tierIndex = 'tier';

export function openLocalPolicies(own: OwnCluster): LocalPolicies {
  const policies = own.open(ClusterNetworkPolicy, {
    ...optional,
    name: 'clusterNetworkPolicies',
    // A selector can be misspelt, or unknown to an older Antrea. Without it, a policy would apply
    // to other Pods.
    fieldValidation: 'Strict',
    indexes: { [tierIndex]: ({ spec }) => (typeof spec?.['tier'] === 'string' ? [spec['tier']] : []) },
  });
  const tiers = own.open(Tier, { ...optional, name: 'tiers' });
  const all = [policies.cache, tiers.cache];
  return {
    ...own,
    policies,
    tiers,
    hasEngine() {
      if (all.some(({ state }) => isUnserved(state))) return false;
      return all.every(({ synced }) => synced) ? true : undefined;
    },
  };
}

function isUnserved(state: CacheState): boolean {
  return state.kind === 'failing' && state.code === 404;
}

/**
 * The name of the policy that this object may be a replica of. Undefined if its name does not have
 * that form.
 */
export function replicatedName({ metadata }: ClusterNetworkPolicy): string | undefined {
  return metadata.name.startsWith(importedPrefix) ? metadata.name.slice(importedPrefix.length) : undefined;
}

/**
 * Whether the member may change or delete it. It may if the object carries our label. In a cluster
 * whose ClusterSet we serve, the mark of Antrea's member also allows it.
 */
export function isOurPolicy(object: ClusterNetworkPolicy): boolean {
  const isMarked = object.metadata.annotations?.[Annotation.importedPolicy] !== undefined && !isClaimed(object);
  return replicatedName(object) !== undefined && (carriesOurLabel(object) || isMarked);
}
