import { beingDeletedReason } from './being-deleted.ts';
import { admissionCondition, admissionReasons, anyClusterSetReasons, configurationReasons } from './cluster-set.ts';
import { defineStatus } from './define-status.ts';
import { networkConflictReasons } from './network-conflict.ts';
import { settingsDifferReasons } from './settings-differ.ts';
import { statusRejectedReason } from './status-rejected.ts';

/** The places that show the state of the session with the leader once it is known to be bad. */
const lost = [
  'Ready=False',
  'clusterStatuses[].Ready=False',
  'clusterStatuses[].ClusterConnected=False',
  'Event',
] as const;

/** The reports of a member on its ClusterSet: the state of its session with the leader. */
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
        'Present while this cluster keeps imports that the leader lost although no exporter withdrew them, or exports whose objects were deleted together with their CustomResourceDefinition.',
      wanted: 'absent',
    },
    PodCIDRsTranslated: {
      meaning:
        'Present while other clusters use virtual addresses for the Pods of this cluster, because its Pod CIDR overlaps with a range of another cluster. The message contains both ranges.',
      wanted: 'True',
    },
    ImportsExcluded: {
      meaning:
        'Present while the configuration of the controller excludes Namespaces from import. The message names them.',
      wanted: 'absent',
    },
    Unsupported: {
      meaning: 'Present while this version ignores something that is configured or published.',
      wanted: 'absent',
    },
    ...admissionCondition,
    ConfigurationRejected: {
      meaning: 'Present while the controller does not use its changed configuration file, because it is not valid.',
      wanted: 'absent',
    },
    TokenNotBound: {
      meaning:
        'Present while the annotation of the ServiceAccount of this member, on the leader, does not name this cluster. A leader that runs Antrea requires it. A leader that runs Isthmus accepts an account without the annotation, and adds it if this cluster alone uses the account.',
      wanted: 'absent',
    },
    TokenDoesNotExpire: {
      meaning:
        'Present while this member has a token that does not expire, and its leader runs Isthmus, which can issue tokens that do.',
      wanted: 'absent',
    },
    TokenExpires: {
      meaning:
        'Present while the token of this member is not renewed although the renewal is due. The message has the time at which the token expires.',
      wanted: 'absent',
    },
    LabelIdentitiesIncomplete: {
      meaning:
        'Present while labels of Pods of this cluster are not published, or numbers of labels are not imported. The message names one of them.',
      wanted: 'absent',
    },
    PoliciesNotImported: {
      meaning:
        'Present while this cluster does not import ClusterNetworkPolicies that the leader publishes, or keeps them as they were imported before. The message names them.',
      wanted: 'absent',
    },
    NoDataPlane: {
      meaning:
        'Present while `endpointIPType` is ClusterIP and no Gateway exists in the Namespace of the controller, so that calls to imported Services cannot reach other clusters.',
      wanted: 'absent',
    },
    SettingsDiffer: {
      meaning:
        'Present while the members of the ClusterSet differ in a setting that has to be the same in all of them.',
      wanted: 'absent',
      mirrors: 'the leader',
    },
    NetworkConflict: {
      meaning:
        'Present while a range that this cluster announces is not used, or another cluster announces one that overlaps with it.',
      wanted: 'absent',
      mirrors: 'the leader',
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
      cure: "Check that the leader's API server runs and can be reached from the Pods of this cluster: the address in a kubeconfig can be one that only your machine reaches, such as `127.0.0.1` with kind. The message contains the last error. If TLS or the token is the cause, it also names the Secret and the key to correct.",
    },
    Unauthorized: {
      on: lost,
      severity: 'error',
      meaning: 'The leader does not accept the token of this member.',
      cure: 'Run `isthmus grant <cluster ID> -o <file>` on the leader, and apply the file in this cluster: a join file can be used once, for 15 minutes. With a leader that runs Antrea, issue a new member token there and put it into the Secret that `spec.leaders[0].secret` names. If the Namespace on the leader was deleted, all tokens were deleted with it: set up the leader again (docs/losses.md), and do not delete the ClusterSets of the members.',
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
        "The leader's API server answers, but its controller has not answered a heartbeat for 30 seconds. Until it does, exports and imports stay unchanged.",
      cure: "Check that the leader's controller runs in the Namespace that `spec.namespace` names. If the leader was changed from Isthmus to Antrea, remove the annotation `isthmus.dev/answered` from the MemberClusterAnnounce of this cluster on the leader.",
    },
    LeaderClusterSetMissing: {
      on: ['Ready=False', 'clusterStatuses[].Ready=False'],
      severity: 'error',
      meaning: "The leader's controller runs, but there is no ClusterSet in its Namespace.",
      cure: 'Create the ClusterSet on the leader. The message contains its name and Namespace. A ClusterSet in another Namespace of the leader has no effect, and no status, because the controller may read only its own Namespace: delete it.',
    },
    LeaderKindsMissing: {
      on: ['Ready=False', 'clusterStatuses[].Ready=False'],
      severity: 'error',
      meaning:
        'The API server of the leader answers, but does not serve a kind that is exchanged, for example because a CustomResourceDefinition was deleted. The message names the kind. Existing imports are kept; changes of exports wait.',
      cure: 'On the leader, run `kubectl apply -f deploy/leader-crds.yaml`, or `helm upgrade` if Helm installed Isthmus, with the files of the release that its controller runs. If Antrea runs there, run `kubectl apply -f antrea-multicluster-leader-global.yml` instead, and then restart its controller.',
    },
    OtherClusterSet: {
      on: ['Ready=False', 'clusterStatuses[].Ready=False'],
      severity: 'error',
      meaning: "The leader's ClusterSet and the ClusterSet of this cluster have different names.",
      cure: "If the name of this one is right, delete the leader's ClusterSet, and create it again with that name: no import changes. Otherwise delete this one, which removes the imports and exports of this cluster, and create it again with the name of the leader's.",
    },
    Leaving: {
      on: ['Ready=False'],
      severity: 'wait',
      meaning:
        'The ClusterSet is being deleted: imports are removed, and the leader is notified that this cluster leaves.',
      cure: 'Wait up to a minute. After that, the cluster leaves even if the leader cannot be reached. If the controller of this cluster does not run, start it: it removes the finalizer `isthmus.dev/leave` when the cluster has left.',
    },
    ClusterIDChanged: {
      on: ['Ready=True'],
      severity: 'warning',
      meaning:
        '`spec.clusterID` was changed after the cluster joined. The cluster stays a member under the ID that it joined with.',
      cure: 'Set `spec.clusterID` back, or delete the ClusterSet and create it again to join under the new ID.',
    },
    AccessDenied: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'The API server of this cluster denies requests that the controller needs, for example because a ClusterRole or ClusterRoleBinding of Isthmus was changed or deleted. The message names the verbs and resources. Imports stay unchanged.',
      cure: 'If the message names a Secret and you limited the Role of the controller to Secrets by name, add this name (docs/reference/rbac.md). Otherwise run `kubectl apply -f deploy/member.yaml`, with the file of the release that the controller runs and the settings that you changed in it, or `helm upgrade` if Helm installed Isthmus. If the controller was also installed in another Namespace, the ClusterRoleBinding `antrea-mc-controller-rolebinding` names the ServiceAccount of that one. A cluster has one member: first delete the other Namespace, and with `-l served-in=NAMESPACE` its ValidatingAdmissionPolicies, their bindings, ClusterRoles and ClusterRoleBindings. Do not use `kubectl delete -f`, which deletes the CustomResourceDefinitions with all objects.',
    },
    KindsMissing: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'This cluster does not serve a kind that the controller needs, for example because a CustomResourceDefinition was deleted. The message names the kind. Exports and imports stay unchanged.',
      cure: 'Run `kubectl apply -f deploy/member-crds.yaml`, or `helm upgrade` if Helm installed Isthmus, with the files of the release that the controller runs. The settings of the controller stay as they are.',
    },
    OutdatedManifests: {
      on: ['Ready=True'],
      severity: 'warning',
      meaning:
        'The manifests in this cluster are older than the controller, or belong to Antrea: a kind is not served, is served only in an older version, or the controller is not allowed to read it. The message names the kind and what is missing. Everything else for which the controller has permissions works.',
      cure: 'Run the command of the message. If another tool manages the CustomResourceDefinitions of the MCS API, update them with that tool, or leave them.',
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
      cure: "Name the Secret, or copy the missing key from the leader's token Secret. If the Secret came with a join file, apply the whole file again: it may have been cut.",
    },
    SecretNotFound: {
      on: ['Ready=False'],
      severity: 'error',
      meaning: 'The Secret that `spec.leaders[0].secret` names does not exist in the Namespace of the ClusterSet.',
      cure: 'Create it from the member token that the leader cluster issued.',
    },
    ...anyClusterSetReasons,
    ...statusRejectedReason,
    UpdateRejected: {
      on: ['Ready=False', 'Event'],
      severity: 'error',
      meaning:
        'The API server rejects a change that the controller makes to the ClusterSet: its finalizer `isthmus.dev/leave`, its annotations, or `spec.clusterID` from a ClusterClaim. Without the finalizer, the cluster does not join, because nothing would remove its imports and exports when it leaves; if the finalizer cannot be removed, the ClusterSet is not deleted.',
      cure: 'Read the message: it contains the answer of the API server. Correct the role, the admission policy or the webhook that it names. The write is tried again every 10 seconds.',
    },
    NotSupported: {
      on: ['Unsupported=True'],
      severity: 'warning',
      meaning:
        'This version ignores a setting or a kind of ResourceImport. The message lists what is ignored. Everything else works.',
      cure: 'Remove what the message lists, or use a release that supports it. Keep it if only clusters that run Antrea use it among themselves.',
    },
    ...configurationReasons,
    ...admissionReasons,
    NotBoundToCluster: {
      on: ['TokenNotBound=True'],
      severity: 'warning',
      meaning:
        'The ServiceAccount of this member on the leader lacks the annotation `multicluster.antrea.io/cluster-id`, or the annotation names another cluster. If the annotation is missing, a leader that runs Isthmus accepts the token of this member, and a leader that runs Antrea would reject it. If it is empty or names another cluster, both reject the announcement of this cluster.',
      cure: 'If no other cluster uses the ServiceAccount, run the command in the message on the leader. Otherwise create a ServiceAccount for each cluster, and put its token into the Secret of the member. The condition goes away within half a minute.',
    },
    TokenOfSecret: {
      on: ['TokenDoesNotExpire=True'],
      severity: 'warning',
      meaning:
        'The token of this member is that of a Secret of type `kubernetes.io/service-account-token`: a copy of it can be used until the Secret is deleted. Everything works.',
      cure: 'Run the commands of the message, when it suits you: the member then gets a token for 24 hours, and renews it. With a leader that runs Antrea, keep the token.',
    },
    RenewalFailed: {
      on: ['TokenExpires=True'],
      severity: 'error',
      meaning:
        'This member asked for its next token several times without success, or could not store it. Until the token expires, everything works; then the leader rejects the member, and imports are kept.',
      cure: 'Read the message: it contains the cause. Most often the leader cannot be reached, the Role or RoleBinding `renew-<cluster ID>` was deleted there, or the Role of the controller in this cluster does not allow `patch` of the Secret. If you cannot correct it in time, run `isthmus grant` on the leader and apply its file here.',
    },
    NoGateway: {
      on: ['NoDataPlane=True'],
      severity: 'warning',
      meaning:
        'Services are exported and imported, but their endpoints are ClusterIPs of other clusters, which only gateways make reachable, and the Namespace of the controller has no Gateway.',
      cure: 'If Pod IPs are routable between the clusters, set `endpointIPType: PodIP` in the configuration of every cluster. If agents of Isthmus or Antrea carry the traffic, mark a Node as a gateway: `kubectl annotate node <name> multicluster.antrea.io/gateway=true`.',
    },
    LabelsNotExported: {
      on: ['LabelIdentitiesIncomplete=True'],
      severity: 'error',
      meaning:
        'The leader does not publish a set of labels of Pods of this cluster, so policies of other clusters do not select these Pods.',
      cure: 'Read the message: it names the ResourceExport on the leader, and the answer of the leader or the conflicting object.',
    },
    LabelIdentityNotImported: {
      on: ['LabelIdentitiesIncomplete=True'],
      severity: 'error',
      meaning:
        'This cluster does not import the number of a set of labels: the ResourceImport is malformed, a LabelIdentity with the same name was not created by Isthmus, or the API server rejects it.',
      cure: 'Read the message: it names the object and the cause.',
    },
    LabelNumberShared: {
      on: ['LabelIdentitiesIncomplete=True', 'Event'],
      severity: 'error',
      meaning:
        'The leader publishes one number for two sets of labels, as an Antrea leader may after a restore of its API server, or while two leaders run. The number is imported only for the older ResourceImport; rules with `scope: ClusterSet` do not select Pods with the other labels.',
      cure: 'Restart the controller of the leader, with the command in the message: it gives another number to one of the two sets, if a cluster exports the labels. If no Pod has the labels, delete their ResourceImport on the leader. Members of Antrea have imported both: restart their controllers afterwards.',
    },
    BeingDeleted: {
      ...beingDeletedReason,
      on: ['LabelIdentitiesIncomplete=True', 'PoliciesNotImported=True'],
    },
    NoPolicyEngine: {
      on: ['PoliciesNotImported=True'],
      severity: 'warning',
      meaning:
        'The leader publishes ClusterNetworkPolicies, and this cluster does not serve the kind (crd.antrea.io), so the policies have no effect here.',
      cure: 'Install Antrea in this cluster. The policies are imported as soon as the kind is served. If this cluster does not need them, there is nothing to do.',
    },
    TierNotFound: {
      on: ['PoliciesNotImported=True'],
      severity: 'error',
      meaning: 'A ClusterNetworkPolicy names a Tier that does not exist in this cluster, so it is not imported.',
      cure: 'Create the Tier in this cluster, or change the tier of the policy on the leader.',
    },
    TierDeleted: {
      on: ['PoliciesNotImported=True'],
      severity: 'error',
      meaning:
        'The Tier of an imported ClusterNetworkPolicy was deleted in this cluster. The policy stays as it was imported before, and changes on the leader are not imported.',
      cure: 'Create the Tier in this cluster, or change the tier of the policy on the leader.',
    },
    ForeignPolicy: {
      on: ['PoliciesNotImported=True'],
      severity: 'error',
      meaning:
        'A ClusterNetworkPolicy has the name of an imported one and was not created by Isthmus. It is not changed.',
      cure: 'Delete or rename the ClusterNetworkPolicy that the message names.',
    },
    PolicyRejected: {
      on: ['PoliciesNotImported=True'],
      severity: 'error',
      meaning:
        'This cluster or its API server does not accept a ClusterNetworkPolicy of the leader, which was not imported before.',
      cure: "Read the message: it contains the cause, or the API server's answer. Correct the ResourceExport on the leader, or the cause in this cluster; the import is tried again.",
    },
    PolicyUpdateRejected: {
      on: ['PoliciesNotImported=True'],
      severity: 'error',
      meaning:
        'This cluster or its API server does not accept the change of a ClusterNetworkPolicy of the leader. The policy stays as it was imported before.',
      cure: "Read the message: it contains the cause, or the API server's answer. Correct the ResourceExport on the leader, or the cause in this cluster; the import is tried again.",
    },
    NotWatched: {
      on: ['Event'],
      severity: 'error',
      meaning:
        'The ClusterSet is in a Namespace that no controller watches, so it has no effect. A ClusterSet without a Secret may belong to a leader whose controller is still starting, so it is reported only after 30 seconds.',
      cure: "Delete it, and create it in the Namespace of the member's controller, which the message names; or run a leader's controller in its Namespace.",
    },
    ClusterClaimMismatch: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'A ClusterClaim does not name this ClusterSet, or names a cluster ID other than `spec.clusterID`. The ClusterSet is used, and the claim has no effect.',
      cure: 'Correct or delete the ClusterClaim.',
    },
    LeaderUnreachable: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'The cluster left the ClusterSet without an answer from the leader. Its announcement and exports may remain on the leader for 24 hours.',
      cure: 'Wait, or, on the leader, delete the MemberClusterAnnounce that the message names.',
    },
    WithdrawalHeld: {
      on: ['WithdrawalHeld=True', 'Event'],
      severity: 'warning',
      meaning:
        'There are two possible causes. The leader lost imports of Services or ClusterInfo that no exporter withdrew: this cluster keeps them until they are published again, or until their exporters have been connected for half a minute without exporting them. Or a CustomResourceDefinition was deleted in this cluster together with its ServiceExports or Gateways: this cluster keeps their exports until the objects are applied again, but for at most a day after the CustomResourceDefinition is applied again.',
      cure: 'Find out why the leader lost the imports (deleted objects or CustomResourceDefinitions, a restored backup). If the leader runs Isthmus, it and the exporters restore them without your help. A leader that runs Antrea does not: the message then contains the command that restarts its controller, which publishes the imports again. If the message names a CustomResourceDefinition, apply it and its objects again in this cluster. To remove the kept imports or exports, run the command in the message.',
    },
    ...settingsDifferReasons,
    LeaderSettingOff: {
      on: ['SettingsDiffer=True'],
      severity: 'warning',
      meaning:
        'Members export objects that need a setting of the leader, and the setting is off on the leader: for example, label identities need `enableStretchedNetworkPolicy`. These objects are not published.',
      cure: 'Enable the setting that the message names in the MultiClusterConfig of the leader, or disable it in all members.',
    },
    ...networkConflictReasons,
    VirtualPodCIDRsAllotted: {
      on: ['PodCIDRsTranslated=True'],
      severity: 'ok',
      meaning:
        'The leader has given this cluster virtual Pod CIDRs from its `virtualPodCIDRs`, and the agents of the cluster translate the addresses. Other clusters see the virtual addresses as clients, endpoints and DNS answers.',
    },
    ExcludedByConfiguration: {
      on: ['ImportsExcluded=True'],
      severity: 'warning',
      meaning: 'This cluster does not import Services of the Namespaces that the message names.',
      cure: 'To import them, remove the Namespaces from `importExcludedNamespaces` in the ConfigMap antrea-mc-controller-config.',
    },
  },
});
