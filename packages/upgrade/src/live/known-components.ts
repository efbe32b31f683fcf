/** How a component is recognised in a cluster, and where its version is written. */
export interface KnownComponent {
  /** The id in bundles. */
  readonly id: string;
  /** The type in policies, where it is not the id. */
  readonly type?: string | undefined;
  /** For the pages: how people recognise it. */
  readonly name: string;
  /**
   * The programs of its containers: each given part must fit. A row without parts is detected by
   * other means.
   */
  readonly containers: readonly ContainerMark[];
  /**
   * The component whose objects, by their names, it has as its own: a cluster can have one of the
   * two.
   */
  readonly instead?: string | undefined;
  /** The network plugin that it is a part of: a cluster has one. */
  readonly networkPlugin?: string | undefined;
  /** Whether each Node has its own version: then the Pods are read, too. */
  readonly perNode?: boolean | undefined;
  /** The places of the version, best first. Default: the tag of the image, then the label. */
  readonly version?: readonly VersionPlace[] | undefined;
}

/** A mark by which a container is recognised. */
export interface ContainerMark {
  /** The last segments of the repository of its image, whatever the registry. */
  readonly repository?: RegExp | undefined;
  /** Its name. */
  readonly container?: string | undefined;
  /** A word of its command or arguments. */
  readonly word?: string | undefined;
  /** A label of the workload, with its value. */
  readonly label?: readonly [string, string] | undefined;
}

/** `image`: the tag. `label`: app.kubernetes.io/version of the workload. */
export type VersionPlace = 'image' | 'label';

const antrea = /antrea/;
const antreaMc = /(?:^|\/)antrea-mc-controller$/;
const isthmus = /(?:^|\/)isthmus\/controller$/;
const provider = (value: string): ContainerMark => ({
  label: ['cluster.x-k8s.io/provider', value],
  container: 'manager',
});
/** An infrastructure provider of Cluster API. */
const infrastructure = (name: string, title: string): KnownComponent => ({
  id: `capi-infra-${name}`,
  name: `Cluster API, ${title}`,
  containers: [provider(`infrastructure-${name}`)],
});

/**
 * The components that a snapshot recognises (docs/spec/upgrades.md §1.4). Of several rows that fit
 * a container each counts: Cilium has two programs of one version.
 */
