import { Annotation, ClusterNetworkPolicy, Tier, importedPrefix } from '@isthmus/api';
import type { CacheState, Resource } from '@isthmus/kube';
import { carriesOurLabel, isClaimed } from '@isthmus/wire';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';

/** What the replication of policies works on in the own cluster. */
export interface LocalPolicies extends OwnCluster {
  readonly policies: Resource<ClusterNetworkPolicy>;
  readonly tiers: Resource<Tier>;
  /** Whether this cluster can have policies; undefined: not known yet. */
  hasEngine(): boolean | undefined;
}

/** Optional, because the manifests of an older release do not let them be read; and there are none in a cluster without Antrea. */
const optional = { scope: 'all', optional: true, whenUnserved: 'empty' } as const;

/** The index of policies by their Tier. */
export const tierIndex = 'tier';

export function openLocalPolicies(own: OwnCluster): LocalPolicies {
  const policies = own.open(ClusterNetworkPolicy, {
    ...optional,
    name: 'clusterNetworkPolicies',
    // Without a selector that an older Antrea does not know, or that is misspelt, a policy would be about other Pods.
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

/** The name of the replicated policy that this one may be; undefined where it has no such name. */
export function replicatedName({ metadata }: ClusterNetworkPolicy): string | undefined {
  return metadata.name.startsWith(importedPrefix) ? metadata.name.slice(importedPrefix.length) : undefined;
}

/** Whether the member may change or delete it: it carries our label; or the mark of Antrea's member, in a cluster whose ClusterSet we serve. */
export function isOurPolicy(object: ClusterNetworkPolicy): boolean {
  const isMarked = object.metadata.annotations?.[Annotation.importedPolicy] !== undefined && !isClaimed(object);
  return replicatedName(object) !== undefined && (carriesOurLabel(object) || isMarked);
}
