import { AntreaNetworkPolicy, ClusterNetworkPolicy, LabelIdentity, Namespace, Pod, Tier } from '@isthmus/api';
import type { Node, Service } from '@isthmus/api';
import type { Access, CacheOptions } from '@isthmus/kube';
import { awaitedKindsAccess, createCache, metadataOf, untilDefined } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { hasAntreaAgent } from '../surroundings/antrea-agent.ts';
import { isImported } from '../objects/service-keys.ts';
import type { ReadPolicies } from '../policies/policy-reader.ts';
import { createPolicyReader } from '../policies/policy-reader.ts';

/** Kinds that a cluster does not need to have. */
const antreaKinds = [ClusterNetworkPolicy, AntreaNetworkPolicy, Tier];
const kinds = [Pod, Namespace, LabelIdentity, ...antreaKinds];

/**
 * The permissions that labels and policies need, beside those of every agent. The agent reads only
 * the Pods of its Node; RBAC cannot express that limit.
 */
export const policyAccess: readonly Access[] = [
  ...kinds.map((type) => ({ at: 'local', type, scope: 'all', verbs: ['get', 'list', 'watch'] }) as const),
  awaitedKindsAccess(...antreaKinds),
];

/**
 * The objects that policies come from, followed by watches. `node`: the name of the agent's Node.
 */
export function openPolicies(
  every: Pick<CacheOptions<KubernetesObject>, 'client' | 'clock' | 'random' | 'log' | 'metrics'>,
  node: string,
) {
  const whenUnserved = 'empty' as const;
  const ofAntrea = <T extends KubernetesObject>(type: ResourceType<T>) =>
    createCache<T>({ ...every, type, whenUnserved, untilServed: untilDefined({ ...every, type }) });
  const pods = createCache<Pod>({ ...every, type: Pod, fieldSelector: `spec.nodeName=${node}` });
  // Only the labels of a Namespace are read.
  const namespaces = createCache<Namespace>({ ...every, type: metadataOf(Namespace), name: 'namespaces' });
  const labelIdentities = createCache<LabelIdentity>({ ...every, type: LabelIdentity, whenUnserved });
  const clusterNetworkPolicies = ofAntrea<ClusterNetworkPolicy>(ClusterNetworkPolicy);
  const networkPolicies = ofAntrea<AntreaNetworkPolicy>(AntreaNetworkPolicy);
  const tiers = ofAntrea<Tier>(Tier);
  const readPolicies = createPolicyReader();
  let isAntrea = false;
  return {
    caches: { pods, namespaces, labelIdentities, clusterNetworkPolicies, networkPolicies, tiers },
    /** Whether Antrea's agent enforces the policies of this Node. */
    get isAntrea() {
      return isAntrea;
    },
    /**
     * Updates whether Antrea's agent is on the Node, from the devices of the Node. Returns whether
     * that has changed.
     */
    lookForAntrea(devices: readonly string[]): boolean {
      const before = isAntrea;
      isAntrea = hasAntreaAgent(devices);
      return isAntrea !== before;
    },
    /** `self`: the Node of the agent, if it has been read; `services`: those of the cluster. */
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
