/**
 * Every name on the wire: labels, annotations, finalizers, prefixes, fixed object names. The names
 * that Antrea Multi-cluster fixes are in docs/spec/wire.md §4 and must not differ by a byte. The
 * names under `isthmus.dev/` are ours (docs/spec/wire.md §9), and peers need not have them.
 */

/** The API groups of the custom resources. */
export const ApiGroup = {
  multicluster: 'multicluster.crd.antrea.io',
  mcs: 'multicluster.x-k8s.io',
  /** The kinds that exist only in Isthmus. */
  isthmus: 'isthmus.dev',
} as const;

/** The API group of Antrea's policies and Tiers, whose definitions come with Antrea. */
export const policyGroup = 'crd.antrea.io';

export const Label = {
  /**
   * On exports and imports in the Common Area: the kind inside, in Antrea's words
   * ({@link SourceKind}).
   */
  sourceKind: 'sourceKind',
  sourceNamespace: 'sourceNamespace',
  sourceName: 'sourceName',
  sourceClusterID: 'sourceClusterID',
  /**
   * The creator of the object; with the value {@link managedByIsthmus} it is ours to change and
   * delete.
   */
  managedBy: 'app.kubernetes.io/managed-by',
  app: 'app',
  component: 'component',
  /**
   * On admission policies, as on webhook configurations of Antrea: the Namespace of the leader that
   * they are for.
   */
  servedIn: 'served-in',
  /** On EndpointSlices: the Service they belong to. */
  serviceName: 'kubernetes.io/service-name',
  /** On EndpointSlices: which controller keeps them. */
  sliceManagedBy: 'endpointslice.kubernetes.io/managed-by',
  /**
   * On Services and EndpointSlices that another proxy than kube-proxy serves: its name. kube-proxy
   * does not read them; from 1.36 on, only the Services.
   */
  serviceProxyName: 'service.kubernetes.io/service-proxy-name',
  /**
   * On headless Services, slices and Endpoints whose Service has no ClusterIP. kube-proxy does not
   * read slices with it.
   */
  headless: 'service.kubernetes.io/headless',
  /** On imported EndpointSlices: the ServiceImport they belong to (KEP-1645). */
  mcsServiceName: 'multicluster.kubernetes.io/service-name',
  /** On imported EndpointSlices: the cluster whose endpoints they hold (KEP-1645). */
  mcsSourceCluster: 'multicluster.kubernetes.io/source-cluster',
  /**
   * On the CRDs of the MCS API: the release that the schema comes from, and the revision within it.
   * Never downgraded.
   */
  mcsReleaseVersion: 'multicluster.x-k8s.io/release-version',
  mcsSchemaRevision: 'multicluster.x-k8s.io/crd-schema-revision',
  /** On the Leases of Nodes that can be gateways, {@link yes}: see {@link gatewayLeaseName}. */
  gatewayLease: 'isthmus.dev/gateway-lease',
  /** On a Node: `userspace` runs WireGuard in a process there. */
  wireGuard: 'isthmus.dev/wireguard',
} as const;

