import type { VersionScheme } from '../../version/version.ts';

/**
 * How a section of a versions bundle of EKS Anywhere becomes a component
 * (docs/spec/upgrades.md §1.1, §1.4).
 */
export interface EksaSection {
  readonly id: string;
  /** The word of policies, where it is not the id. */
  readonly type?: string | undefined;
  readonly displayName: string;
  readonly method: 'apply' | 'clusterctl' | 'helm' | 'flux';
  /**
   * Whether it belongs into management clusters alone: EKS Anywhere then takes it from the first
   * versions bundle.
   */
  readonly management: boolean;
  readonly scheme: VersionScheme;
  /**
   * Whether clusters do without it: of the infrastructure providers one has one, and not every one
   * uses Flux.
   */
  readonly optional?: boolean | undefined;
  /**
   * The section that is upgraded before it, where the file has it: the order of
   * `clusterctl upgrade`, and of EKS Anywhere after it.
   */
  readonly follows?: string | undefined;
}

const certManager = { method: 'clusterctl', management: true, scheme: 'semver' } as const;
const core = { ...certManager, follows: 'certManager' } as const;
const provider = { ...certManager, follows: 'clusterAPI' } as const;

/**
 * By the name of the section. What is not here is not a component that an upgrade moves by itself
 * (node images, helpers of its command line).
 */
export const eksaSections: Readonly<Record<string, EksaSection>> = {
  certManager: { id: 'cert-manager', displayName: 'cert-manager', ...certManager },
  clusterAPI: { id: 'capi-core', displayName: 'Cluster API', ...core },
  bootstrap: { id: 'capi-kubeadm-bootstrap', displayName: 'kubeadm bootstrap provider', ...provider },
  controlPlane: { id: 'capi-kubeadm-control-plane', displayName: 'kubeadm control plane provider', ...provider },
  etcdadmBootstrap: { id: 'etcdadm-bootstrap', displayName: 'etcdadm bootstrap provider', ...provider },
  etcdadmController: { id: 'etcdadm-controller', displayName: 'etcdadm controller', ...provider },
  vSphere: { id: 'capi-infra-vsphere', displayName: 'vSphere provider', ...provider, optional: true },
  docker: { id: 'capi-infra-docker', displayName: 'Docker provider', ...provider, optional: true },
  nutanix: { id: 'capi-infra-nutanix', displayName: 'Nutanix provider', ...provider, optional: true },
  snow: { id: 'capi-infra-snow', displayName: 'Snow provider', ...provider, optional: true },
  tinkerbell: { id: 'capi-infra-tinkerbell', displayName: 'Tinkerbell provider', ...provider, optional: true },
  cloudStack: { id: 'capi-infra-cloudstack', displayName: 'CloudStack provider', ...provider, optional: true },
  eksa: {
    id: 'eksa',
    type: 'eks-anywhere',
    displayName: 'EKS Anywhere',
    method: 'apply',
    management: true,
    scheme: 'semver',
    follows: 'clusterAPI',
  },
  flux: { id: 'flux', displayName: 'Flux', method: 'flux', management: true, scheme: 'semver', optional: true },
  packageController: {
    id: 'eksa-packages',
    displayName: 'EKS Anywhere packages',
    method: 'helm',
    management: true,
    scheme: 'semver',
    optional: true,
  },
  cilium: { id: 'cilium', displayName: 'Cilium', method: 'helm', management: false, scheme: 'eks-suffix' },
  kindnetd: {
    id: 'kindnetd',
    displayName: 'kindnetd',
    method: 'apply',
    management: false,
    scheme: 'semver',
    optional: true,
  },
};

/** The parts of Kubernetes that EKS Distro brings, all of one version. */
export const kubernetesParts = [
  { id: 'kube-apiserver', scope: 'cluster' },
  { id: 'kube-controller-manager', scope: 'cluster' },
  { id: 'kube-scheduler', scope: 'cluster' },
  { id: 'kube-proxy', scope: 'node' },
  { id: 'kubelet', scope: 'node' },
] as const;
