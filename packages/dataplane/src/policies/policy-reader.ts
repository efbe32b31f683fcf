import type { AntreaNetworkPolicy, ClusterNetworkPolicy, LabelIdentity, Service, Tier } from '@isthmus/api';
import { equal } from '@isthmus/machinery';
import type { EgressClass, PodIdentity } from '../desired/cluster-network.ts';
import type { Problem } from '../objects/problem.ts';
import { serviceKey } from '../objects/service-keys.ts';
import { createRemembered } from '../remembered/remembered.ts';
import { egressClasses } from './egress-classes.ts';
import type { EgressRule } from './egress-rule.ts';
import type { ClientObjects, ReadClients } from './read-clients.ts';
import { inputsOf, numbersOf, readClients } from './read-clients.ts';
import type { ReadPolicy } from './read-policy.ts';
import { readPolicy, tierPriorities } from './read-policy.ts';

/** The objects that policies, and the numbers of labels, come from. */
export interface PolicyObjects extends ClientObjects {
  /**
   * Whether this agent enforces policies. If Antrea's agent runs, that one does, because two agents
   * would not agree.
   */
  readonly isEnforcing: boolean;
  /** By the hash of the labels, which is its name. */
  readonly labelIdentityOf: (hash: string) => LabelIdentity | undefined;
  readonly clusterNetworkPolicies: readonly ClusterNetworkPolicy[];
  readonly networkPolicies: readonly AntreaNetworkPolicy[];
  readonly tiers: readonly Tier[];
  /** The imported Services of the cluster. */
  readonly services: readonly Service[];
}

export interface ReadPolicies {
  readonly identities: readonly PodIdentity[];
  readonly egress: readonly EgressClass[];
  readonly enforcedBy: 'Antrea' | 'agent';
  readonly rules: readonly EgressRule[];
  readonly problems: readonly Problem[];
}

/**
 * Reads policies and clients. A result that has not changed is the same object as the last time, so
 * a Pod that reports its health causes no work.
 */
export function createPolicyReader(): (objects: PolicyObjects) => ReadPolicies {
  const remembered = createRemembered<ReadPolicy>();
  const rememberedClients = createRemembered<ReadClients>();
  const rememberedClasses = createRemembered<readonly EgressClass[]>();
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
    // Endpoints change far more often than Pods of this Node and policies. There may be thousands
    // of policies.
    const own = rememberedClients.get('', inputsOf(objects), () => readClients(objects));
    const identities = numbersOf(own, objects.labelIdentityOf);
    const now = {
      identities,
      egress: rememberedClasses.get('', [own, ...rules], () => egressClasses(rules, own.clients)),
      enforcedBy: isEnforcing ? ('agent' as const) : ('Antrea' as const),
      rules,
      problems: [...read.flatMap(({ problems }) => problems), ...headlessProblems(rules, objects.services)],
    };
    last = {
      ...now,
      identities: last !== undefined && equal(last.identities, identities) ? last.identities : identities,
      egress: last !== undefined && equal(last.egress, now.egress) ? last.egress : now.egress,
    };
    return last;
  };
}

/** Problems of rules with a headless Service, which does not have an address to match. */
function headlessProblems(rules: readonly EgressRule[], services: readonly Service[]): readonly Problem[] {
  const headless = new Set(services.filter(({ spec }) => spec?.clusterIP === 'None').map(serviceKey));
  return rules.flatMap(({ kind, namespace, name, index, services: named }) =>
    [...named]
      .filter((service) => headless.has(service))
      .map((service) => ({
        kind,
        namespace,
        name,
        message: `The agent does not enforce egress[${index}] for ${service}: the Service is headless, so its clients connect straight to Pods.`,
      })),
  );
}
