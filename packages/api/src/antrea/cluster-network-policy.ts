import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { policyGroup } from '../names.ts';

/**
 * A policy of Antrea for a whole cluster. Its rules are judged by the definition in the cluster,
 * and carried as they are.
 */
export interface ClusterNetworkPolicy extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
}

/** A rank of policies; a policy names the one that it is in. */
export interface Tier extends KubernetesObject {
  readonly spec?: { readonly priority?: number | undefined } | undefined;
}

const policies = {
  group: policyGroup,
  kind: 'ClusterNetworkPolicy',
  plural: 'clusternetworkpolicies',
  namespaced: false,
} as const;
const tiers = { group: policyGroup, kind: 'Tier', plural: 'tiers', namespaced: false } as const;

export const ClusterNetworkPolicy: ResourceType<ClusterNetworkPolicy> = { ...policies, version: 'v1beta1' };
/** The form before Antrea 1.13; the fields that are replicated are the same. */
export const ClusterNetworkPolicyV1alpha1: ResourceType<ClusterNetworkPolicy> = { ...policies, version: 'v1alpha1' };
export const Tier: ResourceType<Tier> = { ...tiers, version: 'v1beta1' };
/** The form before Antrea 1.13. */
export const TierV1alpha1: ResourceType<Tier> = { ...tiers, version: 'v1alpha1' };

/** The Tier of a policy that names none. */
export const defaultTier = 'application';
