/**
 * One of the modules that may touch the world: it makes networks of namespaces (crypto, os,
 * environment).
 */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { superviseIn } from '../apiserver/supervision.ts';
import type { ClusterLayout, NodeLayout, TestbedClusterSpec } from '../testbed/layout.ts';
import { layoutOf } from '../testbed/layout.ts';
import type { Machine, Place, RunResult } from '../testbed/machine.ts';
import { makeMachine } from '../testbed/machine.ts';

/** The network of a Node: no kubelet, no kube-proxy. */
export interface LabNode {
  readonly layout: NodeLayout;
  readonly place: Place;
  /** Its Pods, by name. */
  readonly pods: Readonly<Record<string, LabPod>>;
}

/** The network of a Pod. */
export interface LabPod {
  readonly address: string;
  readonly address6: string;
  /** Runs a program in it until the program ends; any exit code is a result. */
  run(program: string, args: readonly string[], input?: string): Promise<RunResult>;
  /** Starts a program in it that runs until the lab ends. */
  start(program: string, args: readonly string[]): Promise<void>;
}

export interface LabCluster {
  readonly layout: ClusterLayout;
  readonly nodes: readonly LabNode[];
}

/**
 * Clusters of network namespaces: Nodes on one underlay, and Pods behind them. No tunnel connects
 * the clusters.
 */
export interface PacketLab extends AsyncDisposable {
  readonly clusters: Readonly<Record<string, LabCluster>>;
  /** Errors: throws for an unknown name, as the methods below do. */
  cluster(name: string): LabCluster;
  node(name: string): LabNode;
  /** A Pod of a Node. Default: `one`. */
  pod(node: string, name?: string): LabPod;
}

export interface PacketLabOptions {
  readonly clusters: Readonly<Record<string, TestbedClusterSpec>>;
  /** The names of the Pods on each Node. Default: `one`. */
  readonly pods?: readonly string[] | undefined;
  /**
   * Whether Nodes masquerade packets of their Pods to any destination except Pods of their cluster,
   * as many CNIs do. Default: true.
   */
  readonly masquerade?: boolean | undefined;
  /**
   * `net.ipv4.conf.all.rp_filter` of the Nodes. Default: 1, strict, as some distributions have it.
   */
  readonly reversePathFilter?: 0 | 1 | 2 | undefined;
}

/**
 * Starts a lab. Nodes of one cluster route each other's Pods over the underlay, as a CNI without
 * tunnels does.
 *
 * Guarantees: when it rejects, is disposed of, or this process ends, nothing of it remains. Needs
 * Linux and root.
 */
export async function startPacketLab(options: PacketLabOptions): Promise<PacketLab> {
  await using stack = new AsyncDisposableStack();
  const id = `isthmus-lab-${randomBytes(6).toString('hex')}`;
  const supervision = stack.use(await superviseIn(join(tmpdir(), id)));
  const machine = await makeMachine(supervision);
  const clusters = await Promise.all(
    layoutOf(options.clusters).map(async (layout): Promise<LabCluster> => {
      const nodes = layout.nodes.map((node) =>
        makeNode({ machine, directory: supervision.directory, layout, node, options }),
      );
      return { layout, nodes: await Promise.all(nodes) };
    }),
  );
  const owner = stack.move();
  const node = (name: string) =>
    there(
      clusters.flatMap(({ nodes }) => nodes).find(({ layout }) => layout.name === name),
      `Node ${name}`,
    );
  return {
    clusters: Object.fromEntries(clusters.map((cluster) => [cluster.layout.name, cluster])),
    cluster: (name) =>
      there(
        clusters.find(({ layout }) => layout.name === name),
        `cluster ${name}`,
      ),
    node,
    pod: (name, pod = 'one') => there(node(name).pods[pod], `Pod ${pod} on Node ${name}`),
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
}

function there<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`the lab has no ${what}`);
  return found;
}

interface NodeParts {
  readonly machine: Machine;
  readonly directory: string;
  readonly layout: ClusterLayout;
  readonly node: NodeLayout;
  readonly options: PacketLabOptions;
}