export const Annotation = {
  /**
   * On a MemberClusterAnnounce: the member's heartbeat, RFC 3339 with offset, whole seconds, the
   * member's clock.
   */
  touchTs: 'touch-ts',
  /** `"true"` on Services and Endpoints that were imported. */
  importedService: 'multicluster.antrea.io/imported-service',
  /** `"true"` on ClusterNetworkPolicies that were imported. */
  importedPolicy: 'multicluster.antrea.io/imported-acnp',
  /**
   * On an imported ClusterNetworkPolicy: the hash of the spec that was imported; a cluster may add
   * defaults to it.
   */
  importedSpec: 'isthmus.dev/imported-spec',
  /**
   * `"true"` on Nodes: other clusters are to be reached through this one. To Antrea any value
   * counts.
   */
  gateway: 'multicluster.antrea.io/gateway',
  /** On such a Node: its address for other clusters. */
  gatewayIP: 'multicluster.antrea.io/gateway-ip',
  /** On a ServiceAccount in the leader's Namespace: the one cluster that may use it. */
  clusterID: 'multicluster.antrea.io/cluster-id',
  /** `"true"` on what `antctl mc` created. */
  createdByAntctl: 'multicluster.antrea.io/created-by-antctl',
  /** On a Secret of type `kubernetes.io/service-account-token`: whose token. */
  serviceAccountName: 'kubernetes.io/service-account.name',
  /**
   * On a member's Secret for the leader: when the member received `renewed-token`, RFC 3339, the
   * member's clock.
   */
  tokenReceived: 'isthmus.dev/token-received',
  /**
   * On a member's Secret for the leader: the uid of the Secret of its join file at the leader,
   * until the member has deleted that.
   */
  joinedWith: 'isthmus.dev/joined-with',
  /** On MemberClusterAnnounce and the leader's ClusterSet: the version of Isthmus that wrote it. */
  version: 'isthmus.dev/version',
  /**
   * On a member's ClusterSet: the cluster ID that it joined with. The ID cannot change while the
   * cluster is a member (docs/spec/mcs-api.md §4): objects under the old ID would be left on the
   * leader.
   */
  joinedAs: 'isthmus.dev/joined-as',
  /**
   * On a ClusterSet, the leader's or a member's: until when what that controller holds back from
   * being removed may go, RFC 3339. A person writes it.
   */
  allowRemovalsUntil: 'isthmus.dev/allow-removals-until',
  /**
   * On a ResourceExport, a ResourceImport or a MemberClusterAnnounce: when its owner withdrew it,
   * RFC 3339. Written just before it is deleted: what goes without was lost (docs/spec/wire.md §9).
   */
  withdrawn: 'isthmus.dev/withdrawn',
  /**
   * On a ResourceExport or a ResourceImport, {@link marked}: its owner writes
   * {@link Annotation.withdrawn} before it deletes it.
   */
  withdrawals: 'isthmus.dev/withdrawals',
  /**
   * On what was imported, with {@link Annotation.withdrawals}: the Common Area that it came from,
   * `<cluster ID of the leader>/<Namespace>`.
   */
  importedFrom: 'isthmus.dev/imported-from',
  /**
   * On the ResourceImport of one cluster: {@link Annotation.withdrawals} of its exports. Known when
   * they are gone.
   */
  sourceWithdrawals: 'isthmus.dev/source-withdrawals',
  /**
   * On a MemberClusterAnnounce, with its `touch-ts`: the member writes
   * {@link Annotation.withdrawn}. A member of another make would leave the annotation there, beside
   * a `touch-ts` of its own.
   */
  marksAt: 'isthmus.dev/marks-at',
  /**
   * On a MemberClusterAnnounce, with its `touch-ts`: the member has lost exports, or cannot see
   * them, and has not made them again yet. That they are missing means nothing so far.
   */
  restoring: 'isthmus.dev/restoring',
  /**
   * On a MemberClusterAnnounce with {@link Annotation.marksAt}: the `touch-ts` that the leader's
   * controller has seen last. The leader writes it: an API server that answers does not show that a
   * controller runs.
   */
  answered: 'isthmus.dev/answered',
  /**
   * With {@link Annotation.answered}: the name of the ClusterSet that the leader serves; empty if
   * it serves no ClusterSet.
   */
  leaderClusterSet: 'isthmus.dev/leader-cluster-set',
  /**
   * Beside {@link Annotation.answered}, with the same value: the leader accepts exports with dotted
   * names (docs/spec/wire.md §5).
   */
  dottedNames: 'isthmus.dev/dotted-names',
  /**
   * On a MemberClusterAnnounce with {@link Annotation.marksAt}: what the member cannot import, and
   * why, for the exporters; a JSON list of at most 8 KiB (docs/spec/wire.md §9).
   */
  importProblems: 'isthmus.dev/import-problems',
  /**
   * On a MemberClusterAnnounce: which clusters have left within a day, `west=<RFC 3339>,…`. The
   * leader writes it, for members that were away and miss what these clusters exported.
   */
  left: 'isthmus.dev/left',
  /**
   * On a MemberClusterAnnounce: the uid of Namespace kube-system of the cluster that announces
   * itself. It distinguishes two clusters under one ID.
   */
  clusterUID: 'isthmus.dev/cluster-uid',
  /**
   * Beside `version`: the number of the wire that the writer speaks, see {@link wireNumber}. On a
   * MemberClusterAnnounce with the `touch-ts` behind it: a member of another make would leave the
   * annotation there, beside a `touch-ts` of its own.
   */
  wire: 'isthmus.dev/wire',
  /**
   * On a MemberClusterAnnounce: the user name by which the member wrote this beat, with the
   * `touch-ts` behind it. The leader's API server rejects any other user name than that of the
   * caller. So the annotation shows which ServiceAccount announces the cluster.
   */
  announcedBy: 'isthmus.dev/announced-by',
  /**
   * On a ServiceAccount of the leader's Namespace: since when, and why, it can write nothing. The
   * leader adds it to an account that writes far more than its quota, and only a person removes it.
   */
  suspended: 'isthmus.dev/suspended',
  /**
   * On a ServiceAccount of the leader's Namespace that is bound to a cluster: the names of all
   * accounts that are bound to the same cluster, with commas between them. The leader writes it.
   * Other accounts then write nothing of this cluster.
   */
  clusterAccounts: 'isthmus.dev/cluster-accounts',
  /**
   * On the ResourceImport with the endpoints of one cluster, echoed by the member on its
   * ResourceExport: when the cluster first exported the Service, RFC 3339.
   */
  firstExported: 'isthmus.dev/first-exported',
  /**
   * On an Endpoints ResourceExport: whether its addresses are Pod IPs or the ClusterIP
   * (`endpointIPType` of docs/spec/process.md §2). Only Pod IPs can serve where the merged Service
   * is headless. On a MemberClusterAnnounce with {@link Annotation.marksAt}: that setting of the
   * member.
   */
  endpointIPType: 'isthmus.dev/endpoint-ip-type',
  /**
   * On a MemberClusterAnnounce with {@link Annotation.marksAt}: `enableStretchedNetworkPolicy` of
   * the member, `true` or `false`.
   */
  stretchedNetworkPolicy: 'isthmus.dev/stretched-network-policy',
  /**
   * On a Gateway, copied to the ClusterInfo ResourceExport, ResourceImport and ClusterInfoImport:
   * which data plane carries the packets of the cluster, such as `antrea`. The agent on the Node of
   * the Gateway writes it.
   */
  dataPlane: 'isthmus.dev/dataplane',
  /**
   * On the Lease of a candidate: the WireGuard public key of its Node, base64. Its address for
   * other clusters is in {@link Annotation.gatewayIP}.
   */
  publicKey: 'isthmus.dev/public-key',
  /**
   * On the Lease of a gateway: the CNI whose eBPF programs can forward packets of the Node before
   * nft sees them.
   */
  bypassedBy: 'isthmus.dev/bypassed-by',
  /**
   * On the Lease of a gateway: which gateways of other clusters answer its probes, see
   * `probesText`.
   */
  probes: 'isthmus.dev/probes',
  /**
   * On the Lease of a gateway: the gateways of other clusters to which large packets are lost, see
   * `smallPathsText`.
   */
  smallPaths: 'isthmus.dev/small-paths',
  /**
   * On the Lease of a gateway: what its Node reaches by itself, and no other cluster may claim; see
   * `localRangesText`.
   */
  localRanges: 'isthmus.dev/local-ranges',
  /**
   * On a MemberClusterAnnounce, beside {@link Annotation.answered}: in what the members of the
   * ClusterSet differ although they should not, as JSON `{"reason":…,"message":…}`. The leader
   * writes it.
   */
  settingsDiffer: 'isthmus.dev/settings-differ',
  /**
   * On a MemberClusterAnnounce, beside {@link Annotation.answered}: what this member has to know of
   * others, see `otherMembersText`. The leader writes it.
   */
  otherMembers: 'isthmus.dev/other-members',
  /**
   * On the Service's ResourceExport and ResourceImport: its exported labels and annotations, as
   * JSON `{"labels":{…},"annotations":{…}}`. No resource definition, of any release, drops an
   * annotation.
   */
  exportedMetadata: 'isthmus.dev/exported-metadata',
  /**
   * On the ResourceImport of a ClusterInfo: what the leader found against ranges of that cluster,
   * or of one that claims the same, as JSON `{"reason":…,"message":…}`.
   */
  networkConflict: 'isthmus.dev/network-conflict',
  /**
   * On the ResourceImport of a ClusterInfo: the ranges and gateways in it that the leader compared
   * with the grant of the cluster, `10.96.0.0/12,10.10.0.0/16,192.0.2.1`. A leader that does not
   * compare may leave the annotation there, beside other ranges.
   */
  judgedRanges: 'isthmus.dev/judged-ranges',
  /**
   * On the leader's ClusterSet: behind which number the next block of numbers begins, by the name
   * of the exchange, `LabelIdentity=513`. The leader reserves a block by a compare-and-swap, so
   * that two that run at once never give one number twice.
   */
  nextNumbers: 'isthmus.dev/next-numbers',
  /**
   * On a ResourceExport of labels, when it is created: the number that its cluster knows for them,
   * for a leader that has lost the import. Any other leader has it already.
   */
  labelNumber: 'isthmus.dev/label-number',
  /**
   * On a ResourceImport of labels: the cluster for whose export they got their number. A leader
   * limits how many numbers there are for one cluster.
   */
  numberedFor: 'isthmus.dev/numbered-for',
  /**
   * Pod CIDRs and the ranges that other clusters know them by, `10.10.0.0/16=100.64.0.0/16,…`. On a
   * ClusterInfo ResourceExport: those that the agents of the cluster know; empty where they could
   * know some. On its ResourceImport: those that the leader has allotted to the cluster. On its
   * ClusterInfoImports: those in effect. On a member's ClusterSet: those of this cluster, for its
   * agents.
   */
  virtualPodCIDRs: 'isthmus.dev/virtual-pod-cidrs',
  /**
   * On the Lease of a gateway: the addresses in the Pod CIDRs of its Node at which its agent
   * answers probes that take no tunnel, `10.10.1.0,…`. On a ClusterInfo ResourceExport,
   * ResourceImport and ClusterInfoImport: those of its gateways, up to eight. Other clusters find
   * out by them whether Pods route to each other.
   */
  directProbes: 'isthmus.dev/direct-probes',
  /**
   * On the leader's ClusterSet: which ranges are allotted to which cluster,
   * `west 10.10.0.0/16=100.64.0.0/16, …`, with the time from which one may go to another cluster.
   * The leader writes it by a compare-and-swap, so that two that run at once never give one range
   * twice.
   */
  allottedPodCIDRs: 'isthmus.dev/allotted-pod-cidrs',
  /**
   * On a ServiceImport: the keys of its labels and annotations that were exported with the Service,
   * as JSON; the others are not touched.
   */
  importedKeys: 'isthmus.dev/imported-keys',
  /**
   * On an import: for how many minutes it has been held since its source was lost, `*=180m`, or
   * parts of it, `west=180m`. Written once an hour, for a controller that restarts.
   */
  heldFor: 'isthmus.dev/held-for',
  /**
   * On an imported Service: the clusters in the order in which its clients are to use them,
   * `local,west`. A person writes it.
   */
  clusterOrder: 'isthmus.dev/cluster-order',
  /**
   * On an imported Service: which share of the connections each cluster gets, `local=3,west=1`. A
   * person writes it.
   */
  clusterWeights: 'isthmus.dev/cluster-weights',
} as const;

