import type { Problem } from '../objects/problem.ts';
import type {
  AgentStatus,
  DirectStatus,
  GatewayStatus,
  NetworkKind,
  ServiceStatus,
  VirtualStatus,
} from './agent-status.ts';
import { networkKinds } from './agent-status.ts';
import type { Observed, ObservedConnections, ObservedWireGuard } from './observe-node.ts';

/** The desired network of a Node from its agent, beside the content of its kernel. */
export interface NodeView {
  /** Undefined: no agent answered. */
  readonly node?: string | undefined;
  readonly isGateway?: boolean | undefined;
  /** `absent`: no agent answered. */
  readonly agent: 'ready' | 'notReady' | 'absent';
  readonly encryption?: AgentStatus['encryption'] | undefined;
  readonly gateways: readonly GatewayStatus[];
  readonly virtualPodCIDRs: readonly VirtualStatus[];
  readonly directPaths: DirectStatus;
  readonly services: readonly ServiceStatus[];
  readonly policies?: AgentStatus['policies'];
  readonly wireGuard?: ObservedWireGuard | undefined;
  readonly network: readonly KindView[];
  readonly connections?: ObservedConnections | undefined;
  readonly dropped: Readonly<Record<string, number>>;
  readonly problems: readonly ViewProblem[];
}

/** The number of items of one kind. Undefined: it is not known. */
export interface KindView {
  readonly kind: NetworkKind;
  readonly desired?: number | undefined;
  readonly observed?: number | undefined;
  readonly differences: readonly Difference[];
}

/** One item that is not as it should be. */
interface Difference {
  readonly key: string;
  /** Undefined: the item should not exist. */
  readonly desired?: string | undefined;
  /** Undefined: the item does not exist. */
  readonly observed?: string | undefined;
}

interface ViewProblem {
  readonly message: string;
  /** The next step. */
  readonly next: string;
}

/**
 * The known facts about a Node: the answer of its agent, or why there is none, and the content of
 * its kernel.
 */
interface Sources {
  readonly status: AgentStatus | { readonly unknown: string };
  readonly observed: Observed;
}

/**
 * Compares the answer of the agent with the kernel, with a next step for each problem. A kind that
 * one of them does not report has no differences.
 */
export function viewNode({ status: answer, observed }: Sources): NodeView {
  const status = 'unknown' in answer ? undefined : answer;
  const network = networkKinds.map((kind) => viewKind(kind, status?.desired?.[kind], observed.items[kind]));
  return {
    node: status?.node,
    isGateway: status?.isGateway,
    agent: status === undefined ? 'absent' : status.notReady.length === 0 ? 'ready' : 'notReady',
    encryption: status?.encryption,
    gateways: status?.gateways ?? [],
    virtualPodCIDRs: status?.virtualPodCIDRs ?? [],
    directPaths: status?.directPaths ?? { clusters: [] },
    services: status?.services ?? [],
    ...(status?.policies !== undefined && { policies: status.policies }),
    wireGuard: observed.wireGuard,
    network,
    connections: observed.connections,
    dropped: observed.dropped,
    problems: [
      ...('unknown' in answer ? [absent(answer.unknown)] : statusProblems(answer)),
      ...network.flatMap(driftProblem),
      ...observedProblems(observed),
    ],
  };
}

/** Whether the agent answers and is ready, everything can be read, and nothing differs. */
export function isAsDesired({ agent, network }: NodeView): boolean {
  return (
    agent === 'ready' &&
    network.every(({ differences, observed }) => differences.length === 0 && observed !== undefined)
  );
}

function viewKind(
  kind: NetworkKind,
  desired: Readonly<Record<string, string>> | undefined,
  observed: Readonly<Record<string, string>> | undefined,
): KindView {
  const size = (items: typeof desired) => items && Object.keys(items).length;
  const keys = new Set([...Object.keys(desired ?? {}), ...Object.keys(observed ?? {})]);
  const differences = [...keys]
    .map((key): Difference => ({ key, desired: desired?.[key], observed: observed?.[key] }))
    .filter((one) => one.desired !== one.observed);
  return {
    kind,
    desired: size(desired),
    observed: size(observed),
    differences: desired === undefined || observed === undefined ? [] : differences,
  };
}

