import type { ReasonDefinition } from './define-status.ts';

/** The problems that any ClusterSet can have, a leader's or a member's. */
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

/** The reasons of the condition AdmissionIncomplete, of a leader and of a member. */
export const admissionReasons = {
  AdmissionPolicyMissing: {
    on: ['AdmissionIncomplete=True', 'Event'],
    severity: 'error',
    meaning:
      'A ValidatingAdmissionPolicy of the controller, or its binding, no longer exists, so the API server accepts requests that the policy rejects: on a leader, for example, exports that a member writes for another cluster.',
    cure: 'Apply the manifest of the release that the controller runs, or run `helm upgrade`. The condition goes away within about a minute. If you leave the policies out on purpose, delete the ClusterRoleBinding that the message names: without it, the controller cannot read its policies, and reports nothing about them.',
  },
  AdmissionPolicyChanged: {
    on: ['AdmissionIncomplete=True', 'Event'],
    severity: 'warning',
    meaning:
      'A ValidatingAdmissionPolicy of the controller or its binding rejects other requests than that of this release: a user has edited it, or the manifests and the controller are from different releases.',
    cure: 'Apply the manifest of the release that the controller runs, or run `helm upgrade`. The condition goes away within about a minute.',
  },
  AdmissionPoliciesNotServed: {
    on: ['AdmissionIncomplete=True', 'Event'],
    severity: 'error',
    meaning:
      'The API server does not serve ValidatingAdmissionPolicies, because it is older than Kubernetes 1.30 or because they are switched off. It accepts requests that the policies of the controller reject: on a leader, for example, exports that a member writes for another cluster.',
    cure: 'Upgrade the cluster to a [supported version of Kubernetes](versioning.md#support), or remove `admissionregistration.k8s.io/v1=false` from the `--runtime-config` of kube-apiserver. Then apply the manifest again: `kubectl apply` could not create the policies before.',
  },
} as const satisfies Readonly<Record<string, ReasonDefinition<'AdmissionIncomplete'>>>;

/** The condition of both. */
export const admissionCondition = {
  AdmissionIncomplete: {
    meaning:
      'Present while the API server lacks an admission policy of the controller, or has a different one. Also absent if the controller cannot read its policies.',
    wanted: 'absent',
  },
} as const;

/** The reason of the condition ConfigurationRejected, of a leader and of a member. */
export const configurationReasons = {
  InvalidConfiguration: {
    on: ['ConfigurationRejected=True'],
    severity: 'error',
    meaning:
      'The configuration file of the controller was changed, and cannot be read or is not valid. The previous configuration stays in effect, but a controller that restarts exits at once.',
    cure: 'Correct `controller_manager_config.yaml` in the ConfigMap antrea-mc-controller-config. The message names the line and the field. The condition goes away within about a minute.',
  },
} as const satisfies Readonly<Record<string, ReasonDefinition<'ConfigurationRejected'>>>;
