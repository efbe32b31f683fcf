import { datesOfReleases, newestKubernetesAtRelease } from './antrea-releases.ts';
import type { PolicyData } from './policy-data.ts';

const versioning = 'Antrea, docs/versioning.md';
const skew = `${versioning}, Antrea upgrade and supported version skew`;
const gates = 'Antrea, pkg/features/antrea_features.go as of 2.6, docs/feature-gates.md as of 1.15';

/** The promises of the project Antrea about its controller, agents, antctl and flow aggregator. */
export const antrea = {
  name: 'antrea',
  spec: {
    product: 'Antrea',
    sequences: [
      {
        name: 'antrea',
        // prettier-ignore
        minors: [
          '0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9', '0.10', '0.11', '0.12', '0.13',
          '1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7', '1.8', '1.9', '1.10', '1.11', '1.12', '1.13',
          '1.14', '1.15', '2.0', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7',
        ],
      },
    ],
    order: [
      { id: 'antrea.order', first: 'antrea-controller', next: 'antrea-agent', scope: 'cluster', source: skew },
      {
        id: 'antrea.order-flow-aggregator',
        first: 'antrea-agent',
        next: 'flow-aggregator',
        scope: 'cluster',
        source: 'Antrea, docs/network-flow-visibility.md',
      },
    ],
    skew: [
      {
        id: 'antrea.agent',
        subject: 'antrea-agent',
        reference: 'antrea-controller',
        scope: 'cluster',
        newer: { minors: 0, patches: 'none' },
        older: { minors: 4 },
        sequence: 'antrea',
        message: 'an agent is not newer than the controller, and up to four minors older',
        source: skew,
      },
      {
        id: 'antrea.antctl',
        subject: 'antctl',
        reference: 'antrea-controller',
        scope: 'fleet',
        newer: { minors: 0, patches: 'none' },
        older: { minors: 4 },
        sequence: 'antrea',
        message: 'antctl is not newer than the controller, and up to four minors older',
        source: skew,
      },
      {
        id: 'antrea.fa',
        subject: 'flow-aggregator',
        reference: 'antrea-agent',
        scope: 'cluster',
        newer: { minors: 4 },
        older: { minors: 4 },
        sequence: 'antrea',
        message: 'the flow aggregator and the agents are at most four minors apart',
        source: 'Antrea, docs/network-flow-visibility.md',
      },
    ],
    hops: [
      { id: 'antrea.hop', subject: 'antrea-controller', maxMinors: 4, sequence: 'antrea', source: skew },
      { id: 'antrea.hop-agent', subject: 'antrea-agent', maxMinors: 4, sequence: 'antrea', source: skew },
    ],
    kubernetes: [
      {
        id: 'antrea.kubernetes',
        subject: 'antrea-controller',
        severity: 'warn',
        message: 'a minor supports the Kubernetes minors that were maintained at its release',
        maintained: {
          newestAtRelease: newestKubernetesAtRelease,
          count: 4,
          countUpTo: { newest: '1.19', count: 3 },
        },
        source: `${versioning}, Supported K8s versions; ${datesOfReleases}`,
      },
    ],
    apis: [
      {
        id: 'antrea.apis',
        component: 'antrea-controller',
        groups: ['crd.antrea.io', 'controlplane.antrea.io', '*.antrea.io'],
        ga: { months: 12 },
        beta: { months: 9 },
        alpha: { months: 0 },
        source: `${versioning}, Deprecation policies`,
      },
    ],
    metrics: [
      {
        id: 'antrea.metrics',
        component: 'antrea-controller',
        names: ['antrea_*'],
        stability: 'all-stable',
        minMinors: 1,
        source: `${versioning}, Metrics Deprecation Policy`,
      },
    ],
    placement: [
      {
        id: 'antrea.placement',
        groups: ['crd.antrea.io'],
        usual: ['v1alpha1', 'v1beta1'],
        source: `${versioning}, Introducing new API resources`,
      },
    ],
    patchReleases: [
      {
        id: 'antrea.patch',
        component: 'antrea-controller',
        dependencies: { ovs: 'minor', go: 'minor', 'go/*': 'minor', 'base-image': 'exact' },
        source: `${versioning}, Versioning scheme`,
      },
      {
        id: 'antrea.patch-agent',
        component: 'antrea-agent',
        // The CRDs are in the manifest that both share: the rule above checks them.
        apis: false,
        crdSchemas: false,
        dependencies: { ovs: 'minor', go: 'minor', 'go/*': 'minor', 'base-image': 'exact' },
        source: `${versioning}, Versioning scheme`,
      },
    ],
    features: [
      feature('AntreaProxy', 'antrea-agent', { alpha: '0.8.0', beta: '0.11.0', ga: '1.14.0' }),
      feature('EndpointSlice', 'antrea-agent', { alpha: '0.13.0', beta: '1.11.0', ga: '1.14.0' }),
      feature('TopologyAwareHints', 'antrea-agent', { alpha: '1.8.0', beta: '1.12.0', ga: '2.5.0' }),
      feature('ServiceTrafficDistribution', 'antrea-agent', { beta: '2.2.0', ga: '2.5.0' }),
      feature('PreferSameTrafficDistribution', 'antrea-agent', { alpha: '2.5.0' }),
      feature('CleanupStaleUDPSvcConntrack', 'antrea-agent', { alpha: '1.13.0', beta: '2.1.0' }),
      feature('LoadBalancerModeDSR', 'antrea-agent', { alpha: '1.13.0' }),
      feature('AntreaPolicy', 'antrea-controller', { alpha: '0.8.0', beta: '1.0.0' }),
      feature('Traceflow', 'antrea-controller', { alpha: '0.8.0', beta: '0.11.0' }),
      feature('PacketCapture', 'antrea-agent', { alpha: '2.2.0' }),
      feature('FlowExporter', 'antrea-agent', { alpha: '0.9.0' }),
      feature('NetworkPolicyStats', 'antrea-controller', { alpha: '0.10.0', beta: '1.2.0' }),
      feature('NodePortLocal', 'antrea-agent', { alpha: '0.13.0', beta: '1.4.0', ga: '1.14.0' }),
      feature('Egress', 'antrea-controller', { alpha: '1.0.0', beta: '1.6.0' }),
      feature('NodeIPAM', 'antrea-controller', { alpha: '1.4.0', beta: '1.12.0' }),
      feature('AntreaIPAM', 'antrea-controller', { alpha: '1.4.0' }),
      feature('Multicast', 'antrea-controller', { alpha: '1.5.0', beta: '1.12.0' }),
      feature('SecondaryNetwork', 'antrea-agent', { alpha: '1.5.0' }),
      feature('ServiceExternalIP', 'antrea-controller', { alpha: '1.5.0', beta: '2.3.0' }),
      feature('TrafficControl', 'antrea-agent', { alpha: '1.7.0' }),
      feature('Multicluster', 'antrea-controller', { alpha: '1.7.0' }),
      feature('IPsecCertAuth', 'antrea-controller', { alpha: '1.7.0' }),
      feature('ExternalNode', 'antrea-agent', { alpha: '1.8.0' }),
      feature('SupportBundleCollection', 'antrea-controller', { alpha: '1.10.0' }),
      feature('L7NetworkPolicy', 'antrea-controller', { alpha: '1.10.0' }),
      feature('AdminNetworkPolicy', 'antrea-controller', { alpha: '1.13.0' }),
      feature('EgressTrafficShaping', 'antrea-agent', { alpha: '1.14.0' }),
      feature('EgressSeparateSubnet', 'antrea-agent', { alpha: '1.15.0', beta: '2.3.0' }),
      feature('NodeNetworkPolicy', 'antrea-agent', { alpha: '1.15.0' }),
      feature('NodeLatencyMonitor', 'antrea-agent', { alpha: '2.1.0' }),
      feature('BGPPolicy', 'antrea-agent', { alpha: '2.1.0' }),
      feature('NFTablesHostNetworkMode', 'antrea-agent', { alpha: '2.5.0' }),
      {
        ...feature('L7FlowExporter', 'antrea-agent', { alpha: '1.15.0', deprecated: '2.5.0', removed: '2.6.0' }),
        source: 'Antrea, docs/feature-gates.md; CHANGELOG-2.5, pull request 7567; CHANGELOG-2.6, pull request 7593',
      },
      {
        ...feature('ClusterNetworkPolicy', 'antrea-controller', { alpha: '2.7.0' }),
        source: 'Antrea, CHANGELOG-2.7, pull request 8018; the stage is not confirmed by a document of the project',
      },
    ],
    interruptions: [
      {
        id: 'antrea.restart-controller',
        component: 'antrea-controller',
        text: 'New policies are not processed, and writes of Antrea-native policies may be rejected, because the controller serves their webhook. Existing policies stay enforced.',
        source: skew,
      },
      {
        id: 'antrea.restart-agent',
        component: 'antrea-agent',
        text: 'New connections to and from the Node are not possible, and existing ones may break.',
        source: skew,
      },
    ],
    notes: [
      {
        id: 'antrea.api-storage',
        component: 'antrea-controller',
        from: '<2.0.0',
        to: '>=2.0.0',
        severity: 'warn',
        text: 'Version 2.0 no longer serves API versions that objects may still be stored in; upgrade via 1.13 or later (from older versions via 1.15.1).',
        unblock: 'rewrite the objects and set storedVersions first: `antctl upgrade api-storage`',
        source: 'Antrea, CHANGELOG-2.0; docs/versioning.md of release 2.0, Upgrading from Antrea v1 to Antrea v2',
      },
      {
        id: 'antrea.gossip',
        component: 'antrea-agent',
        from: '<2.7.0',
        to: '>=2.7.0',
        text: 'Agents of 2.7 authenticate and encrypt their gossip by default: while agents of both kinds run, the ownership of Egress and ServiceExternalIP addresses may be inconsistent.',
        unblock:
          'expect interruptions of both while the agents of a large cluster are upgraded, and follow the upgrade guide of 2.7',
        source: 'Antrea, release notes of 2.7.0, pull request 8259',
      },
      {
        id: 'antrea.least-kubernetes',
        component: 'antrea-controller',
        from: '<2.5.0',
        to: '>=2.5.0',
        text: 'The minimum Kubernetes version is 1.23 since 2.5; it was 1.19 since 2.0.',
        source: 'Antrea, CHANGELOG-2.5, pull request 7564; CHANGELOG-2.0, pull request 6089',
      },
      {
        id: 'antrea.maintained',
        component: 'antrea-controller',
        to: '',
        text: 'A minor is released every six to eight weeks; the two newest are maintained, each for about three months. Four minors of skew are about six months.',
        source: `${versioning}, Release cycle`,
      },
      {
        id: 'antrea.managed-kubernetes',
        component: 'antrea-controller',
        to: '',
        text: 'The default Kubernetes versions of EKS and of the regular channel of GKE are supported as well.',
        source: `${versioning}, Supported K8s versions`,
      },
    ],
  },
} satisfies PolicyData;

type Stage = 'alpha' | 'beta' | 'ga' | 'deprecated' | 'removed';

/**
 * A feature gate of Antrea: its stages as in the list of gates. A gate that controller and agent
 * share is listed for the controller.
 */
function feature(gate: string, component: string, since: Readonly<Partial<Record<Stage, string>>>) {
  const stages = (['alpha', 'beta', 'ga', 'deprecated', 'removed'] as const).flatMap((stage) => {
    const version = since[stage];
    return version === undefined ? [] : [{ stage, since: version }];
  });
  return { name: gate, component, gate, stages, source: gates };
}
