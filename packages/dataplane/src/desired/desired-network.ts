import type { Network } from '../network/network.ts';
import { createRemembered } from '../remembered/remembered.ts';
import type { ClusterNetwork, ImportedService } from './cluster-network.ts';
import { identitySets } from './identities.ts';
import { exportedSets } from './table/filter-sets.ts';
import { filterTable } from './table/nft-table.ts';
import { ownNode } from './own-node.ts';
import { deniedPorts, egressChains, egressSets } from './egress-rules.ts';
import type { ServiceRules } from './service-rules.ts';
import { serviceRules } from './service-rules.ts';
import { createServiceTable } from './service-table.ts';
import { tunnelPaths } from './tunnel-paths.ts';
import { unreachedOf } from './usable-endpoints.ts';

/**
 * Decides the network that a Node should have. Pure: the same input gives an equal network. Parts
 * whose objects have not changed since the last time are the same objects again, so the cost of a
 * change depends on its size.
 *
 * Errors of the function: throws if the Node is not among the Nodes.
 */
export function createNetworkPlanner(): (cluster: ClusterNetwork) => Network {
  const rememberedPaths = createRemembered<Network>();
  const rememberedExports = createRemembered<Network['sets']>();
  const rememberedIdentities = createRemembered<Network['sets']>();
  const rememberedDenials = createRemembered<Network['sets']>();
  const rememberedJudging = createRemembered<Network['chains']>();
  const rememberedServices = createRemembered<WeakMap<ImportedService, ServiceRules>>();
  const rememberedRules = createRemembered<readonly ServiceRules[]>();
  const rememberedSets = createRemembered<Network['sets']>();
  const rememberedChains = createRemembered<Network['chains']>();
  const withServices = createServiceTable();
  return (cluster) => {
    const {
      node,
      nodes,
      podCIDRs,
      remotes,
      services,
      settings,
      silent,
      exported,
      virtualCIDRs,
      identities,
      egress,
      direct,
    } = cluster;
    const paths = rememberedPaths.get(
      '',
      [node, nodes, podCIDRs, virtualCIDRs, remotes, settings, silent, direct],
      () => ({
        ...tunnelPaths(cluster),
        ...filterTable(cluster),
      }),
    );
    const self = ownNode(cluster);
    const exportSets = rememberedExports.get('', [self, exported], () => exportedSets(cluster));
    const numbers = rememberedIdentities.get('', [identities, virtualCIDRs], () => identitySets(cluster));
    const unreached = unreachedOf(cluster);
    // Each of thousands of Services is looked up by its object. A name would first have to be
    // built.
    const rulesOf = rememberedServices.get('', [self, podCIDRs, [...unreached].join()], () => new WeakMap());
    const rules = rememberedRules.get('', [rulesOf, services], () =>
      services.map((service) => {
        const known = rulesOf.get(service);
        if (known !== undefined) return known;
        const made = serviceRules(service, self, { podCIDRs, unreached });
        rulesOf.set(service, made);
        return made;
      }),
    );
    const denied = rememberedDenials.get('', [egress, ...deniedPorts(cluster)], () => egressSets(cluster));
    const judging = rememberedJudging.get('', [egress], () => egressChains(cluster));
    const ofSets = [paths.sets, exportSets, numbers, denied];
    const sets = rememberedSets.get('', ofSets, () => new Map(ofSets.flatMap((some) => [...some])));
    const ofChains = [paths.chains, judging];
    const chains = rememberedChains.get('', ofChains, () => new Map(ofChains.flatMap((some) => [...some])));
    return withServices({ ...paths, sets, chains }, rules);
  };
}

/**
 * The network that a Node of this cluster should have. Errors: throws if the Node is not among the
 * Nodes.
 */
export function desiredNetwork(cluster: ClusterNetwork): Network {
  return createNetworkPlanner()(cluster);
}