export const knownComponents: readonly KnownComponent[] = [
  {
    id: 'antrea-controller',
    name: 'Antrea controller',
    containers: [{ container: 'antrea-controller', repository: antrea }],
    networkPlugin: 'Antrea',
  },
  {
    id: 'antrea-agent',
    name: 'Antrea agent',
    containers: [{ container: 'antrea-agent', repository: antrea }],
    networkPlugin: 'Antrea',
    perNode: true,
  },
  { id: 'mc-leader', name: 'Antrea Multi-cluster, leader', containers: [{ repository: antreaMc, word: 'leader' }] },
  { id: 'mc-member', name: 'Antrea Multi-cluster, member', containers: [{ repository: antreaMc, word: 'member' }] },
  {
    id: 'isthmus-leader',
    name: 'Isthmus, leader',
    containers: [{ repository: isthmus, word: 'leader' }],
    instead: 'mc-leader',
  },
  {
    id: 'isthmus-member',
    name: 'Isthmus, member',
    containers: [{ repository: isthmus, word: 'member' }],
    instead: 'mc-member',
  },
  {
    id: 'cilium',
    name: 'Cilium, agent and operator',
    containers: [
      { container: 'cilium-agent', repository: /cilium/ },
      { container: 'cilium-operator', repository: /operator/ },
    ],
    networkPlugin: 'Cilium',
    perNode: true,
  },
  {
    id: 'calico',
    name: 'Calico, agent',
    containers: [{ container: 'calico-node', repository: /node$/ }],
    networkPlugin: 'Calico',
    perNode: true,
  },
  {
    id: 'flannel',
    name: 'Flannel',
    containers: [{ container: 'kube-flannel', repository: /flannel$/ }],
    networkPlugin: 'Flannel',
    perNode: true,
  },
  {
    id: 'cert-manager',
    name: 'cert-manager: controller, webhook, cainjector',
    containers: [{ repository: /(?:^|\/)cert-manager-(?:controller|webhook|cainjector)$/ }],
  },
  {
    id: 'flux',
    name: 'Flux: the release, from a label of its controllers',
    containers: [{ container: 'manager', label: ['app.kubernetes.io/part-of', 'flux'] }],
    // The tags are the versions of the single controllers.
    version: ['label'],
  },
  { id: 'capi-core', name: 'Cluster API, core provider', containers: [provider('cluster-api')] },
  { id: 'capi-kubeadm-bootstrap', name: 'Cluster API, kubeadm bootstrap', containers: [provider('bootstrap-kubeadm')] },
  {
    id: 'capi-kubeadm-control-plane',
    name: 'Cluster API, kubeadm control plane',
    containers: [provider('control-plane-kubeadm')],
  },
  infrastructure('vsphere', 'vSphere'),
  infrastructure('docker', 'Docker'),
  infrastructure('nutanix', 'Nutanix'),
  infrastructure('snow', 'Snow'),
  infrastructure('tinkerbell', 'Tinkerbell'),
  infrastructure('cloudstack', 'CloudStack'),
  infrastructure('aws', 'AWS'),
  infrastructure('azure', 'Azure'),
  infrastructure('gcp', 'Google Cloud'),
  {
    id: 'etcdadm-bootstrap',
    name: 'Cluster API, etcdadm bootstrap',
    containers: [{ repository: /(?:^|\/)etcdadm-bootstrap-provider$/ }],
  },
  {
    id: 'etcdadm-controller',
    name: 'Cluster API, etcdadm controller',
    containers: [{ repository: /(?:^|\/)etcdadm-controller$/ }],
  },
  {
    id: 'eksa',
    type: 'eks-anywhere',
    name: 'EKS Anywhere',
    containers: [{ repository: /(?:^|\/)eks-anywhere-cluster-controller$/ }],
  },
  {
    id: 'kube-proxy',
    name: 'kube-proxy',
    containers: [{ container: 'kube-proxy', repository: /kube-proxy/ }],
    perNode: true,
  },
];

/**
 * All rows for a cluster: {@link knownComponents}, and the infrastructure providers of Cluster API
 * that only their label or the inventory names.
 */
export function rowsOf({
  workloads,
  providers = [],
}: {
  readonly workloads: readonly { readonly labels: Readonly<Record<string, string>> }[];
  readonly providers?: readonly { readonly type: string; readonly name: string }[] | undefined;
}): readonly KnownComponent[] {
  const labelled = workloads.flatMap(({ labels }) => {
    const [, name] = /^infrastructure-(.+)$/.exec(labels['cluster.x-k8s.io/provider'] ?? '') ?? [];
    return name ?? [];
  });
  const listed = providers.flatMap(({ type, name }) => (type === 'InfrastructureProvider' ? [name] : []));
  const rows = [...new Set([...labelled, ...listed])].toSorted().map((name) => infrastructure(name, name));
  return [...knownComponents, ...rows.filter(({ id }) => knownComponents.every((known) => known.id !== id))];
}

/** The programs of the control plane that run as static Pods, by their label `component`. */
export const controlPlane: readonly string[] = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** The id of a component, by type and name of a Provider in the inventory of clusterctl. */
export const inventoryIds: Readonly<Record<string, string>> = {
  'CoreProvider/cluster-api': 'capi-core',
  'BootstrapProvider/kubeadm': 'capi-kubeadm-bootstrap',
  'ControlPlaneProvider/kubeadm': 'capi-kubeadm-control-plane',
  'BootstrapProvider/etcdadm-bootstrap': 'etcdadm-bootstrap',
  'BootstrapProvider/etcdadm-controller': 'etcdadm-controller',
};
