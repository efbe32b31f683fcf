import { defineConfigKind, s } from '@isthmus/schema';
import { ApiGroup } from '../names.ts';

/**
 * The configuration file of a controller, in both roles (docs/spec/process.md §2). Defaults are
 * those of upstream for a missing file or key. The schema does not check that CIDRs parse: the
 * reader does, and an empty CIDR counts as no CIDR.
 */
export const multiClusterConfig = defineConfigKind({
  group: ApiGroup.multicluster,
  version: 'v1alpha1',
  kind: 'MultiClusterConfig',
  docs:
    'The configuration of a controller, leader or member: a file, never an object in the API server. In a cluster it is the key ' +
    'controller_manager_config.yaml of the ConfigMap antrea-mc-controller-config. A change takes effect within about a minute; health, ' +
    'metrics and webhook when the controller restarts.',
  schema: s.object({
    allowedCIDRs: s
      .array(s.string())
      .doc(
        'For a leader: the ranges within which members may announce Service and Pod CIDRs; other announced ranges are reported and not used. Empty allows any range without a special use.',
      )
      .optional(),
    enableStretchedNetworkPolicy: s
      .boolean()
      .doc(
        'Whether label identities are exchanged, so that policies can select Pods of other clusters. Must be the same in every cluster.',
      )
      .default(false),
    endpointIPType: s
      .oneOf('', 'ClusterIP', 'PodIP')
      .doc(
        'Endpoint addresses of exported Services: ClusterIP or PodIP; empty means ClusterIP. Must be the same in every cluster. ClusterIP needs a network that routes ClusterIPs between the clusters, as the gateways of Antrea do; PodIP needs routable Pod IPs, or agents of Isthmus on the Nodes. The controller does not test the network.',
      )
      .default('ClusterIP'),
    gatewayIPPrecedence: s
      .oneOf('', 'private', 'internal', 'public', 'external')
      .doc(
        'Address of a gateway Node that other clusters use: private (or internal) or public (or external); empty means private.',
      )
      .default('private'),
    hardened: s
      .boolean()
      .doc(
        'Whether other clusters may not export Services of Namespaces kube-* and of those of the controllers, unless a KnownCluster allows it. What is imported stays. For production; the installation guide of Antrea exports a Service of such a Namespace.',
      )
      .default(false),
    health: s
      .object({
        healthProbeBindAddress: s
          .string()
          .doc('Address of /healthz and /readyz; empty means port 8080 of the Pod, or of loopback outside a Pod.')
          .default(''),
      })
      .doc('Health endpoints.')
      .default({}),
    importExcludedNamespaces: s.array(s.string()).doc('Namespaces into which this member imports nothing.').optional(),
    leaderElection: s
      .object({
        leaderElect: s.boolean().optional(),
        leaseDuration: s.string().optional(),
        renewDeadline: s.string().optional(),
        resourceLock: s.string().optional(),
        resourceName: s.string().optional(),
        resourceNamespace: s.string().optional(),
        retryPeriod: s.string().optional(),
      })
      .doc('Legacy (before Antrea 2.0): accepted and not used.')
      .optional(),
    memberWrites: s
      .object({
        megabytesPerMinute: s
          .int32()
          .min(0)
          .doc('Megabytes per minute, of new and changed objects; twice as many at once. 0: any number.')
          .default(64),
        rewritesPerMinute: s
          .int32()
          .min(0)
          .doc(
            'Changes of existing objects per minute, and deletions of objects that are younger than a minute; half of them at once, and three more for each object of the cluster. 0: any number.',
          )
          .default(12_000),
      })
      .doc(
        'For a leader: how much one member may write to this cluster. The leader suspends the ServiceAccount of a member that writes more. Exporting 20,000 Services at once is about 40 megabytes and no change.',
      )
      .default({}),
    metrics: s
      .object({
        bindAddress: s
          .string()
          .doc(
            'Address of the Prometheus metrics; "0" disables them. On loopback, every process of the host can read them; elsewhere they are served over HTTPS to users that the API server allows to get /metrics.',
          )
          .default('0'),
      })
      .doc('Metrics endpoint.')
      .default({}),
    podCIDRs: s
      .array(s.string())
      .doc(
        "The cluster's Pod CIDRs, which a member with a Gateway exports to the other clusters; empty strings are ignored.",
      )
      .optional(),
    serviceCIDR: s
      .string()
      .doc(
        "The cluster's Service CIDR, which a member with a Gateway exports; empty means the one that the API server of the cluster reports, or that of a Gateway that a user created.",
      )
      .default(''),
    unknownClusters: s
      .oneOf('', 'Observe', 'Hold')
      .doc(
        'For a leader: what happens when a cluster without a KnownCluster announces its network. Observe publishes it and records its ranges; Hold publishes nothing until an administrator accepts the cluster. Empty means Observe.',
      )
      .default('Observe'),
    virtualPodCIDRs: s
      .array(s.string())
      .doc(
        'For a leader: ranges that no cluster uses, such as 100.64.0.0/10. If Pod CIDRs of clusters overlap, these clusters get virtual Pod CIDRs from these ranges, which all other clusters use for them. Needs agents of Isthmus in these clusters. Empty: overlapping ranges are reported and not used.',
      )
      .optional(),
    webhook: s
      .object({
        certDir: s.string().doc('Accepted and not used: the controller creates its certificates.').optional(),
        host: s.string().doc('Address that the admission server listens on; empty means all.').optional(),
        port: s.int32().min(0).max(65535).doc('Port that the admission server listens on.').default(9443),
      })
      .doc('Admission server.')
      .default({}),
  }),
});

/** The content of a configuration file. */
export type MultiClusterConfig = ReturnType<typeof multiClusterConfig.decode>['value'];
