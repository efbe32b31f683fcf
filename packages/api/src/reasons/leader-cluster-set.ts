import { admissionCondition, admissionReasons, anyClusterSetReasons, configurationReasons } from './cluster-set.ts';
import { defineStatus } from './define-status.ts';
import { settingsDifferReasons } from './settings-differ.ts';
import { statusRejectedReason } from './status-rejected.ts';

/**
 * The reports of a leader on its ClusterSet: whether it can be served, and in `clusterStatuses` the
 * state of each member.
 */
export const leaderClusterSetStatus = defineStatus({
  kind: 'ClusterSet',
  title: 'ClusterSet on a leader',
  writer: 'leader',
  conditions: {
    Ready: { meaning: 'Whether every member is connected.', wanted: 'True' },
    'clusterStatuses[].Ready': { meaning: 'Whether this member participates in the ClusterSet.', wanted: 'True' },
    'clusterStatuses[].ClusterConnected': { meaning: 'Whether this member sends heartbeats.', wanted: 'True' },
    WithdrawalHeld: {
      meaning:
        'Present while the leader keeps published imports whose exports are missing although no member withdrew them.',
      wanted: 'absent',
    },
    ExportsIgnored: {
      meaning:
        'Present while a cluster exports or announces more than the leader accepts from one cluster; the excess is ignored.',
      wanted: 'absent',
    },
    SettingsDiffer: {
      meaning: 'Present while the members differ in a setting that has to be the same in all of them.',
      wanted: 'absent',
    },
    Unsupported: {
      meaning: 'Present while this version ignores something that is configured or exported.',
      wanted: 'absent',
    },
    ...admissionCondition,
    ConfigurationRejected: {
      meaning: 'Present while the controller does not use its changed configuration file, because it is not valid.',
      wanted: 'absent',
    },
    SettingsMissing: {
      meaning: 'Present while members export something that the leader ignores because a setting is off on the leader.',
      wanted: 'absent',
    },
    AccountsNotBound: {
      meaning: 'Present while a ServiceAccount of members is in use but not bound to a cluster. The message names it.',
      wanted: 'absent',
    },
    MembersSuspended: {
      meaning:
        'Present while the ServiceAccount of a member is suspended, or should be, because the member wrote far more than its quota. The message names it.',
      wanted: 'absent',
    },
    NetworksNotGranted: {
      meaning:
        'Present while clusters announce ranges or gateways that are not granted to them, or wait for an administrator. The message names them.',
      wanted: 'absent',
    },
    ExportersNotAnnounced: {
      meaning:
        'Present while a cluster has exports and no MemberClusterAnnounce, or one that is being deleted, for half a minute or more. The message names it.',
      wanted: 'absent',
    },
    NumbersExhausted: {
      meaning:
        'Present while something is not published because all of its numbers are in use, or all that the leader keeps for one cluster.',
      wanted: 'absent',
    },
    VirtualPodCIDRsMissing: {
      meaning:
        'Present while a cluster whose Pod CIDR overlaps with a range of another cluster has no virtual Pod CIDR, because the pool is too small for it. The message names it.',
      wanted: 'absent',
    },
  },
  reasons: {
    AllClustersReady: { on: ['Ready=True'], severity: 'ok', meaning: 'Every member is connected.' },
    NoReadyCluster: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: 'One or more members are not ready. The message names them.',
      cure: 'Check the entries of these clusters in `status.clusterStatuses`.',
    },
    KindsMissing: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'This cluster does not serve a kind that the controller needs, for example because a CustomResourceDefinition was deleted. The message names the kind. Importing clusters keep their imports.',
      cure: 'Run `kubectl apply -f deploy/leader-crds.yaml`, or `helm upgrade` if Helm installed Isthmus, with the files of the release that the controller runs. Members then export again without your help.',
    },
    NoMembers: {
      on: ['Ready=Unknown'],
      severity: 'wait',
      meaning: 'No member has joined yet.',
      cure: 'Join a cluster: in that cluster, create the Secret with its token and a ClusterSet.',
    },
    InvalidLeaders: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: '`spec.leaders` of the ClusterSet on a leader must have exactly one entry: this cluster.',
      cure: "Set `spec.leaders` to one entry with this cluster's ID.",
    },
    ...anyClusterSetReasons,
    ...statusRejectedReason,
    WriteRejected: {
      on: ['Event'],
      severity: 'error',
      meaning:
        'The API server rejects a write of the controller that no other object reports, such as the deletion of a ResourceImport, a finalizer or the status of a ResourceExport, or the answer to a heartbeat. Until it is accepted, importing clusters keep what they have.',
      cure: 'Read the message: it contains the answer of the API server. Correct the role, the admission policy or the quota that it names. The write is tried again at most 30 seconds later.',
    },
    UpdateRejected: {
      on: ['Event'],
      severity: 'error',
      meaning:
        'The API server rejects a change that the controller makes to the ClusterSet: its annotations, or `spec.clusterID` from a ClusterClaim. Its status is up to date.',
      cure: 'Read the message: it contains the answer of the API server. Correct the role, the admission policy or the webhook that it names. The write is tried again every 10 seconds.',
    },
    NotSupported: {
      on: ['Unsupported=True'],
      severity: 'warning',
      meaning:
        'This version ignores a setting or a kind of ResourceExport. The message lists what is ignored. Everything else works.',
      cure: 'Remove what the message lists, or use a release that supports it.',
    },
    AccountNotBound: {
      on: ['AccountsNotBound=True'],
      severity: 'warning',
      meaning:
        'Several clusters use one ServiceAccount, `spec.members` and its annotation name different clusters, or the API server rejects its annotation. Members that are connected stay connected, but with this account, a cluster could write objects of the other clusters.',
      cure: 'Create a ServiceAccount for each cluster, with the annotation `multicluster.antrea.io/cluster-id`, and put its token into the Secret of the member. If the message contains an answer of the API server, correct its cause.',
    },
    ExporterNotAnnounced: {
      on: ['ExportersNotAnnounced=True'],
      severity: 'warning',
      meaning:
        'A cluster has ResourceExports and no MemberClusterAnnounce, for example because the announcement of a cluster that no longer exists was deleted together with its finalizer. The exports stay published, and the leader does not notice whether the cluster is still there.',
      cure: 'If the cluster is a member, check whether its controller runs: it announces itself every 15 seconds or more often. If not, remove its exports with the command in the message; the condition `WithdrawalHeld` then contains the command that removes the imports. If its token is being misused, delete its ServiceAccount first.',
    },
    MemberSuspended: {
      on: ['MembersSuspended=True', 'Event'],
      severity: 'warning',
      meaning:
        "A member wrote so much that it would have filled the database of the leader's API server, so its ServiceAccount is suspended: the API server rejects every write of this member. Its exports stay published, and are removed after 24 hours without a heartbeat.",
      cure: 'Find out in that cluster what changes its exports so often. If its token is being misused, delete the ServiceAccount. Then run the command in the message. If the cluster needs more, raise `memberWrites` in the configuration of the leader first.',
    },
    MemberNotSuspended: {
      on: ['MembersSuspended=True'],
      severity: 'error',
      meaning:
        'A member writes so much that it may fill the database of the API server, and the leader cannot suspend it: no ServiceAccount is known for its cluster, or the API server rejects the annotation.',
      cure: 'Read the message: it names the cluster and the cause. Delete the ServiceAccount whose token the writer uses.',
    },
    NetworkNotGranted: {
      on: ['NetworksNotGranted=True'],
      severity: 'warning',
      meaning:
        'A cluster announces ranges or gateways that its KnownCluster does not have, or waits because unknown clusters are held. They are not published.',
      cure: 'Run the command in the message. The condition `WithinGrant` of each KnownCluster has the command that accepts what its cluster announces.',
    },
    AccountBound: {
      on: ['Event'],
      severity: 'ok',
      meaning:
        'The leader has annotated a ServiceAccount that did not name a cluster with the cluster that uses it, so that the account cannot write objects of other clusters. If that is the wrong cluster, correct the annotation: the leader does not change it again.',
    },
    ...configurationReasons,
    ...admissionReasons,
    WrittenUnguarded: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'Admission policies of the leader were missing and are back. Meanwhile the API server did not check which account wrote the objects that the message names, so a member may have written in the name of another one.',
      cure: 'Run the command in the message, and compare the objects with the exports of their clusters. Each member corrects its own exports within ten minutes. Delete those that belong to no cluster.',
    },
    SettingOff: {
      on: ['SettingsMissing=True'],
      severity: 'warning',
      meaning:
        'Members export objects that need a setting of the leader, and the setting is off on this leader: for example, label identities need `enableStretchedNetworkPolicy`. These objects are not published.',
      cure: 'Enable the setting that the message names in the MultiClusterConfig of the leader, or disable it in all members.',
    },
    NumbersExhausted: {
      on: ['NumbersExhausted=True'],
      severity: 'error',
      meaning:
        'All numbers of label identities are in use, so new sets of Pod labels have no number in any cluster. Sets that have a number keep it.',
      cure: 'Reduce the number of different sets of Pod labels in the ClusterSet: labels that differ for each Pod, such as the labels of StatefulSets and Jobs, need one number per Pod. The leader tries again every minute.',
    },
    PoolExhausted: {
      on: ['VirtualPodCIDRsMissing=True'],
      severity: 'error',
      meaning:
        'The ranges in `virtualPodCIDRs` of the leader are in use, or the cluster would have more than its share of them, a quarter of the addresses. The Pod CIDR is not used in other clusters. Clusters keep the virtual Pod CIDRs that they already have.',
      cure: 'Add ranges to `virtualPodCIDRs` in the configuration of the leader. The ranges of clusters that have left become free after a day.',
    },
    TooManyNumbers: {
      on: ['NumbersExhausted=True'],
      severity: 'error',
      meaning:
        'A cluster has twice as many numbers of label identities as the leader accepts exports of labels from one cluster, those of labels that it has withdrawn within five minutes included. New sets of its Pod labels have no number for now. Numbers are not reused for five minutes, so a cluster could otherwise use up all of them.',
      cure: 'Find out in the clusters that the message names what creates Pods with always new labels, such as Jobs. Labels get their number when others have been withdrawn for five minutes.',
    },
    Connected: {
      on: ['clusterStatuses[].Ready=True', 'clusterStatuses[].ClusterConnected=True'],
      severity: 'ok',
      meaning: 'The member announces itself every 15 seconds or more often.',
    },
    Disconnected: {
      on: ['clusterStatuses[].Ready=False', 'clusterStatuses[].ClusterConnected=False'],
      severity: 'error',
      meaning:
        'The leader has received no heartbeat of the member for more than 30 seconds. It keeps the exports of the member, and removes them after 24 hours without a heartbeat.',
      cure: 'Check the ClusterSet in the member cluster, and whether its controller runs and can reach this API server.',
    },
    InvalidAnnounce: {
      on: ['clusterStatuses[].Ready=False', 'clusterStatuses[].ClusterConnected=False'],
      severity: 'error',
      meaning: 'The name of a MemberClusterAnnounce does not match its cluster ID, or the cluster ID is not valid.',
      cure: 'Delete the MemberClusterAnnounce, or choose another cluster ID in the member cluster. The message names the problem.',
    },
    OtherClusterSet: {
      on: ['clusterStatuses[].Ready=False', 'clusterStatuses[].ClusterConnected=False'],
      severity: 'error',
      meaning: 'The member announces itself for a ClusterSet with a different name.',
      cure: 'If the name in the members is right, delete this ClusterSet, and create it again with that name: no import changes. Otherwise, in the member cluster, delete the ClusterSet, which removes the imports and exports of that cluster, and create it again with the name of this one.',
    },
    ...settingsDifferReasons,
    WithdrawalHeld: {
      on: ['WithdrawalHeld=True', 'Event'],
      severity: 'warning',
      meaning:
        'Exports are missing although their members did not withdraw them. The leader keeps the published imports until they are exported again, or until their members have been connected for a minute without exporting them.',
      cure: 'Find out why the exports are missing (deleted objects or CustomResourceDefinitions, a restored backup). Connected members export again without your help. To remove the imports, run the command in the message.',
    },
    ExportLimitExceeded: {
      on: ['ExportsIgnored=True', 'Event'],
      severity: 'warning',
      meaning:
        'A cluster has more or larger ResourceExports than the leader accepts from one cluster. The newest exports are ignored; imports that were already published stay unchanged. Other clusters are not affected. Label identities are counted separately, so that many different Pod labels do not affect the Services of their cluster. If a cluster ID has too many or too large MemberClusterAnnounces, the leader does not read them in full.',
      cure: 'Find out what creates them: the message names the cluster, how many there are, and the command that removes or lists them. If nothing in that cluster needs them, its token is being misused: delete its ServiceAccount on the leader.',
    },
  },
});
