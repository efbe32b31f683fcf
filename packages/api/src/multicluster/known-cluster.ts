import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { clusterIDPattern } from '../derived-names.ts';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';

/** Text of 43 characters is the longest range: an IPv6 address with its prefix length. */
const ranges = () => s.array(s.string().minLength(1).maxLength(43)).maxItems(mostGrantedRanges);

const namespaces = () =>
  s.array(s.string().minLength(1).maxLength(63).pattern('^[a-z0-9-]*[*]?$')).maxItems(mostNamespaces);

/** The most entries of a list of Namespaces. */
const mostNamespaces = 64;

/** The most ranges of one field: a leader publishes at most 64 Pod CIDRs of a cluster. */
export const mostGrantedRanges = 64;

const rangesOf = (what: string) =>
  s.object({
    pods: ranges().doc(`Pod CIDRs that ${what}.`).optional(),
    services: ranges().doc(`Service CIDRs that ${what}.`).optional(),
    gateways: ranges().doc(`Addresses of gateways that ${what}.`).optional(),
  });

/** The origins of a grant. */
const grantOrigins = ['Granted', 'Observed'] as const;

/** The states of a grant. */
const grantStates = ['Accepted', 'Held', 'Refused'] as const;

export const knownClusters = defineResource({
  group: ApiGroup.isthmus,
  kind: 'KnownCluster',
  plural: 'knownclusters',
  singular: 'knowncluster',
  scope: 'Namespaced',
  shortNames: ['kc'],
  docs:
    'What another cluster may announce about its network. It has the name of the cluster, and is in the Namespace of a controller: that of the leader for all ' +
    'members, or that of a member for this member. The leader creates one for each cluster that it publishes, with the ranges that are in use, and so does a member ' +
    'whose leader does not; an administrator grants others.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: s
        .object({
          spec: s
            .object({
              clusterID: s
                .string()
                .minLength(1)
                .maxLength(63)
                .pattern(clusterIDPattern)
                .rule('self == oldSelf', 'clusterID cannot be changed: create another KnownCluster')
                .doc('ID of the cluster: the name of this object. It cannot be changed.'),
              origin: s
                .oneOf(...grantOrigins)
                .default('Granted')
                .doc(
                  'Granted: an administrator decided what the cluster may announce. Observed: the controller wrote what was in use.',
                ),
              state: s
                .oneOf(...grantStates)
                .default('Accepted')
                .doc(
                  'Accepted: what is within the ranges is used. Held: nothing new is used, and what is in use stays. Refused: its network and its Services are withdrawn, at a leader from all other clusters, in a member from this one.',
                ),
              pods: ranges()
                .doc(
                  'Ranges within which the cluster may announce Pod CIDRs. Without the field, any range that is private and not shorter than /8 (IPv6: /32).',
                )
                .optional(),
              services: ranges()
                .doc('Ranges within which the cluster may announce its Service CIDR; without the field as for pods.')
                .optional(),
              gateways: ranges()
                .doc('Ranges within which the gateways of the cluster have their addresses; without the field, any.')
                .optional(),
              namespaces: s
                .object({
                  allow: namespaces()
                    .doc('Names of Namespaces, or beginnings of names with * at the end. Without the field, all.')
                    .optional(),
                  deny: namespaces()
                    .doc(
                      'As allow. Without the field: kube-public, kube-node-lease and openshift* (not openshift-storage), and with hardened in the configuration also kube-* and the Namespaces of controllers.',
                    )
                    .optional(),
                })
                .doc(
                  'The Namespaces whose Services the cluster may export. If a name matches several entries, the longest one decides, and at the same length the denial.',
                )
                .optional(),
              quotas: s
                .object({
                  services: s.int32().min(0).doc('Services; 10000 without the field.').optional(),
                  endpointSlices: s
                    .int32()
                    .min(0)
                    .doc('EndpointSlices of imported Services; 20000 without the field.')
                    .optional(),
                  endpoints: s
                    .int32()
                    .min(0)
                    .doc('Endpoints of imported Services; 200000 without the field.')
                    .optional(),
                  changesPerMinute: s
                    .int32()
                    .min(1)
                    .doc(
                      'Changes of one object in a minute. Further ones are used at growing intervals, up to five seconds; 120 without the field.',
                    )
                    .optional(),
                })
                .doc('How much each other cluster imports of the cluster. What is imported stays.')
                .optional(),
            })
            .doc('What the cluster may announce.'),
          status: s
            .object({
              asked: rangesOf('the cluster announces and that are not granted')
                .doc(
                  'What the cluster announces beyond its grant. Of a range that is too wide, the granted parts are in use.',
                )
                .optional(),
              used: rangesOf('are in use for the cluster').doc('What is in use.').optional(),
              conditions: s.conditions().doc('Types WithinGrant, ObservedUnusual and GrantsOverlap.').optional(),
              observedGeneration: s.int64().doc('The metadata.generation that this status refers to.').optional(),
            })
            .doc('What the cluster announces, beside its grant. Written by the controller.')
            .optional(),
        })
        .rule('self.metadata.name == self.spec.clusterID', 'the name of a KnownCluster must be its spec.clusterID'),
      columns: [
        column('Origin', '.spec.origin', { description: 'Whether a person granted the ranges' }),
        column('State', '.spec.state', { description: 'Whether the cluster may announce within its ranges' }),
        column('Within Grant', '.status.conditions[?(@.type=="WithinGrant")].status', {
          description: 'Whether everything that the cluster announces is granted',
        }),
        column('Pods', '.spec.pods', { description: 'Ranges for its Pod CIDRs', priority: 1 }),
        column('Services', '.spec.services', { description: 'Ranges for its Service CIDR', priority: 1 }),
        ageColumn,
      ],
      status: true,
    },
  ],
  examples: [
    {
      apiVersion: 'isthmus.dev/v1alpha1',
      kind: 'KnownCluster',
      metadata: { name: 'east', namespace: 'antrea-multicluster' },
      spec: {
        clusterID: 'east',
        origin: 'Granted',
        state: 'Accepted',
        pods: ['10.10.0.0/16'],
        services: ['10.96.0.0/12'],
        gateways: ['192.0.2.0/28'],
      },
    },
  ],
});

export const KnownCluster = knownClusters.version('v1alpha1');
export type KnownCluster = ObjectOf<typeof KnownCluster>;
