import type { AntreaNetworkPolicy, ClusterNetworkPolicy, Tier } from '@isthmus/api';
import { equal } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import type { Problem } from '../objects/problem.ts';
import { createRemembered } from '../remembered/remembered.ts';
import { egressClasses } from './egress-classes.ts';
import type { EgressRule } from './egress-rule.ts';
import type { ClientObjects } from './read-clients.ts';
import { readClients } from './read-clients.ts';
import type { ReadPolicy } from './read-policy.ts';
import { readPolicy, tierPriorities } from './read-policy.ts';

/** The objects that policies, and the numbers of labels, come from. */
export interface PolicyObjects extends ClientObjects {
  /** Whether this agent enforces policies: Antrea's does where it runs, and two would not agree. */
  readonly isEnforcing: boolean;
  readonly clusterNetworkPolicies: readonly ClusterNetworkPolicy[];
  readonly networkPolicies: readonly AntreaNetworkPolicy[];
  readonly tiers: readonly Tier[];
}

export interface ReadPolicies extends Required<Pick<ClusterNetwork, 'identities' | 'egress'>> {
  readonly rules: readonly EgressRule[];
  readonly problems: readonly Problem[];
}

/** Reads them. What comes out the same is the same object as the last time, so that a Pod that reports its health costs nothing. */
export function createPolicyReader(): (objects: PolicyObjects) => ReadPolicies {
  const remembered = createRemembered<ReadPolicy>();
  let last: ReadPolicies | undefined;
  return (objects) => {
    const { isEnforcing, clusterNetworkPolicies, networkPolicies } = objects;
    const tiers = tierPriorities(objects.tiers);
    const read = !isEnforcing
      ? []
      : [
          ...clusterNetworkPolicies.map((policy) => ({ kind: 'ClusterNetworkPolicy' as const, policy })),
          ...networkPolicies.map((policy) => ({ kind: 'NetworkPolicy' as const, policy })),
        ].map(({ kind, policy }) =>
          remembered.get(
            `${kind} ${policy.metadata.namespace ?? ''}/${policy.metadata.name}`,
            [policy, ...objects.tiers],
            () => readPolicy(kind, policy, tiers),
          ),
        );
    remembered.endRound();
    const rules = read.flatMap((one) => one.rules);
    const { clients, identities } = readClients(objects);
    const now = {
      identities,
      egress: egressClasses(rules, clients),
      rules,
      problems: read.flatMap(({ problems }) => problems),
    };
    last = {
      ...now,
      identities: last !== undefined && equal(last.identities, identities) ? last.identities : identities,
      egress: last !== undefined && equal(last.egress, now.egress) ? last.egress : now.egress,
    };
    return last;
  };
}
