import { defineStatus } from './define-status.ts';

/** The reports of a leader, and of members, on what they know of each cluster. */
export const knownClusterStatus = defineStatus({
  kind: 'KnownCluster',
  title: 'KnownCluster',
  writer: 'leader or member',
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
    GrantsOverlap: {
      meaning:
        'Present at a leader while administrators have granted the same addresses to this cluster and another one.',
      wanted: 'absent',
    },
  },
  reasons: {
    AllGranted: {
      on: ['WithinGrant=True'],
      severity: 'ok',
      meaning: 'Every valid range that the cluster announces is granted to it.',
    },
    JudgedByLeader: {
      on: ['WithinGrant=True'],
      severity: 'ok',
      meaning:
        'In a member: the leader compares what the cluster announces with its own grants. The ranges in this object were recorded under an earlier leader and restrict nothing; a grant of an administrator of this cluster does.',
    },
    OutsideGrant: {
      on: ['WithinGrant=False'],
      severity: 'error',
      meaning:
        'The cluster announces ranges or gateways that are not granted to it. They are not used; if nothing else is left, what was in use before stays. `status.asked` lists them.',
      cure: 'If they belong to the cluster, run the command in the message. Otherwise correct the configuration of that cluster.',
    },
    ClusterHeld: {
      on: ['WithinGrant=False'],
      severity: 'error',
      meaning:
        'The cluster waits for an administrator: `spec.state` is Held. Nothing new of its network is used; what was in use before stays.',
      cure: 'Run the command in the message to accept what it announces, or set `spec.state` to Refused.',
    },
    ClusterRefused: {
      on: ['WithinGrant=False'],
      severity: 'warning',
      meaning:
        '`spec.state` is Refused: the network and the Services of the cluster are withdrawn, at a leader from all other clusters, in a member from this one.',
      cure: 'To use it again, set `spec.state` to Accepted.',
    },
    InvalidRanges: {
      on: ['WithinGrant=False'],
      severity: 'error',
      meaning: 'The KnownCluster has ranges that are not valid. They grant nothing.',
      cure: 'Correct the ranges that the message names: an address and a prefix length, such as 10.10.0.0/16.',
    },
    NotUsed: {
      on: ['WithinGrant=False'],
      severity: 'warning',
      meaning:
        'In a member: the KnownCluster is about the own cluster, or its name is not the ID in it. It has no effect.',
      cure: 'Delete it. Grants for other clusters have the name of the cluster.',
    },
    NotAnnounced: {
      on: ['WithinGrant=Unknown'],
      severity: 'wait',
      meaning: 'The cluster announces no valid network: it has no Gateway, has left the ClusterSet, or has not joined.',
      cure: 'Nothing needs to be done. The grant applies when the cluster announces its network.',
    },
    GrantNarrowed: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'At a leader: an administrator took away ranges that were in use, or refused the cluster. They are withdrawn from all other clusters, and connections to them end.',
      cure: 'If that was not meant, add the ranges to the KnownCluster again.',
    },
    GrantedTwice: {
      on: ['GrantsOverlap=True'],
      severity: 'warning',
      meaning:
        'A Pod or Service CIDR in the grant overlaps with one in the grant of another cluster. If both announce it, the cluster that is published first has it.',
      cure: 'Correct one of the two grants. Nothing needs to be done if the leader has `virtualPodCIDRs` for Pod CIDRs that overlap on purpose.',
    },
    NeverGranted: {
      on: ['ObservedUnusual=True'],
      severity: 'warning',
      meaning:
        'The controller found the ranges in use, and recorded them. Nobody has confirmed that they belong to the cluster.',
      cure: 'If they do, run the command in the message. Otherwise remove them from `spec` of the KnownCluster.',
    },
  },
});
