import { nameServer } from './names/resolv-conf.ts';

/**
 * The networks of the Nodes of one cluster, and its ranges. Addresses are inside of namespaces: two
 * sandboxes may have the same.
 */
export interface ClusterNetworkLayout {
  readonly podCIDR: string;
  readonly serviceCIDR: string;
  readonly nodes: readonly NodeLayout[];
}

export interface NodeLayout {
  /** Also the name of its network. */
  readonly name: string;
  /** On the network that joins the Nodes of all clusters. */
  readonly address: string;
  readonly podCIDR: string;
}

/** The ranges of the cluster at a place in the list of clusters. */
export function rangesOf(index: number): { readonly podCIDR: string; readonly serviceCIDR: string } {
  return { podCIDR: `10.${1 + index}.0.0/16`, serviceCIDR: `10.${101 + index}.0.0/16` };
}

/** Gives the Nodes of a cluster their addresses, by its place in the list of clusters. */
export function layoutOf(name: string, index: number, nodes: number): ClusterNetworkLayout {
  return {
    ...rangesOf(index),
    nodes: Array.from({ length: nodes }, (_, position) => ({
      name: `${name}-${position + 1}`,
      address: `172.30.${1 + index}.${11 + position}`,
      podCIDR: `10.${1 + index}.${position + 1}.0/24`,
    })),
  };
}

/** The MAC address of a Node's end of the cable to each Pod. */
const gatewayMAC = '02:00:00:00:00:01';
/** The next hop of Pods: an address that only their neighbour tables know. */
const gateway = '169.254.1.1';

/**
 * A script that makes the networks of Nodes on one bridge. Nodes of one cluster route each other's
 * Pods, as a CNI without tunnels does.
 */
export function nodesScript(clusters: readonly ClusterNetworkLayout[], bridge: string): string {
  const settings = ['net.ipv4.ip_forward=1', 'net.ipv4.conf.all.rp_filter=0', 'net.ipv4.conf.default.rp_filter=0'];
  let cables = 0;
  return clusters
    .flatMap(({ nodes }) =>
      nodes.map(({ name, address, podCIDR }) => {
        const cable = `node${++cables}`;
        const others = nodes.filter((one) => one.name !== name);
        return [
          `ip netns add ${name}`,
          'ip -batch - <<END',
          `link add ${cable} type veth peer name eth0 netns ${name}`,
          `link set ${cable} master ${bridge} up`,
          'END',
          `ip netns exec ${name} sysctl -qw ${settings.join(' ')}`,
          `ip -n ${name} -batch - <<END`,
          'link set lo up',
          `addr add ${nameServer}/32 dev lo`,
          `addr add ${address}/16 dev eth0`,
          'link set eth0 up',
          // Addresses of Services need a route before they are translated, as on any Node.
          'route add default dev eth0',
          ...others.map((other) => `route add ${other.podCIDR} via ${other.address}`),
          // Packets for addresses without a Pod are not sent into the network.
          `route add blackhole ${podCIDR}`,
          'END',
        ].join('\n');
      }),
    )
    .join('\n');
}

/** A script that makes the network of a Pod: a cable to its Node, with a route for its address. */
export function podScript(pod: { readonly network: string; readonly node: string; readonly address: string }): string {
  const { network, node, address } = pod;
  return [
    `ip netns add ${network}`,
    `ip -n ${node} -batch - <<END`,
    `link add ${network} address ${gatewayMAC} type veth peer name eth0 netns ${network}`,
    `link set ${network} up`,
    `route add ${address} dev ${network}`,
    'END',
    `ip -n ${network} -batch - <<END`,
    'link set lo up',
    `addr add ${address}/32 dev eth0`,
    'link set eth0 up',
    `neigh add ${gateway} lladdr ${gatewayMAC} dev eth0 nud permanent`,
    `route add default via ${gateway} dev eth0 onlink`,
    'END',
  ].join('\n');
}

/**
 * A script that removes it. The route goes with its device, which the kernel removes a moment later
 * than the network.
 */
export function removePodScript({ network, node }: { readonly network: string; readonly node: string }): string {
  return [`ip -n ${node} link del ${network} || :`, `ip netns del ${network}`].join('\n');
}