export const Finalizer = {
  /** On ResourceExports of Services, Endpoints and ClusterInfo. */
  resourceExport: 'resourceexport.antrea.io/finalizer',
  /** The same, as Antrea before 2.1.1 wrote it; equivalent. */
  legacyResourceExport: 'resourceexport.finalizers.antrea.io',
  /** On a member's ClusterSet: held until the leader has answered the leave, or 60 s. */
  leave: 'isthmus.dev/leave',
} as const;

/** Value of {@link Label.managedBy} on everything that we create. */
export const managedByIsthmus = 'isthmus';
/** Value of {@link Label.sliceManagedBy} on EndpointSlices that we create. */
export const sliceManagedByIsthmus = 'isthmus.dev';
/** Value of {@link Label.serviceProxyName} on EndpointSlices for agents of our data plane. */
export const agentProxyName = 'isthmus.dev';
/**
 * The wire that this code speaks; raised when a peer has to know. 2: a member reads the endpoints
 * of a single exporter from the merged import.
 */
export const wireNumber = 2;
/** Value of {@link Annotation.withdrawals}. */
export const marked = 'marked';
/** Values of annotations whose presence means yes. */
export const yes = 'true';

/** Values of {@link Label.sourceKind} and of `spec.kind` on ResourceExports and ResourceImports. */
export const SourceKind = {
  service: 'Service',
  /** On imports of Services only: `spec.kind` of the object whose name ends in `-service`. */
  serviceImport: 'ServiceImport',
  endpoints: 'Endpoints',
  /**
   * Ours: the endpoints of one Service in one cluster. Antrea members ignore imports of unknown
   * kinds.
   */
  endpointSlices: 'EndpointSlices',
  clusterInfo: 'ClusterInfo',
  labelIdentity: 'LabelIdentity',
  clusterNetworkPolicy: 'AntreaClusterNetworkPolicy',
} as const;
export type SourceKind = (typeof SourceKind)[keyof typeof SourceKind];

