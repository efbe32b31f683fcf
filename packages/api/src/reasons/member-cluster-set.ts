import { anyClusterSetReasons } from './cluster-set.ts';
import { defineStatus } from './define-status.ts';

/** Where the state of the session with the leader is shown once it is known to be bad. */
const lost = ['Ready=False', 'clusterStatuses[].Ready=False', 'clusterStatuses[].ClusterConnected=False'] as const;

/** What a member reports on its ClusterSet: how it stands to its leader. */
export const memberClusterSetStatus = defineStatus({
  kind: 'ClusterSet',
  title: 'ClusterSet on a member',
  writer: 'member',
  conditions: {
    Ready: {
      meaning: 'Whether this cluster participates in the ClusterSet.',
      wanted: 'True',
      withoutReason: ['Unknown'],
    },
    'clusterStatuses[].Ready': {
      meaning: 'Whether the leader answers this member.',
      wanted: 'True',
      withoutReason: ['True', 'Unknown'],
    },
    'clusterStatuses[].IsLeader': {
      meaning: 'Whether the cluster of this entry is confirmed as the leader.',
      wanted: 'True',
      withoutReason: ['True', 'False'],
    },
    'clusterStatuses[].ClusterConnected': {
      meaning: 'Whether the leader is reachable.',
      wanted: 'True',
      withoutReason: ['True', 'Unknown'],
    },
    WithdrawalHeld: {
      meaning:
        'Present while imports are kept that the leader does not have any more and that nobody withdrew, or exports whose objects are gone together with their CustomResourceDefinition.',
      wanted: 'absent',
    },
    ImportsExcluded: {
      meaning:
        'Present while the configuration of the controller excludes Namespaces from import. The message names them.',
      wanted: 'absent',
    },
    Unsupported: {
      meaning: 'Present while something is configured or published that this version does not act on.',
      wanted: 'absent',
    },
    TokenNotBound: {
      meaning:
        'Present while the ServiceAccount of this member, on the leader, does not name this cluster. A leader of Antrea requires it, a leader of Isthmus does not.',
      wanted: 'absent',
    },
  },
  reasons: {
    Connected: { on: ['Ready=True'], severity: 'ok', meaning: 'The leader answers, and Services are exchanged.' },
    Connecting: {
      on: ['Ready=Unknown'],
      severity: 'wait',
      meaning: 'The leader has not answered yet.',
      cure: 'Wait half a minute. If the reason does not change, check `spec.leaders[0].server` and the network between the two clusters.',
    },
    Disconnected: {
      on: lost,
      severity: 'error',
      meaning: 'The leader has not answered several heartbeats in a row. Existing imports are kept unchanged.',
      cure: "Check that the leader's API server runs and can be reached from this cluster. The message contains the last error.",
    },
    Unauthorized: {
      on: lost,
      severity: 'error',
      meaning: 'The leader does not accept the token of this member.',
      cure: 'Issue a new member token on the leader and put it into the Secret that `spec.leaders[0].secret` names.',
    },
    Refused: {
      on: lost,
      severity: 'error',
      meaning:
        'The leader rejects this member: its token lacks permissions, another cluster announces itself under the same ID, or the announcement belongs to another ClusterSet.',
      cure: 'Read the message: it names the cause and what to correct.',
    },
    LeaderControllerSilent: {
      on: ['Ready=False', 'clusterStatuses[].Ready=False'],
      severity: 'error',
      meaning:
        "The leader's API server answers, but its controller has not answered a heartbeat for 30 seconds. Exports and imports stay as they are until it does.",
      cure: "Check that the leader's controller runs in the Namespace that `spec.namespace` names. After a change from Isthmus to Antrea on the leader, remove the annotation `isthmus.dev/answered` from the MemberClusterAnnounce of this cluster there.",
    },
    LeaderClusterSetMissing: {
      on: ['Ready=False', 'clusterStatuses[].Ready=False'],
      severity: 'error',
      meaning: "The leader's controller runs, but there is no ClusterSet in its Namespace.",
      cure: 'Create the ClusterSet on the leader. The message contains its name and Namespace.',
    },
    OtherClusterSet: {
      on: ['Ready=False', 'clusterStatuses[].Ready=False'],
      severity: 'error',
      meaning: "The ClusterSet that the leader serves has another name than this cluster's.",
      cure: 'Give both the same name: delete one ClusterSet, and create it again under the name of the other.',
    },
    Leaving: {
      on: ['Ready=False'],
      severity: 'wait',
      meaning:
        'The ClusterSet is being deleted: imports are removed, and the leader is notified that this cluster leaves.',
      cure: 'Wait up to a minute. After that, the cluster leaves even if the leader cannot be reached.',
    },
    ClusterIDChanged: {
      on: ['Ready=True'],
      severity: 'warning',
      meaning:
        '`spec.clusterID` was changed while the cluster is a member. It stays a member under the ID that it joined with.',
      cure: 'Set `spec.clusterID` back, or delete the ClusterSet and create it again to join under the new ID.',
    },
    AccessDenied: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'The API server of this cluster does not let the controller do what it needs to, as when a ClusterRole or ClusterRoleBinding of Isthmus is gone or was changed. The message names verbs and resources. What is imported stays as it is.',
      cure: 'Run `kubectl apply -f deploy/member.yaml` with the file of the release that runs.',
    },
    KindsMissing: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'This cluster does not serve a kind without which the controller cannot work, as when a CustomResourceDefinition was deleted. The message names it. What is exported and imported stays as it is.',
      cure: 'Run `kubectl apply -f deploy/member.yaml` with the file of the release that runs.',
    },
    OutdatedManifests: {
      on: ['Ready=True'],
      severity: 'warning',
      meaning:
        'This cluster does not serve a kind that the release of the controller brings, or only in an older version, as after the manifests of Antrea; or it does not let the controller read it. The message names the kind and what is missing. Everything else works.',
      cure: 'Run `kubectl apply -f deploy/member.yaml` with the file of the release that runs.',
    },
    InvalidLeaders: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: '`spec.leaders` must have exactly one entry, with the cluster ID of the leader.',
      cure: 'Set `spec.leaders` to one entry, and its `clusterID` to the ID of the leader.',
    },
    InvalidServer: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: '`spec.leaders[0].server` is not an https URL.',
      cure: "Set it to the leader's API server, such as `https://10.0.0.1:6443`.",
    },
    InvalidNamespace: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: '`spec.namespace` is not set.',
      cure: "Set it to the Namespace of the leader's controller.",
    },
    InvalidSecret: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: '`spec.leaders[0].secret` is not set, or the Secret lacks `ca.crt` or `token`.',
      cure: "Name the Secret, or copy the missing key from the leader's token Secret.",
    },
    SecretNotFound: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: 'The Secret that `spec.leaders[0].secret` names does not exist in the Namespace of the ClusterSet.',
      cure: 'Create it from the member token that the leader cluster issued.',
    },
    ...anyClusterSetReasons,
    NotSupported: {
      on: ['Unsupported=True'],
      severity: 'warning',
      meaning:
        'This version reads a setting, an annotation of Nodes, or a kind of ResourceImport, and does not act on it. The message lists them. Everything else works.',
      cure: 'Remove what the message lists, or use a release that supports it. What Antrea clusters of the ClusterSet use among themselves can stay.',
    },
    NotBoundToCluster: {
      on: ['TokenNotBound=True'],
      severity: 'warning',
      meaning:
        'The ServiceAccount whose token this member uses lacks the annotation `multicluster.antrea.io/cluster-id`, or names another cluster there. Everything works with a leader of Isthmus; after a change of the leader to Antrea, this member would be rejected.',
      cure: 'Run the command in the message on the leader. It is noticed within half a minute.',
    },
    NotWatched: {
      on: ['Event'],
      severity: 'error',
      meaning: 'The ClusterSet is in a Namespace that no controller watches, so it has no effect.',
      cure: "Delete it, and create it in the Namespace of the member's controller, which the message names; or run a leader's controller in its Namespace.",
    },
    ClusterClaimMismatch: {
      on: ['Event'],
      severity: 'warning',
      meaning: 'A ClusterClaim does not name this ClusterSet. The name of the ClusterSet is used.',
      cure: 'Correct or delete the ClusterClaim.',
    },
    LeaderUnreachable: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'The cluster has left the ClusterSet without an answer from the leader. Its announcement and exports may remain on the leader for 24 hours.',
      cure: 'Wait, or delete the MemberClusterAnnounce that the message names on the leader.',
    },
    WithdrawalHeld: {
      on: ['WithdrawalHeld=True', 'Event'],
      severity: 'warning',
      meaning:
        'Imports of Services or of ClusterInfo are missing on the leader although nobody withdrew them: the leader lost them. This cluster keeps them until they are published again, or until their exporters have been connected for half a minute without exporting them. Or a CustomResourceDefinition was deleted in this cluster together with its ServiceExports or Gateways. Their exports are kept until the objects are applied again, for at most a day after the definition is.',
      cure: 'Find out why the leader lost them (deleted objects or definitions, a restored backup). Exporters and leader restore them by themselves. Where the message names a CustomResourceDefinition, apply it and its objects again in this cluster. To remove them, run the command in the message.',
    },
    ExcludedByConfiguration: {
      on: ['ImportsExcluded=True'],
      severity: 'warning',
      meaning: 'Services that other clusters export in these Namespaces are not imported here.',
      cure: 'To import them, remove the Namespaces from `importExcludedNamespaces` in the ConfigMap antrea-mc-controller-config, and restart the controller.',
    },
  },
});
