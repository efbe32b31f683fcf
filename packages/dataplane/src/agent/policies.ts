import { AntreaNetworkPolicy, ClusterNetworkPolicy, LabelIdentity, Namespace, Pod, Tier } from '@isthmus/api';
import type { Node, Service } from '@isthmus/api';
import type { Access, CacheOptions } from '@isthmus/kube';
import { createCache, metadataOf } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { hasAntreaAgent } from '../surroundings/antrea-agent.ts';
import { isImported } from '../objects/service-keys.ts';
import type { ReadPolicies } from '../policies/policy-reader.ts';
import { createPolicyReader } from '../policies/policy-reader.ts';

const kinds = [Pod, Namespace, LabelIdentity, ClusterNetworkPolicy, AntreaNetworkPolicy, Tier];

/**
 * The access that labels and policies need, beside that of every agent. The agent reads the Pods of
 * its Node alone; RBAC cannot express that limit.
 */
export const policyAccess: readonly Access[] = kinds.map((type) => ({
  at: 'local',
  type,
  scope: 'all',
  verbs: ['get', 'list', 'watch'],
}));

/** The objects that policies come from, followed. `node`: the name of the Node of the agent. */
export function openPolicies(
  every: Pick<CacheOptions<KubernetesObject>, 'client' | 'clock' | 'random' | 'log' | 'metrics'>,
  node: string,
) {
  const whenUnserved = 'empty' as const;
  const pods = createCache<Pod>({ ...every, type: Pod, fieldSelector: `spec.nodeName=${node}` });
  // Of a Namespace, its labels alone.
  const namespaces = createCache<Namespace>({ ...every, type: metadataOf(Namespace), name: 'namespaces' });
  const labelIdentities = createCache<LabelIdentity>({ ...every, type: LabelIdentity, whenUnserved });
  const clusterNetworkPolicies = createCache<ClusterNetworkPolicy>({
    ...every,
    type: ClusterNetworkPolicy,
    whenUnserved,
  });
  const networkPolicies = createCache<AntreaNetworkPolicy>({ ...every, type: AntreaNetworkPolicy, whenUnserved });
  const tiers = createCache<Tier>({ ...every, type: Tier, whenUnserved });
  const readPolicies = createPolicyReader();
  let isAntrea = false;
  return {
    caches: { pods, namespaces, labelIdentities, clusterNetworkPolicies, networkPolicies, tiers },
    /** Whether Antrea's agent enforces the policies of this Node. */
    get isAntrea() {
      return isAntrea;
    },
    /** Whether it has changed that Antrea's agent is on the Node, which has these devices now. */
    lookForAntrea(devices: readonly string[]): boolean {
      const before = isAntrea;
      isAntrea = hasAntreaAgent(devices);
      return isAntrea !== before;
    },
    /** `self`: the Node of the agent, if it is read; `services`: those of the cluster. */
    read: (self: Node | undefined, services: readonly Service[]): ReadPolicies =>
      readPolicies({
        node: self,
        pods: pods.list(),
        namespaceOf: (name) => namespaces.get({ name }),
        labelIdentityOf: (name) => labelIdentities.get({ name }),
        isEnforcing: !isAntrea,
        clusterNetworkPolicies: clusterNetworkPolicies.list(),
        networkPolicies: networkPolicies.list(),
        tiers: tiers.list(),
        services: services.filter(isImported),
      }),
  };
}

export type OpenPolicies = ReturnType<typeof openPolicies>;
