import type { PolicyData } from './policy-data.ts';

const preflights = 'EKS Anywhere, upgrade preflight validations';

/**
 * The checks of EKS Anywhere before an upgrade. Its rules for Kubernetes versions are those of
 * Kubernetes, or wider.
 */
export const eksAnywhere = {
  name: 'eks-anywhere',
  spec: {
    product: 'EKS Anywhere',
    roleOrder: ['management', 'workload'],
    skew: [
      {
        id: 'eksa.mgmt',
        subject: 'eks-anywhere',
        reference: 'eks-anywhere',
        scope: 'management',
        newer: { minors: 0, patches: 'none' },
        older: { minors: 1 },
        message: 'a workload cluster is not newer than the cluster that manages it, and up to one minor older',
        source: preflights,
      },
    ],
    hops: [
      {
        id: 'eksa.step',
        subject: 'eks-anywhere',
        maxMinors: 1,
        majors: 'never',
        message: 'one minor at a time, within the same major, and no downgrades',
        source: preflights,
      },
    ],
    notes: [
      {
        id: 'eksa.cli',
        component: 'eks-anywhere',
        to: '',
        text: 'The command line that upgrades a cluster has the same version as the target, to the patch.',
        source: preflights,
      },
      {
        id: 'eksa.pod-disruption',
        component: 'eks-anywhere',
        to: '',
        text: 'A PodDisruptionBudget that allows no disruption stops the replacement of Nodes.',
        source: preflights,
      },
    ],
  },
} satisfies PolicyData;
