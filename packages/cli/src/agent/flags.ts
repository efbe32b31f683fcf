import { agentPorts } from '@isthmus/dataplane/ports';
import { contextFlag, logFormatFlag } from '../command/common-flags.ts';
import { choiceFlag, numberFlag, switchFlag, textFlag } from '../command/flag.ts';
import type { FlagTable, GivenFlags } from '../command/flag.ts';
import { outputFlag } from '../command/output-flag.ts';

export const agentFlags = {
  node: textFlag({ placeholder: 'name', summary: 'the Node that it runs on; default: NODE_NAME, then the host name' }),
  kubeconfig: textFlag({
    short: 'k',
    placeholder: 'file',
    summary: "kubeconfig of the cluster; default: KUBECONFIG, then the Pod's own cluster, then ~/.kube/config",
  }),
  context: contextFlag,
  config: textFlag({
    placeholder: 'file',
    summary: "the configuration file of Antrea's agent; its block multicluster is read. Other flags take precedence",
    absent: 'none',
  }),
  namespace: textFlag({
    short: 'n',
    placeholder: 'name',
    summary: "the Namespace of the member's controller",
    absent: 'the one in the configuration file, then POD_NAMESPACE, then kube-system',
  }),
  'tunnel-port': numberFlag({
    placeholder: 'port',
    summary: 'UDP port of tunnels, the same in all clusters',
    absent: String(agentPorts.tunnel),
  }),
  'underlay-mtu': numberFlag({
    placeholder: 'bytes',
    summary: 'the maximum size of tunnel packets',
    absent: 'the MTU of the device with the address of the Node; if that is lo, the smallest one of the default routes',
  }),
  'traffic-encryption-mode': choiceFlag(['none', 'wireGuard'], {
    placeholder: 'mode',
    summary:
      'wireGuard encrypts packets between gateways of different clusters, none does not; must be the same in all clusters',
    absent: 'none',
  }),
  'wireguard-port': numberFlag({
    placeholder: 'port',
    summary: 'UDP port of WireGuard, the same in all clusters',
    absent: String(agentPorts.wireGuard),
  }),
  'pod-cidrs': textFlag({
    isList: true,
    placeholder: 'list',
    summary: 'Pod CIDRs of the cluster, separated by commas, if its Nodes have none',
    absent: 'those of the Nodes',
  }),
  'virtual-pod-cidrs': textFlag({
    isList: true,
    placeholder: 'list',
    summary:
      'virtual ranges for Pod CIDRs of this cluster that overlap with those of other clusters, such as 10.10.0.0/16=100.64.0.0/16, separated by commas; must be the same on all Nodes',
    absent: 'the ranges that the leader has assigned, as reported on the ClusterSet',
  }),
  'enable-stretched-network-policy': switchFlag({
    summary:
      "add the number of the client's labels to packets for other clusters, and enforce egress rules of Antrea's policies whose toServices name imported Services",
  }),
  'direct-paths': choiceFlag(['auto', 'off'], {
    placeholder: 'mode',
    summary:
      'auto sends packets without a tunnel where the network between Nodes carries those of Pods to another cluster and back; off uses tunnels only',
    absent: 'auto',
  }),
  'health-probe-bind-address': textFlag({
    placeholder: 'address',
    summary: 'the address of /healthz and /readyz; 0 disables them',
    absent: `127.0.0.1:${agentPorts.health}`,
  }),
  'metrics-bind-address': textFlag({
    placeholder: 'address',
    summary: 'the address of /metrics, served over HTTPS except on loopback; 0 disables it',
    absent: '0',
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

const {
  context,
  'pod-cidrs': podCIDRs,
  'virtual-pod-cidrs': virtualCIDRs,
  'enable-stretched-network-policy': enableStretchedNetworkPolicy,
  'health-probe-bind-address': healthAddress,
} = agentFlags;
export const traceFlags = {
  protocol: choiceFlag(['TCP', 'UDP', 'SCTP'], {
    placeholder: 'protocol',
    summary: 'the protocol of the packet: TCP, UDP or SCTP',
    absent: 'TCP',
  }),
  kubeconfig: textFlag({
    short: 'k',
    placeholder: 'file',
    summary: "kubeconfig of the cluster; default: KUBECONFIG, then the Pod's own cluster, then ~/.kube/config",
  }),
  context,
  namespace: textFlag({
    short: 'n',
    placeholder: 'name',
    summary: "the Namespace of the member's controller",
    absent: 'kube-system',
  }),
  'pod-cidrs': podCIDRs,
  'virtual-pod-cidrs': virtualCIDRs,
  'enable-stretched-network-policy': {
    ...enableStretchedNetworkPolicy,
    summary: 'follow the policies and the numbers of labels that agents with this flag have',
  },
} as const satisfies FlagTable;

export type TraceFlags = GivenFlags<typeof traceFlags>;

export const showFlags = {
  output: outputFlag,
  'health-probe-bind-address': healthAddress,
} as const satisfies FlagTable;

export type ShowFlags = GivenFlags<typeof showFlags>;

export const cleanUpFlags = {
  'health-probe-bind-address': { ...healthAddress, summary: 'where an agent that runs would answer; 0 does not ask' },
} as const satisfies FlagTable;

export type CleanUpFlags = GivenFlags<typeof cleanUpFlags>;
