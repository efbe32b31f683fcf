import { anyClusterSetReasons } from './cluster-set.ts';
import { defineStatus } from './define-status.ts';

/** What a leader reports on its ClusterSet: whether it can be served, and in `clusterStatuses` how each member is doing. */
export const leaderClusterSetStatus = defineStatus({
  kind: 'ClusterSet',
  title: 'ClusterSet on a leader',
  writer: 'leader',
  conditions: {
    Ready: { meaning: 'Whether every member is connected.', wanted: 'True' },
    'clusterStatuses[].Ready': { meaning: 'Whether this member participates.', wanted: 'True' },
    'clusterStatuses[].ClusterConnected': { meaning: 'Whether this member sends heartbeats.', wanted: 'True' },
    WithdrawalHeld: {
      meaning: 'Present while published objects are kept that have lost their exports, and that no member withdrew.',
      wanted: 'absent',
    },
    ExportsIgnored: {
      meaning:
        'Present while a cluster exports, or announces, more than a leader accepts from one cluster, and the rest is ignored.',
      wanted: 'absent',
    },
    Unsupported: {
      meaning: 'Present while something is configured or exported that this version does not act on.',
      wanted: 'absent',
    },
  },
  reasons: {
    AllClustersReady: { on: ['Ready=True'], severity: 'ok', meaning: 'Every member is connected.' },
    NoReadyCluster: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: 'At least one member is not ready. The message names them.',
      cure: 'Check the entries of these clusters in `status.clusterStatuses`.',
    },
    NoMembers: {
      on: ['Ready=Unknown'],
      severity: 'wait',
      meaning: 'No member has joined yet.',
      cure: 'Join a cluster: create a ClusterSet and the Secret with its token there.',
    },
    InvalidLeaders: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: '`spec.leaders` of the ClusterSet on a leader must have exactly one entry: this cluster.',
      cure: "Set `spec.leaders` to one entry with this cluster's ID.",
    },
    ...anyClusterSetReasons,
    NotSupported: {
      on: ['Unsupported=True'],
      severity: 'warning',
      meaning:
        'This version reads a setting, or ResourceExports of a kind, and does not act on them. The message lists them. Everything else works.',
      cure: 'Remove what the message lists, or use a release that supports it.',
    },
    Connected: {
      on: ['clusterStatuses[].Ready=True', 'clusterStatuses[].ClusterConnected=True'],
      severity: 'ok',
      meaning: 'The member announces itself every ten seconds.',
    },
    Disconnected: {
      on: ['clusterStatuses[].Ready=False', 'clusterStatuses[].ClusterConnected=False'],
      severity: 'error',
      meaning:
        'The member has been silent for more than 30 seconds. Its exports are kept, and removed after 24 hours of silence.',
      cure: 'Check the ClusterSet in the member cluster, and whether its controller runs and reaches this API server.',
    },
    InvalidAnnounce: {
      on: ['clusterStatuses[].Ready=False', 'clusterStatuses[].ClusterConnected=False'],
      severity: 'error',
      meaning:
        'A MemberClusterAnnounce has a name that does not belong to its cluster ID, or an ID that cannot be used.',
      cure: 'Delete the announcement, or have the member choose another cluster ID. The message names the problem.',
    },
    OtherClusterSet: {
      on: ['clusterStatuses[].Ready=False', 'clusterStatuses[].ClusterConnected=False'],
      severity: 'error',
      meaning: 'The member announces itself for a ClusterSet of another name.',
      cure: "Give the member's ClusterSet the name of this one.",
    },
    WithdrawalHeld: {
      on: ['WithdrawalHeld=True', 'Event'],
      severity: 'warning',
      meaning:
        'Exports are missing although their members did not withdraw them. Their published imports are kept until they are exported again, or until their members have been connected for a minute without exporting them.',
      cure: 'Find out why the exports are missing (deleted objects or definitions, a restored backup). Connected members export again by themselves. To remove them, run the command in the message.',
    },
    ExportLimitExceeded: {
      on: ['ExportsIgnored=True', 'Event'],
      severity: 'warning',
      meaning:
        'A cluster has more, or larger, ResourceExports than a leader accepts from one cluster. Its youngest ones are ignored; their published imports stay unchanged. Other clusters are not affected. Of MemberClusterAnnounces of one cluster ID that are too many or too large the leader keeps what it needs.',
      cure: 'Find out what creates them: the message names the cluster, how many there are, and the command that removes them. If nothing in that cluster needs them, its token is misused: delete its ServiceAccount on the leader.',
    },
  },
});
