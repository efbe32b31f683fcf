import type { CommandGroup } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import { contextFlag, logFormatFlag } from '../command/common-flags.ts';
import { numberFlag, textFlag } from '../command/flag.ts';
import type { FlagTable, GivenFlags } from '../command/flag.ts';

const agentFlags = {
  node: textFlag({ placeholder: 'name', summary: 'the Node that it runs on; default: NODE_NAME, then the host name' }),
  kubeconfig: textFlag({
    short: 'k',
    placeholder: 'file',
    summary: "kubeconfig of the cluster; default: KUBECONFIG, then the Pod's own cluster, then ~/.kube/config",
  }),
  context: contextFlag,
  namespace: textFlag({
    short: 'n',
    placeholder: 'name',
    summary: 'the Namespace of the controller of the member',
    absent: 'kube-system',
  }),
  'tunnel-port': numberFlag({
    placeholder: 'port',
    summary: 'UDP port of tunnels, the same in all clusters',
    absent: '8479',
  }),
  'underlay-mtu': numberFlag({
    placeholder: 'bytes',
    summary: 'how large tunnel packets may be',
    absent: 'the MTU of the device with the address of the Node',
  }),
  'pod-cidrs': textFlag({
    placeholder: 'list',
    summary: 'Pod CIDRs of the cluster, separated by commas, if its Nodes have none',
    absent: 'those of the Nodes',
  }),
  'health-probe-bind-address': textFlag({
    placeholder: 'address',
    summary: 'where /healthz and /readyz are served; 0 for nowhere',
    absent: '127.0.0.1:8482',
  }),
  'log-format': logFormatFlag,
  v: numberFlag({
    short: 'v',
    placeholder: 'level',
    summary: 'the log level; 4 and higher add debug messages',
    absent: '0',
  }),
} as const satisfies FlagTable;

export type AgentFlags = GivenFlags<typeof agentFlags>;

export const agentCommand: CommandGroup = {
  name: 'agent',
  summary: 'Carry packets between clusters on a Node',
  description: [
    'An agent on each Node gives it tunnels and routes to the other clusters, and translates the addresses of imported Services to those of Pods. It works beside any CNI. No manifest runs it ' +
      'yet, and Services must be exported with endpointIPType: PodIP.',
  ],
  takes: 'a command',
  commands: [
    defineCommand({
      name: 'run',
      summary: 'Keep the network of this Node as its cluster wants it',
      description: [
        'Reads Nodes, ClusterInfoImports, imported Services and their EndpointSlices, and writes what differs with ip, bridge and nft. Nodes with the annotation ' +
          'multicluster.antrea.io/gateway=true that are ready are gateways, all at once.',
        'It needs Linux, and the right to change the network of the Node (CAP_NET_ADMIN). When it ends, the network stays and carries packets; the next run takes it over. To remove it, run ' +
          '`isthmus agent cleanup`.',
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
      name: 'cleanup',
      summary: 'Remove what an agent wrote to the network of this Node',
      description: [
        'Removes the tunnels, routes, rules and the nft table of Isthmus; the Node is then as it was before. It needs no API server. Stop the agent first, which would write them again.',
        'Exits with 0 when nothing is left, and with 1 for any failure.',
      ],
      flags: {},
      examples: [{ does: 'Remove everything', line: 'isthmus agent cleanup' }],
      async run(io) {
        const { cleanUp } = await import('./clean-up.ts');
        return cleanUp(io);
      },
    }),
  ],
};
