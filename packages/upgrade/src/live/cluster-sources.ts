/**
 * One kind of object that a snapshot reads of a cluster.
 */
export interface ClusterSource {
  /** The name of the facts that are gathered from it. */
  readonly name: SourceName;
  readonly group: string;
  /**
   * Absent: a custom resource, read in the version that its CustomResourceDefinition serves; not
   * read where there is none.
   */
  readonly version?: string | undefined;
  readonly kind: string;
  readonly plural: string;
  readonly labelSelector?: string | undefined;
  readonly namespace?: string | undefined;
  /** Objects of one page. Absent: the client's usual number. */
  readonly pageSize?: number | undefined;
}

export type SourceName =
  | 'nodes'
  | 'deployments'
  | 'daemonSets'
  | 'replicaSets'
  | 'serviceAccounts'
  | 'controlPlane'
  | 'definitions'
  | 'validatingWebhooks'
  | 'mutatingWebhooks'
  | 'clusterSets'
  | 'antreaControllers'
  | 'antreaAgents'
  | 'providers'
  | 'eksaClusters'
  | 'capiClusters'
  | 'kustomizations'
  | 'helmReleaseObjects'
  | 'helmReleases';

/**
 * In the order in which they are read: definitions first, because they decide which custom
 * resources exist.
 */
export const clusterSources: readonly ClusterSource[] = [
  {
    name: 'definitions',
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    pageSize: 20,
  },
  { name: 'nodes', group: '', version: 'v1', kind: 'Node', plural: 'nodes', pageSize: 100 },
  { name: 'deployments', group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', pageSize: 100 },
  { name: 'daemonSets', group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', pageSize: 100 },
  // When rollouts began.
  { name: 'replicaSets', group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', pageSize: 100 },
  // On a leader: which members have credentials of their own.
  {
    name: 'serviceAccounts',
    group: '',
    version: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    pageSize: 200,
  },
  {
    name: 'controlPlane',
    group: '',
    version: 'v1',
    kind: 'Pod',
    plural: 'pods',
    namespace: 'kube-system',
    labelSelector: 'tier=control-plane',
    pageSize: 100,
  },
  {
    name: 'validatingWebhooks',
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    pageSize: 50,
  },
  {
    name: 'mutatingWebhooks',
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'MutatingWebhookConfiguration',
    plural: 'mutatingwebhookconfigurations',
    pageSize: 50,
  },
  { name: 'clusterSets', group: 'multicluster.crd.antrea.io', kind: 'ClusterSet', plural: 'clustersets' },
  {
    name: 'antreaControllers',
    group: 'crd.antrea.io',
    kind: 'AntreaControllerInfo',
    plural: 'antreacontrollerinfos',
  },
  { name: 'antreaAgents', group: 'crd.antrea.io', kind: 'AntreaAgentInfo', plural: 'antreaagentinfos', pageSize: 100 },
  { name: 'providers', group: 'clusterctl.cluster.x-k8s.io', kind: 'Provider', plural: 'providers' },
  { name: 'eksaClusters', group: 'anywhere.eks.amazonaws.com', kind: 'Cluster', plural: 'clusters' },
  { name: 'capiClusters', group: 'cluster.x-k8s.io', kind: 'Cluster', plural: 'clusters', pageSize: 100 },
  {
    name: 'kustomizations',
    group: 'kustomize.toolkit.fluxcd.io',
    kind: 'Kustomization',
    plural: 'kustomizations',
    pageSize: 100,
  },
  {
    name: 'helmReleaseObjects',
    group: 'helm.toolkit.fluxcd.io',
    kind: 'HelmRelease',
    plural: 'helmreleases',
    pageSize: 50,
  },
];

/**
 * The API groups whose custom resources are counted on request: those of the components that are
 * recognised.
 */
export const countedGroups: readonly string[] = [
  'anywhere.eks.amazonaws.com',
  'acme.cert-manager.io',
  'cert-manager.io',
  'cilium.io',
  'addons.cluster.x-k8s.io',
  'bootstrap.cluster.x-k8s.io',
  'cluster.x-k8s.io',
  'clusterctl.cluster.x-k8s.io',
  'controlplane.cluster.x-k8s.io',
  'infrastructure.cluster.x-k8s.io',
  'ipam.cluster.x-k8s.io',
  'runtime.cluster.x-k8s.io',
  'crd.antrea.io',
  'multicluster.crd.antrea.io',
  'multicluster.x-k8s.io',
  'helm.toolkit.fluxcd.io',
  'image.toolkit.fluxcd.io',
  'kustomize.toolkit.fluxcd.io',
  'notification.toolkit.fluxcd.io',
  'source.toolkit.fluxcd.io',
];

/** Read only on request, because Secrets contain credentials. */
export const helmReleaseSource: ClusterSource = {
  name: 'helmReleases',
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  labelSelector: 'owner=helm,status=deployed',
  pageSize: 5,
};

/** The ClusterRole with all rights that a snapshot needs, and no more. */
export function snapshotRights({
  helmSecrets,
  objectCounts,
}: {
  readonly helmSecrets: boolean;
  readonly objectCounts: boolean;
}): object {
  const counted = objectCounts ? countedGroups : [];
  const counts = counted.length === 0 ? [] : [{ apiGroups: [...counted], resources: ['*'], verbs: ['list'] }];
  const isCounted = ({ group }: ClusterSource) => counted.includes(group);
  const sources = [...clusterSources, ...(helmSecrets ? [helmReleaseSource] : [])].filter((one) => !isCounted(one));
  const groups = Map.groupBy(sources, ({ group }) => group);
  const list = [...groups].map(([group, all]) => ({
    apiGroups: [group],
    resources: [...new Set(all.map(({ plural }) => plural))].toSorted(),
    verbs: ['list'],
  }));
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'isthmus-upgrade-snapshot' },
    rules: [
      ...list,
      ...counts,
      { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
      { nonResourceURLs: ['/version'], verbs: ['get'] },
    ],
  };
}