const absent = (why: string): ViewProblem => ({
  message: `No agent answers on this machine, so only the network itself is shown: ${why}.`,
  next: 'On a Node, check whether its Pod runs: kubectl get pods -A -l component=isthmus-agent -o wide. Elsewhere, run the command in the Pod of a Node: kubectl exec -n kube-system POD -- isthmus agent show',
});

function statusProblems({ notReady, notes, problems, gateways, isGateway }: AgentStatus): readonly ViewProblem[] {
  return [
    ...notReady.map((message) => ({
      message: `The agent is not ready: ${message}.`,
      next: 'It tries again by itself. If it does not succeed, correct the named cause.',
    })),
    ...notes.map(({ message, next }) => ({ message: `The agent reports: ${message}.`, next })),
    ...gateways.flatMap((one) => gatewayProblem(one, isGateway)),
    ...problems.map(objectProblem),
  ];
}

function gatewayProblem(
  { address, clusterID, state, impossible, largest, carries }: GatewayStatus,
  isGateway: boolean,
): readonly ViewProblem[] {
  const which = `gateway ${address}${clusterID === undefined ? '' : ` of cluster ${clusterID}`}`;
  if (impossible !== undefined)
    return [
      {
        message: `Probes of ${which} cannot be sent: ${impossible}.`,
        next: 'IPv6 must be on in the kernel of this Node: probes use link-local addresses. Until then, the Ready condition of Nodes is used.',
      },
    ];
  if (carries !== undefined)
    return [
      {
        message: `Packets of more than ${carries} bytes to ${which} are lost on the way, although the tunnel carries ${largest}. Small packets arrive, but connections hang.`,
        next: `Find what carries smaller packets between the Nodes and drops ICMP errors, such as a VPN. Or set the size that it carries for all agents: --underlay-mtu. The message is gone within a minute after that.`,
      },
    ];
  if (state !== 'dead') return [];
  const between = isGateway ? 'the gateways of both clusters' : 'the Nodes of this cluster';
  return [
    {
      message: `No answer to probes of ${which}. It is not used while another one answers.`,
      next: `Check that the Node runs, and that firewalls allow the UDP ports of tunnels between ${between}, and TCP from isthmus-node and isthmus-gw.`,
    },
  ];
}

function objectProblem({ kind, namespace, name, message }: Problem): ViewProblem {
  const isPolicy = kind === 'ClusterNetworkPolicy' || kind === 'NetworkPolicy';
  return {
    message: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${message}`,
    next: isPolicy
      ? 'If nothing else enforces that part, as Antrea does where it is the CNI, write it as a rule that is enforced, or as a NetworkPolicy of Kubernetes: docs/guides/agent.md lists the limits.'
      : 'Correct the object in the cluster that it comes from. Until then, that part of it is not used.',
  };
}

/**
 * Kinds that the monitors of the agent do not report. Their differences are found by the periodic
 * comparison.
 */
const unwatched: ReadonlySet<NetworkKind> = new Set(['wireGuardPeers']);

function driftProblem({ kind, differences }: KindView): readonly ViewProblem[] {
  if (differences.length === 0) return [];
  return [
    {
      message: `${kindNames[kind]} differ from the desired state: ${differences.length}.`,
      next: `The agent repairs it within ${unwatched.has(kind) ? 'ten minutes' : 'a minute'}. If it comes back, find out which other program changes it: nft monitor, ip monitor.`,
    },
  ];
}

function observedProblems({ failures, connections }: Observed): readonly ViewProblem[] {
  return [
    ...failures.map((message) => ({
      message: `${message}.`,
      next: 'It needs Linux, root with the capability NET_ADMIN, and the programs ip, bridge, nft, conntrack and, with encryption, wg. The image of the agent contains them.',
    })),
    ...(connections !== undefined && connections.refused > 0
      ? [
          {
            message: `${connections.refused} connections were refused since the start of this Node because the connection tracking table was full.`,
            next: 'Raise net.netfilter.nf_conntrack_max on this Node.',
          },
        ]
      : []),
  ];
}

/** The names of kinds in the text for users. */
export const kindNames: Readonly<Record<NetworkKind, string>> = {
  links: 'Tunnel devices',
  peers: 'Tunnel peers',
  nextHops: 'Next hops',
  routes: 'Routes',
  rules: 'Routing rules',
  wireGuards: 'WireGuard devices',
  wireGuardPeers: 'WireGuard peers',
  chains: 'nft chains',
  sets: 'nft sets',
};