/** Objects with fixed names. */
export const FixedName = {
  /**
   * Replaced by the Namespace of the user's choice in the manifest of a leader, as in Antrea's: the
   * guides replace it with sed.
   */
  namespaceToReplace: 'changeme',
  /** Default Namespace of a leader's controller: its Common Area. */
  leaderNamespace: 'antrea-multicluster',
  /** Default Namespace of a member's controller. */
  memberNamespace: 'kube-system',
  /** ServiceAccount of the controller, in both roles. */
  controllerServiceAccount: 'antrea-mc-controller',
  /**
   * Namespace and ServiceAccount of Antrea's agents, which write their WireGuard keys to Gateways.
   */
  antreaNamespace: 'kube-system',
  antreaAgentServiceAccount: 'antrea-agent',
  /** The Deployment of the controller, in both roles and of either make. */
  controllerDeployment: 'antrea-mc-controller',
  configMap: 'antrea-mc-controller-config',
  configKey: 'controller_manager_config.yaml',
  /** The Role that a member's token gets in the leader's Namespace. */
  memberRole: 'antrea-mc-member-cluster-role',
  /**
   * A verb on ResourceExports of the leader's Namespace that only RBAC knows: lets an account that
   * may announce a member export policies too.
   */
  exportPoliciesVerb: 'export-policies',
  /** The Secret of a member for the leader, as guides and join files name it. */
  leaderTokenSecret: 'leader-token',
  /** The ClusterRole of those who may read the metrics of controllers. */
  metricsReader: 'isthmus-metrics-reader',
} as const;

/**
 * Keys of a member's Secret for the leader. The key `namespace` is allowed and ignored. The member
 * writes `renewedToken`, which replaces `token` while `renewedFrom` is equal to that: so a join
 * file that is applied again changes nothing.
 */
export const SecretKey = {
  caCrt: 'ca.crt',
  token: 'token',
  renewedToken: 'renewed-token',
  renewedFrom: 'renewed-from',
} as const;

/** Names of ClusterClaims: `name` of v1alpha1, `metadata.name` of v1alpha2. */
export const ClusterClaimName = {
  clusterID: 'id.k8s.io',
  /** Names the ClusterSet. */
  clusterSet: 'clusterset.k8s.io',
  /** The same, as Antrea before 1.8 wrote it. */
  legacyClusterSet: 'clusterSet.k8s.io',
} as const;

/** Begins the name of everything imported that could meet a local object. */
export const importedPrefix = 'antrea-mc-';
