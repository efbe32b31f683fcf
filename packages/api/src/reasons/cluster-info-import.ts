import { beingDeletedReason } from './being-deleted.ts';
import { defineStatus } from './define-status.ts';
import { networkConflictReasons } from './network-conflict.ts';

/** The reports of a member on ClusterInfoImports. */
export const clusterInfoImportStatus = defineStatus({
  kind: 'ClusterInfoImport',
  title: 'ClusterInfoImport',
  writer: 'member',
  conditions: {
    NetworkConflict: {
      meaning:
        'Present while a range of that cluster is not used, or another cluster announces one that overlaps with it.',
      wanted: 'absent',
      mirrors: 'the leader',
    },
    Reachable: {
      meaning:
        'Whether gateways of that cluster answer the probes of the gateways of this cluster, by the reports of the agents. Absent in clusters without agents.',
      wanted: 'True',
    },
  },
  reasons: {
    ...networkConflictReasons,
    GatewayTaken: {
      ...networkConflictReasons.GatewayTaken,
      on: ['NetworkConflict=True', 'Event', 'Event on the ClusterSet'],
    },
    OutsideGrant: {
      on: ['NetworkConflict=True', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning:
        'That cluster announces ranges or gateways that are not granted to it, by a KnownCluster of the leader or of this cluster: the message names the cluster whose administrator can accept them. They are not used here; what was imported before stays in use, unless a grant of this cluster excludes it. An Event is reported before ranges that are in use are removed.',
      cure: 'If they belong to that cluster, accept them: `kubectl describe knowncluster` prints the command, at the leader or in this cluster. Otherwise correct `serviceCIDR` or `podCIDRs` in the configuration of that cluster.',
    },
    LocalToNodes: {
      on: ['NetworkConflict=True'],
      severity: 'error',
      meaning:
        'Agents on gateways of this cluster do not route a range of that cluster, because their Nodes reach a part of it by themselves: the API server of the leader, a nameserver, a default gateway, a network, or a more exact route. The range stays imported: other Nodes may route it. The agents of other Nodes report this in their logs only.',
      cure: 'Give that cluster another range, or the Node another network: the message names both. `isthmus agent show` on the Node lists what it does not use.',
    },
    GatewaysAnswer: {
      on: ['Reachable=True'],
      severity: 'ok',
      meaning:
        'All gateways of this cluster reach all gateways of that cluster. The message has upper limits of the round-trip time and of the share of lost probes.',
    },
    SomeGatewaysSilent: {
      on: ['Reachable=True'],
      severity: 'warning',
      meaning:
        'That cluster is reached, but some of its gateways do not answer, or some gateways of this cluster do not reach it or do not report.',
      cure: 'Read the message: it names gateways that do not answer and Nodes without a report. Run `isthmus agent show` on the gateways of both clusters.',
    },
    PacketsTooLarge: {
      on: ['Reachable=True'],
      severity: 'warning',
      meaning:
        'That cluster is reached, but only by small packets: the network between gateways loses those that are as large as the tunnels carry, and reports no error. Connections open and then hang.',
      cure: 'Read the message: it has the size that arrives, and the addresses of gateways. Find what carries smaller packets there, such as a VPN that drops ICMP errors. Or set the size that the network carries for all agents with `--underlay-mtu` (docs/guides/agent.md).',
    },
    NoGatewayAnswers: {
      on: ['Reachable=False'],
      severity: 'error',
      meaning:
        'No gateway of that cluster answers the probes of any gateway of this cluster. Agents keep its endpoints only if there are no others.',
      cure: 'Check that agents run on the gateways of that cluster, and that firewalls between the gateways accept the tunnel port (UDP 8479, or 51821 with encryption). Run `isthmus agent show` on the gateways of both clusters.',
    },
    AgentsSilent: {
      on: ['Reachable=Unknown'],
      severity: 'warning',
      meaning:
        'The agents on the gateways of this cluster do not renew their Leases, so it is not known whether that cluster is reached. The kernel continues to carry packets without them.',
      cure: 'Check the agents on the Nodes that the message names: their Pods, readiness and logs.',
    },
    ProbesNotReported: {
      on: ['Reachable=Unknown'],
      severity: 'warning',
      meaning: 'The agents on the gateways of this cluster are of an earlier release, which does not report probes.',
      cure: 'Update the agents on the Nodes that the message names.',
    },
    NotProbed: {
      on: ['Reachable=Unknown'],
      severity: 'wait',
      meaning:
        'The agents on the gateways of this cluster have no results of probes to that cluster: they started a moment ago, or do not send packets to it.',
      cure: 'Wait a few seconds. If the reason does not change, run `isthmus agent show` on a gateway: it lists the networks that are not used, and why.',
    },
    ClusterInfoRejected: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: 'The API server of this cluster rejects the network that the other cluster publishes.',
      cure: 'Read the message: it names the field. Correct the Gateway or the configuration in the other cluster.',
    },
    BeingDeleted: {
      ...beingDeletedReason,
      on: ['Event'],
    },
    ForeignClusterInfoImport: {
      on: ['Event'],
      severity: 'error',
      meaning: 'A ClusterInfoImport of that name exists and was not created by Isthmus. It is not changed.',
      cure: 'Delete the ClusterInfoImport to import the network of that cluster.',
    },
  },
});
