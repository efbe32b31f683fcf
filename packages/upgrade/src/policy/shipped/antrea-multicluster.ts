import { datesOfReleases, newestKubernetesAtRelease } from './antrea-releases.ts';
import type { PolicyData } from './policy-data.ts';

const guide = 'Antrea, docs/multicluster/upgrade.md';
const userGuide = 'Antrea, docs/multicluster/user-guide.md';

const antctl = {
  scope: 'fleet',
  newer: { minors: 0, patches: 'none' },
  older: {},
  sequence: 'antrea-multicluster',
  source: guide,
} as const;

const sameVersion = {
  scope: 'cluster',
  severity: 'warn',
  newer: { minors: 0, patches: 'none' },
  older: { minors: 0, patches: 'none' },
  sequence: 'antrea-multicluster',
  message: 'the network plugin and its multi-cluster controller should have the same version',
  source: guide,
} as const;

/** The promises of the project Antrea about ClusterSets. */
export const antreaMulticluster = {
  name: 'antrea-multicluster',
  spec: {
    product: 'Antrea Multi-cluster',
    sequences: [
      {
        name: 'antrea-multicluster',
        // prettier-ignore
        minors: [
          '1.5', '1.6', '1.7', '1.8', '1.9', '1.10', '1.11', '1.12', '1.13', '1.14', '1.15',
          '2.0', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7',
        ],
      },
    ],
    roleOrder: ['leader', 'member'],
    order: [{ id: 'mc.order', first: 'mc-leader', next: 'mc-member', scope: 'clusterset', source: guide }],
    skew: [
      {
        id: 'mc.same',
        subject: 'mc-member',
        reference: 'mc-leader',
        scope: 'clusterset',
        newer: { minors: 0, patches: 'none' },
        older: { minors: 0, patches: 'none' },
        holds: 'settled',
        sequence: 'antrea-multicluster',
        message: 'members must have the version of their leader',
        source: guide,
      },
      {
        ...antctl,
        id: 'mc.antctl',
        subject: 'antctl',
        reference: 'mc-leader',
        message: 'antctl is not newer than the leader',
      },
      {
        ...antctl,
        id: 'mc.antctl-member',
        subject: 'antctl',
        reference: 'mc-member',
        message: 'antctl is not newer than the members',
      },
      { ...sameVersion, id: 'mc.antrea', subject: 'antrea-controller', reference: 'mc-member' },
      { ...sameVersion, id: 'mc.antrea-leader', subject: 'antrea-controller', reference: 'mc-leader' },
    ],
    floors: [
      {
        id: 'mc.antctl-floor',
        subject: 'antctl',
        range: '>=1.6.0',
        whenPresent: 'mc-leader',
        scope: 'fleet',
        message: 'antctl has commands for ClusterSets since 1.6.0',
        source: guide,
      },
    ],
    kubernetes: [['mc.kubernetes', 'mc-leader'] as const, ['mc.kubernetes-member', 'mc-member'] as const].map(
      ([id, subject]) => ({
        id,
        subject,
        severity: 'warn' as const,
        message: 'the Kubernetes minors are the same as for Antrea of the same version',
        maintained: { newestAtRelease: newestKubernetesAtRelease, count: 4, countUpTo: { newest: '1.19', count: 3 } },
        source: `${guide}, Supported K8s versions; ${datesOfReleases}`,
      }),
    ),
    apis: [
      {
        id: 'mc.apis',
        component: 'mc-leader',
        groups: ['multicluster.crd.antrea.io'],
        ga: { months: 12 },
        beta: { months: 9 },
        alpha: { months: 0 },
        source: `${guide}, APIs deprecation policy`,
      },
    ],
    patchReleases: [
      { id: 'mc.patch', component: 'mc-leader', source: 'Antrea, docs/versioning.md, Versioning scheme' },
      { id: 'mc.patch-member', component: 'mc-member', source: 'Antrea, docs/versioning.md, Versioning scheme' },
    ],
    features: [
      {
        name: 'Multi-cluster Service',
        component: 'mc-member',
        stages: [{ stage: 'alpha', since: '1.5.0' }],
        source: userGuide,
      },
      {
        name: 'ClusterNetworkPolicy replication',
        component: 'mc-member',
        stages: [{ stage: 'alpha', since: '1.6.0' }],
        source: userGuide,
      },
      {
        name: 'Multi-cluster Gateway',
        component: 'mc-member',
        gate: 'Multicluster',
        stages: [{ stage: 'alpha', since: '1.7.0' }],
        source: userGuide,
      },
      {
        name: 'Multi-cluster NetworkPolicy',
        component: 'mc-member',
        gate: 'Multicluster',
        stages: [{ stage: 'alpha', since: '1.10.0' }],
        source: userGuide,
      },
    ],
    interruptions: [
      {
        id: 'mc.restart-leader',
        component: 'mc-leader',
        text: 'New members, ClusterSets, ClusterClaims and ResourceExports are not processed, since the controller answers their webhooks, and nothing is exported or imported between members. Existing imports are kept.',
        source: guide,
      },
      {
        id: 'mc.restart-member',
        component: 'mc-member',
        text: 'New ClusterSets and ClusterClaims are not processed in this member. Existing imports are kept.',
        source: guide,
      },
    ],
    notes: [
      {
        id: 'mc.until-all-members',
        component: 'mc-leader',
        to: '',
        text: 'Until every member has the version of the leader, existing cross-cluster features keep working; new features of that version are not guaranteed.',
        source: guide,
      },
      {
        id: 'mc.selector-1.5',
        component: 'mc-leader',
        from: '<1.6.0',
        to: '>=1.6.0',
        severity: 'warn',
        text: 'The selector of Deployment antrea-mc-controller changed with 1.6.0, and a selector cannot be changed in place.',
        unblock: 'delete the Deployment immediately before the manifest is applied; a plan includes this step',
        source: `${guide}, Known Issues; CHANGELOG-1.6, pull request 3266`,
      },
      {
        id: 'mc.resource-export-fields',
        component: 'mc-leader',
        from: '<1.9.0',
        to: '>=1.9.0',
        severity: 'warn',
        text: 'The fields of ResourceExport were renamed to lower camel case in their alpha version: old objects appear empty until their members write them again.',
        unblock: 'upgrade the members immediately after the leader, and compare the imports before and after',
        source: 'Antrea, CHANGELOG-1.9, pull request 4211',
      },
      {
        id: 'mc.cluster-claim',
        component: 'mc-leader',
        from: '<1.13.0',
        to: '>=1.13.0',
        severity: 'warn',
        text: 'ClusterClaim was removed in 1.13; the cluster ID is in spec.clusterID of the ClusterSet. Old ClusterClaims are still read.',
        unblock:
          'set spec.clusterID in the ClusterSet of each member; remove the CRD of ClusterClaim when all members are upgraded',
        source: 'Antrea, CHANGELOG-1.13, pull requests 5001 and 5250',
      },
      {
        id: 'mc.member-credentials',
        component: 'mc-leader',
        from: '<2.7.0',
        to: '>=2.7.0',
        severity: 'warn',
        text: 'A leader of 2.7 rejects writes of a member with the credentials of another member: heartbeats stop, and after 24 hours the exports of that member are removed.',
        unblock:
          'give each member its own credentials before the leader is upgraded; bundles of 2.7 require this with a hook',
        settledBy: { fact: 'antrea-mc/member-credentials', equals: 'present', roles: ['member'] },
        source: 'Antrea Multi-cluster 2.7, the member token check of the leader',
      },
    ],
  },
} satisfies PolicyData;
