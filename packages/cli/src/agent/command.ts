import type { CommandGroup } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import { agentFlags, cleanUpFlags, showFlags, traceFlags } from './flags.ts';

export const agentCommand: CommandGroup = {
  name: 'agent',
  summary: 'Carry packets between clusters on a Node',
  description: [
    'An agent on each Node gives it tunnels and routes to the other clusters, and translates the addresses of imported Services to those of Pods. It works alongside CNIs that let the kernel forward packets. deploy/agent.yaml ' +
      'installs it.',
  ],
  takes: 'a command',
  commands: [
    defineCommand({
      name: 'run',
      summary: 'Keep the network of this Node in its desired state',
      description: [
        'Reads Nodes, ClusterInfoImports, the ClusterSet, Services, ServiceExports and the EndpointSlices of imported Services, and writes the differences with ip, bridge and nft. Nodes with the annotation ' +
          'multicluster.antrea.io/gateway=true are gateways, all at the same time; a gateway that does not answer probes through the tunnels is not used while others answer.',
        'It needs Linux, and the capability to change the network of the Node (CAP_NET_ADMIN). When it ends, the network stays and carries packets; the next run takes over. To remove it, run ' +
          '`isthmus agent cleanup`.',
        "With --enable-stretched-network-policy, it also reads the Pods of this Node, Namespaces, LabelIdentities, Tiers and the policies of Antrea. If Antrea's agent runs on the Node, that agent enforces the policies. The agent reports the rules that it does not enforce.",
        'If Pods of two clusters have the same addresses, the leader gives both clusters virtual ranges that all other clusters use for them, if virtualPodCIDRs in its configuration contains ranges for this. --virtual-pod-cidrs sets them by hand; podCIDRs in the configuration of the controller of the cluster then announces these ranges.',
        'Serves /healthz and /readyz: it is ready when the network is written. Logs go to stderr. Exits with 0 after SIGTERM or SIGINT, with 2 for invalid flags or kubeconfig, and with 1 for any other failure.',
      ],
      flags: agentFlags,
      examples: [
        { does: 'Run on a Node', line: 'isthmus agent run --node node-1 --kubeconfig /etc/kubernetes/agent.conf' },
      ],
      async run(io, flags) {
        const { runAgent } = await import('./run-agent.ts');
        return runAgent(io, flags);
      },
    }),
    defineCommand({
      name: 'show',
      summary: 'Show the network of this Node, desired and observed',
      description: [
        'Gets the desired network and the results of probes from the agent of this Node, reads the network from the kernel, and prints both side by side: gateways with their round-trip times, imported ' +
          'Services with the endpoints that clients on this Node get, WireGuard peers, tunnels, routes, rules, and all differences. Each problem comes with a next step. It changes nothing, and prints no ' +
          'private key.',
        'Run it on a Node as root, or in the Pod of an agent. Elsewhere, it prints the missing requirements.',
        'Exits with 0 if the agent is ready and nothing differs, with 1 otherwise, and with 2 for invalid flags.',
      ],
      flags: showFlags,
      examples: [
        { does: 'Show this Node', line: 'isthmus agent show' },
        {
          does: 'List the gateways that do not answer probes',
          line: `isthmus agent show -o json | jq '.gateways[] | select(.state == "dead")'`,
        },
      ],
      async run(io, flags) {
        const { showNode } = await import('./show.ts');
        return showNode(io, flags);
      },
    }),
    defineCommand({
      name: 'trace',
      summary: 'Show where a packet goes, hop by hop',
      description: [
        'Follows the first packet of a connection through the networks that the Nodes of the cluster should have: rules, routes, tunnels, translation and filters, with the rule that decides. ' +
          'If the kernel chooses one of several endpoints or gateways at random, the trace follows the first one and prints how many there are. It does not send packets or read Nodes.',
        'The trace ends at the gateway of another cluster, because this cluster does not know the Nodes there. If the packet stays in the cluster, the answer is followed as well. The CNI and kube-proxy are not ' +
          'followed.',
        'Exits with 0, with 1 if the packet is dropped or rejected or for any failure, and with 2 for invalid arguments or kubeconfig.',
      ],
      operands: [
        { name: 'source', summary: 'the IP address of a Pod or a Node, or the name of a Node' },
        {
          name: 'destination',
          summary: 'an IP address with a port, or an imported Service, as namespace/name or namespace/name:port',
        },
      ],
      flags: traceFlags,
      examples: [
        {
          does: 'Follow a packet from a Pod to an imported Service',
          line: 'isthmus agent trace 10.10.2.5 shop/cart:80',
        },
        { does: 'Follow one to a Pod', line: 'isthmus agent trace node-1 10.20.1.7:53 --protocol UDP' },
      ],
      async run(io, flags, operands) {
        const { traceWay } = await import('./trace.ts');
        return traceWay(io, flags, operands);
      },
    }),
    defineCommand({
      name: 'cleanup',
      summary: 'Remove what an agent wrote to the network of this Node',
      description: [
        'Removes the tunnels, routes, rules and the nft table of Isthmus; the Node is then as it was before. It does not need an API server. Stop the agent first, because it would write them again: while an agent answers on this machine, nothing is removed.',
        'Exits with 0 when nothing is left, with 2 for invalid flags, and with 1 for any other failure.',
      ],
      flags: cleanUpFlags,
      examples: [{ does: 'Remove everything', line: 'isthmus agent cleanup' }],
      async run(io, flags) {
        const { cleanUp } = await import('./clean-up.ts');
        return cleanUp(io, flags);
      },
    }),
  ],
};
