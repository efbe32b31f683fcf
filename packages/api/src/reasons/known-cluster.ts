import { defineStatus } from './define-status.ts';

/** The reports of a leader on what it knows of each cluster. */
export const knownClusterStatus = defineStatus({
  kind: 'KnownCluster',
  title: 'KnownCluster',
  writer: 'leader',
  conditions: {
    WithinGrant: {
      meaning: 'Whether everything that the cluster announces about its network is granted to it.',
      wanted: 'True',
    },
    ObservedUnusual: {
      meaning:
        'Present while ranges are in use that no administrator has granted, and that have addresses of the Internet or are wider than /8 (IPv6: /32).',
      wanted: 'absent',
    },
  },
  reasons: {
    AllGranted: {
      on: ['WithinGrant=True'],
      severity: 'ok',
      meaning: 'Every valid range that the cluster announces is granted to it.',
    },
    OutsideGrant: {
      on: ['WithinGrant=False'],
      severity: 'error',
      meaning:
        'The cluster announces ranges or gateways that are not granted to it. They are not published; if nothing else is left, what was published before stays in use. `status.asked` lists them.',
      cure: 'If they belong to the cluster, run the command in the message. Otherwise correct the configuration of that cluster.',
    },
    ClusterHeld: {
      on: ['WithinGrant=False'],
      severity: 'error',
      meaning:
        'The cluster waits for an administrator: `spec.state` is Held. Nothing new of its network is published; what was published before stays in use.',
      cure: 'Run the command in the message to accept what it announces, or set `spec.state` to Refused.',
    },
    ClusterRefused: {
      on: ['WithinGrant=False'],
      severity: 'warning',
      meaning: '`spec.state` is Refused: the network of the cluster is withdrawn from the other clusters.',
      cure: 'To publish it again, set `spec.state` to Accepted.',
    },
    InvalidRanges: {
      on: ['WithinGrant=False'],
      severity: 'error',
      meaning: 'The KnownCluster has ranges that are not valid. They grant nothing.',
      cure: 'Correct the ranges that the message names: an address and a prefix length, such as 10.10.0.0/16.',
    },
    NotAnnounced: {
      on: ['WithinGrant=Unknown'],
      severity: 'wait',
      meaning: 'The cluster announces no valid network: it has no Gateway, has left the ClusterSet, or has not joined.',
      cure: 'Nothing needs to be done. The grant applies when the cluster announces its network.',
    },
    NeverGranted: {
      on: ['ObservedUnusual=True'],
      severity: 'warning',
      meaning:
        'The leader found the ranges in use, and recorded them. Nobody has confirmed that they belong to the cluster.',
      cure: 'If they do, run the command in the message. Otherwise remove them from `spec` of the KnownCluster.',
    },
  },
});
