import type { ReasonDefinition } from './define-status.ts';

/**
 * The reasons of the condition NetworkConflict. The leader finds them; the clusters concerned pass
 * them on, and so does everybody who imports the network of one of them.
 */
export const networkConflictReasons = {
  RangeOverlaps: {
    on: ['NetworkConflict=True'],
    severity: 'error',
    meaning:
      'Two clusters announce ranges that overlap, or a range contains a gateway of another cluster. Of two ranges, the one that was announced first is used; the other range is not used in any cluster, and neither is a range around a gateway, unless it was published before the gateway. A cluster whose Service CIDR is not used has no ClusterInfoImport in other clusters. Overlapping Service CIDRs are accepted where both clusters have `endpointIPType: PodIP`.',
    cure: 'Give each cluster its own ranges: correct `serviceCIDR` or `podCIDRs` in the configuration of the cluster that announced the range later. If Pod CIDRs overlap and agents of Isthmus run in both clusters, set `virtualPodCIDRs` in the configuration of the leader: other clusters then know their Pods by other addresses. If two clusters really have the same Service CIDR, set `endpointIPType: PodIP` in both. The message names both clusters, and both ranges or the range and the gateway.',
  },
  RangeNotAllowed: {
    on: ['NetworkConflict=True'],
    severity: 'error',
    meaning:
      'A cluster announces a range that is not valid, that contains addresses with a special use (loopback, link-local, multicast, unspecified, broadcast, NAT64, metadata), or that `allowedCIDRs` in the configuration of the leader does not contain. The range is not used in any cluster.',
    cure: 'Correct `serviceCIDR` or `podCIDRs` in the configuration of the cluster that the message names, or add the range to `allowedCIDRs` of the leader.',
  },
  GatewayTaken: {
    on: ['NetworkConflict=True'],
    severity: 'error',
    meaning:
      'A cluster announces a gateway with an address, or with a WireGuard key, that another cluster has. An address or a key is published for one cluster: an address for the one to which an administrator granted it by name, otherwise for the one that had it first. Two IPv6 addresses can be one address in tunnels.',
    cure: 'Find out whose gateway it is: the message names both clusters. If the other cluster has it wrongly, grant the address on the leader: `gateways` of the KnownCluster. If both are configured as they should be, a member tries to take the traffic of another one: revoke its token.',
  },
  OutsideGrant: {
    on: ['NetworkConflict=True'],
    severity: 'error',
    meaning:
      'A cluster announces ranges or gateways that are not granted to it: a KnownCluster of the leader does not contain them, or they have addresses of the Internet or are wider than /8 (IPv6: /32), and no KnownCluster names them. They are not used in any cluster; what was published before stays in use.',
    cure: 'If they belong to the cluster, an administrator of the leader accepts them: `kubectl describe knowncluster` prints the command. Otherwise correct `serviceCIDR` or `podCIDRs` in the configuration of the cluster that the message names.',
  },
} as const satisfies Readonly<Record<string, ReasonDefinition<'NetworkConflict'>>>;