async function makeNode({ machine, directory, layout, node, options }: NodeParts): Promise<LabNode> {
  const names = options.pods ?? ['one'];
  const ready = join(directory, `${node.name}.ready`);
  const setup = [
    'set -eu',
    'until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done',
    'mount -t sysfs sysfs /sys',
    'mkdir -p /run/netns',
    'mount -t tmpfs tmpfs /run/netns',
    // The directory for the sockets of WireGuard in user space, named by device.
    'mkdir -p /run/wireguard',
    'mount -t tmpfs tmpfs /run/wireguard',
    ...nodeCommands(layout, node, options),
    ...names.flatMap((name, position) => podCommands(name, node, position)),
    `touch ${ready}`,
    'exec sleep infinity',
  ].join('\n');
  const place = await machine.makePlace(node.name, { mounts: true, setup, ready });
  const pods = names.map((name, position): [string, LabPod] => {
    const inside = (program: string, args: readonly string[]) => ['netns', 'exec', name, program, ...args];
    return [
      name,
      {
        ...podAddresses(node, position),
        run: (program, args, input) => place.run('ip', inside(program, args), input),
        start: async (program, args) =>
          void (await place.start(`${name}-${randomBytes(3).toString('hex')}`, 'ip', inside(program, args))),
      },
    ];
  });
  return { layout: node, place, pods: Object.fromEntries(pods) };
}

function nodeCommands(
  layout: ClusterLayout,
  node: NodeLayout,
  { masquerade = true, reversePathFilter = 1 }: PacketLabOptions,
): readonly string[] {
  const others = layout.nodes.filter(({ name }) => name !== node.name);
  return [
    'ip link set lo up',
    ...[
      'net.ipv4.ip_forward=1',
      'net.ipv6.conf.all.forwarding=1',
      `net.ipv4.conf.all.rp_filter=${reversePathFilter}`,
    ].map((setting) => `sysctl -qw ${setting}`),
    `ip addr add ${node.address}/16 dev eth0`,
    `ip -6 addr add ${node.address6}/64 dev eth0 nodad`,
    'ip link set eth0 up',
    // Addresses of Services need a route before they are translated, as on any Node.
    'ip route add default dev eth0',
    'ip -6 route add default dev eth0',
    ...others.flatMap((other) => [
      `ip route add ${other.podCIDR} via ${other.address}`,
      `ip -6 route add ${other.podCIDR6} via ${other.address6}`,
    ]),
    ...(masquerade ? [masqueradeCommand(layout)] : []),
  ];
}

function masqueradeCommand({ clusterCIDRs: [pods, pods6] }: ClusterLayout): string {
  return `nft 'table inet cni { chain nat { type nat hook postrouting priority 100; ip saddr ${pods} ip daddr != ${pods} masquerade; ip6 saddr ${pods6} ip6 daddr != ${pods6} masquerade; }; }'`;
}

function podAddresses({ podCIDR, podCIDR6 }: NodeLayout, position: number) {
  return {
    address: podCIDR.replace(/0\/\d+$/, String(position + 2)),
    address6: podCIDR6.replace(/\/\d+$/, String(position + 2)),
  };
}

/** A virtual cable to each Pod, with routes for its addresses, like a CNI without a bridge. */
function podCommands(name: string, node: NodeLayout, position: number): readonly string[] {
  const { address, address6 } = podAddresses(node, position);
  const gateway = 'fe80::1';
  const gatewayMAC = '02:00:00:00:00:01';
  return [
    `ip netns add ${name}`,
    `ip link add pod${position} address ${gatewayMAC} type veth peer name eth0 netns ${name}`,
    `ip -6 addr add ${gateway}/64 dev pod${position} nodad`,
    `ip link set pod${position} up`,
    `ip route add ${address} dev pod${position}`,
    `ip -6 route add ${address6} dev pod${position}`,
    `ip -n ${name} link set lo up`,
    `ip -n ${name} addr add ${address}/32 dev eth0`,
    `ip -n ${name} -6 addr add ${address6}/128 dev eth0 nodad`,
    `ip -n ${name} link set eth0 up`,
    `ip -n ${name} neigh add 169.254.1.1 lladdr ${gatewayMAC} dev eth0 nud permanent`,
    `ip -n ${name} route add default via 169.254.1.1 dev eth0 onlink`,
    `ip -n ${name} -6 route add default via ${gateway} dev eth0`,
  ];
}
