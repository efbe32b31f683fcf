import type { ReasonDefinition } from './define-status.ts';

/** What can be wrong with any ClusterSet, a leader's or a member's. */
export const anyClusterSetReasons = {
  MultipleClusterSets: {
    on: ['Ready=False'],
    severity: 'error',
    meaning: 'The Namespace has another ClusterSet that is older. Only the older one is served.',
    cure: 'Delete the newer one, with the command in the message. If you delete the older one of a member, its imports and exports are removed before the newer one is served.',
  },
  ClusterIDNotSet: {
    on: ['Ready=False'],
    severity: 'error',
    meaning: '`spec.clusterID` is empty, and no ClusterClaim `id.k8s.io` names the ID of this cluster.',
    cure: 'Set `spec.clusterID` to the ID of this cluster.',
  },
  InvalidClusterID: {
    on: ['Ready=False'],
    severity: 'error',
    meaning: 'The cluster ID cannot be used: it becomes a label value and part of the names of objects.',
    cure: 'Choose another ID. The message names the problem.',
  },
} as const satisfies Readonly<Record<string, ReasonDefinition<'Ready'>>>;

/** The reason of the condition ConfigurationRejected, of a leader and of a member. */
export const configurationReasons = {
  InvalidConfiguration: {
    on: ['ConfigurationRejected=True'],
    severity: 'error',
    meaning:
      'The configuration file of the controller was changed, and cannot be read or is not valid. The former configuration stays in force until the controller restarts; then it does not start.',
    cure: 'Correct `controller_manager_config.yaml` in the ConfigMap antrea-mc-controller-config. The message names the line and the field. The condition goes away within about a minute.',
  },
} as const satisfies Readonly<Record<string, ReasonDefinition<'ConfigurationRejected'>>>;
