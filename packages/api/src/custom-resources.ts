import type { ResourceDefinition } from '@isthmus/schema';
import { serviceExports } from './mcs/service-export.ts';
import { serviceImports } from './mcs/service-import.ts';
import { clusterClaims } from './multicluster/cluster-claim.ts';
import { clusterInfoImports } from './multicluster/cluster-info-import.ts';
import { clusterSets } from './multicluster/cluster-set.ts';
import { gateways } from './multicluster/gateway.ts';
import { knownClusters } from './multicluster/known-cluster.ts';
import { labelIdentities } from './multicluster/label-identity.ts';
import { memberClusterAnnounces } from './multicluster/member-cluster-announce.ts';
import { resourceExports } from './multicluster/resource-export.ts';
import { resourceImports } from './multicluster/resource-import.ts';

/**
 * The kinds that a leader cluster has (docs/spec/wire.md §2). ClusterClaim is in both lists:
 * Antrea's guide up to 1.12 creates it in every cluster.
 */
export const leaderResources: readonly ResourceDefinition[] = [
  clusterClaims,
  clusterSets,
  knownClusters,
  memberClusterAnnounces,
  resourceExports,
  resourceImports,
];

/** The kinds that a member cluster has. A dual-role cluster has both lists. */
export const memberResources: readonly ResourceDefinition[] = [
  clusterClaims,
  clusterInfoImports,
  clusterSets,
  gateways,
  labelIdentities,
  serviceExports,
  serviceImports,
];

/** Every custom resource, each once, in the order of their names. */
export const customResources: readonly ResourceDefinition[] = [
  clusterClaims,
  clusterInfoImports,
  clusterSets,
  gateways,
  knownClusters,
  labelIdentities,
  memberClusterAnnounces,
  resourceExports,
  resourceImports,
  serviceExports,
  serviceImports,
];
