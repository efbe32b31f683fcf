import type { ReasonDefinition } from './define-status.ts';

/**
 * The reasons of the condition SettingsDiffer. The leader finds them; each member passes them on.
 */
export const settingsDifferReasons = {
  EndpointIPTypeDiffers: {
    on: ['SettingsDiffer=True'],
    severity: 'warning',
    meaning:
      'Members have different values of `endpointIPType`. Endpoints of one type may be reachable while endpoints of the other type are not.',
    cure: 'Set the same `endpointIPType` in the configuration of every member. The message names the clusters with each value.',
  },
  DataPlaneDiffers: {
    on: ['SettingsDiffer=True'],
    severity: 'error',
    meaning:
      'The gateways of the members run different data planes (annotation `isthmus.dev/dataplane` of their Gateways), which cannot exchange packets with each other.',
    cure: 'Run the same data plane in every member. The message names the clusters with each one.',
  },
  StretchedNetworkPolicyDiffers: {
    on: ['SettingsDiffer=True'],
    severity: 'warning',
    meaning:
      'Members have different values of `enableStretchedNetworkPolicy`. Rules of policies with `scope: ClusterSet` select only Pods of members where it is `true`, and have no effect in the other members.',
    cure: 'Set the same `enableStretchedNetworkPolicy` in the configuration of every member. The message names the clusters with each value.',
  },
  LeaderIDDiffers: {
    on: ['SettingsDiffer=True'],
    severity: 'warning',
    meaning:
      "The cluster ID of the leader in the ClusterSets of members (`spec.leaders[0].clusterID`) differs from the one in the leader's ClusterSet. Exports and imports work.",
    cure: 'If the ID in the members is right, delete the ClusterSet of the leader and create it again with that ID: no import changes. Otherwise correct the members; a member whose leader has another ID removes its imports and imports everything again.',
  },
} as const satisfies Readonly<Record<string, ReasonDefinition<'SettingsDiffer'>>>;
