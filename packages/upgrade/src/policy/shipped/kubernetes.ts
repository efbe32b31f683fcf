import { removedApis } from './kubernetes-removed-apis.ts';
import type { PolicyData } from './policy-data.ts';

const skew = 'Kubernetes, Version Skew Policy';
const deprecation = 'Kubernetes, Deprecation Policy';

/** One of the parts that follow the API server at most one minor behind. */
const control = (id: string, subject: string) =>
  ({
    id,
    subject,
    reference: 'kube-apiserver',
    scope: 'cluster',
    newer: { minors: 0 },
    older: { minors: 1 },
    message: `${subject} is not newer than the oldest API server, and up to one minor older`,
    source: skew,
  }) as const;

/** A feature gate, as the versioned specs of Kubernetes have it. */
function gate(
  name: string,
  component: string,
  since: Readonly<Partial<Record<'alpha' | 'beta' | 'ga' | 'deprecated', string>>>,
) {
  const stages = (['alpha', 'beta', 'ga', 'deprecated'] as const).flatMap((stage) => {
    const version = since[stage];
    return version === undefined ? [] : [{ stage, since: version }];
  });
  return { name, component, gate: name, stages, source: 'k8s.io/kubernetes v1.37.0, pkg/features/kube_features.go' };
}

/** The promises of the project Kubernetes. */
export const kubernetes = {
  name: 'kubernetes',
  spec: {
    product: 'Kubernetes',
    order: [
      ['k8s.order-controller-manager', 'kube-apiserver', 'kube-controller-manager'],
      ['k8s.order-scheduler', 'kube-apiserver', 'kube-scheduler'],
      ['k8s.order-cloud', 'kube-apiserver', 'cloud-controller-manager'],
      ['k8s.order-kubelet', 'kube-apiserver', 'kubelet'],
      ['k8s.order-kube-proxy', 'kube-apiserver', 'kube-proxy'],
    ].map(([id = '', first = '', next = '']) => ({ id, first, next, scope: 'cluster' as const, source: skew })),
    skew: [
      {
        id: 'k8s.apiserver-ha',
        subject: 'kube-apiserver',
        reference: 'kube-apiserver',
        scope: 'cluster',
        newer: { minors: 1 },
        older: { minors: 1 },
        message: 'the API servers of a cluster are at most one minor apart',
        source: skew,
      },
      {
        id: 'k8s.kubelet',
        subject: 'kubelet',
        reference: 'kube-apiserver',
        scope: 'cluster',
        newer: { minors: 0 },
        older: { minors: 3 },
        message: 'a kubelet is not newer than the oldest API server, and up to three minors older',
        source: skew,
      },
      {
        id: 'k8s.kubelet-before-1.25',
        subject: 'kubelet',
        reference: 'kube-apiserver',
        scope: 'cluster',
        newer: { minors: 0 },
        older: { minors: 2 },
        when: { subject: '<1.25' },
        message: 'a kubelet before 1.25 is up to two minors older than the API servers',
        source: skew,
      },
      {
        id: 'k8s.kproxy',
        subject: 'kube-proxy',
        reference: 'kube-apiserver',
        scope: 'cluster',
        newer: { minors: 0 },
        older: { minors: 3 },
        message: 'kube-proxy is not newer than the oldest API server, and up to three minors older',
        source: skew,
      },
      {
        id: 'k8s.kproxy-before-1.25',
        subject: 'kube-proxy',
        reference: 'kube-apiserver',
        scope: 'cluster',
        newer: { minors: 0 },
        older: { minors: 2 },
        when: { subject: '<1.25' },
        message: 'kube-proxy before 1.25 is up to two minors older than the API servers',
        source: skew,
      },
      {
        id: 'k8s.kproxy-kubelet',
        subject: 'kube-proxy',
        reference: 'kubelet',
        scope: 'node',
        newer: { minors: 3 },
        older: { minors: 3 },
        message: 'kube-proxy and the kubelet on the same Node are at most three minors apart',
        source: skew,
      },
      {
        id: 'k8s.kproxy-kubelet-before-1.25',
        subject: 'kube-proxy',
        reference: 'kubelet',
        scope: 'node',
        newer: { minors: 2 },
        older: { minors: 2 },
        when: { subject: '<1.25' },
        message: 'kube-proxy before 1.25 and the kubelet on the same Node are at most two minors apart',
        source: skew,
      },
      control('k8s.cm', 'kube-controller-manager'),
      control('k8s.cm-scheduler', 'kube-scheduler'),
      control('k8s.cm-cloud', 'cloud-controller-manager'),
      {
        id: 'k8s.kubectl',
        subject: 'kubectl',
        reference: 'kube-apiserver',
        scope: 'fleet',
        newer: { minors: 1 },
        older: { minors: 1 },
        message: 'kubectl is at most one minor away from the API servers',
        source: skew,
      },
    ],
    hops: [
      {
        id: 'k8s.step',
        subject: 'kube-apiserver',
        maxMinors: 1,
        majors: 'never',
        source: 'Kubernetes, kubeadm upgrade',
      },
    ],
    apis: [
      {
        id: 'k8s.apis',
        component: 'kube-apiserver',
        groups: ['*.k8s.io', 'apps', 'autoscaling', 'batch', 'policy', 'extensions'],
        ga: { months: 12, releases: 3 },
        beta: { months: 9, releases: 3 },
        alpha: { months: 0 },
        gaWithinMajor: true,
        source: deprecation,
      },
    ],
    removedApis,
    metrics: [
      {
        id: 'k8s.metrics',
        component: 'kube-apiserver',
        names: ['apiserver_*', 'scheduler_*', 'kubelet_*', 'kubeproxy_*', 'workqueue_*', 'rest_client_*', 'etcd_*'],
        stability: 'help-text',
        minMinors: 3,
        minMinorsBeta: 1,
        hidden: { minors: 1, flag: '--show-hidden-metrics-for-version' },
        source: `${deprecation}, metrics; k8s.io/component-base v0.37.0, metrics/registry.go and metrics/options.go`,
      },
    ],
    // The gates that affect definitions, storage, admission and servers of two minors side by side,
    // and a few that change how Nodes and Services work. A stage shows how stable a gate is, not
    // that it is on.
    features: [
      gate('CRDValidationRatcheting', 'kube-apiserver', { alpha: '1.28.0', beta: '1.30.0', ga: '1.33.0' }),
      gate('CustomResourceFieldSelectors', 'kube-apiserver', { alpha: '1.30.0', beta: '1.31.0', ga: '1.32.0' }),
      gate('CRDObservedGenerationTracking', 'kube-apiserver', { beta: '1.35.0' }),
      gate('MutatingAdmissionPolicy', 'kube-apiserver', { alpha: '1.32.0', beta: '1.34.0', ga: '1.36.0' }),
      gate('StorageVersionMigrator', 'kube-apiserver', { alpha: '1.30.0', beta: '1.35.0', ga: '1.37.0' }),
      gate('UnknownVersionInteroperabilityProxy', 'kube-apiserver', { alpha: '1.28.0', beta: '1.36.0' }),
      gate('CoordinatedLeaderElection', 'kube-apiserver', { alpha: '1.31.0', beta: '1.33.0' }),
      gate('WatchList', 'kube-apiserver', { alpha: '1.27.0', beta: '1.32.0' }),
      gate('MultiCIDRServiceAllocator', 'kube-apiserver', { alpha: '1.27.0', beta: '1.31.0', ga: '1.33.0' }),
      gate('ClusterTrustBundle', 'kube-apiserver', { alpha: '1.27.0', beta: '1.33.0', ga: '1.37.0' }),
      gate('StrictIPCIDRValidation', 'kube-apiserver', { alpha: '1.33.0', beta: '1.36.0' }),
      gate('DynamicResourceAllocation', 'kube-apiserver', { alpha: '1.26.0', beta: '1.32.0', ga: '1.34.0' }),
      gate('NFTablesProxyMode', 'kube-proxy', { alpha: '1.29.0', beta: '1.31.0', ga: '1.33.0' }),
      gate('InPlacePodVerticalScaling', 'kubelet', { alpha: '1.27.0', beta: '1.33.0', ga: '1.35.0' }),
      gate('MaxUnavailableStatefulSet', 'kube-controller-manager', { alpha: '1.24.0', beta: '1.35.0' }),
      gate('GitRepoVolumeDriver', 'kubelet', { ga: '1.0.0', deprecated: '1.33.0' }),
      gate('KMSv1', 'kube-apiserver', { ga: '1.0.0', deprecated: '1.28.0' }),
    ],
    patchReleases: [{ id: 'k8s.patch', component: 'kube-apiserver', source: 'Kubernetes, Patch Releases' }],
  },
} satisfies PolicyData;
