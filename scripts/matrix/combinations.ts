/** Which packets are sent between the clusters of the matrix, and what is to come back. Pure. */
import type { VirtualPodCIDR } from '@isthmus/api';
import { addressText, contains, parseAddress } from '@isthmus/machinery';

export const families = ['IPv4', 'IPv6'] as const;
export type IPFamily = (typeof families)[number];

export const protocols = ['TCP', 'UDP', 'SCTP'] as const;
export type Protocol = (typeof protocols)[number];

export const endpointIPTypes = ['PodIP', 'ClusterIP'] as const;
export type EndpointIPType = (typeof endpointIPTypes)[number];

/** The two Nodes of a cluster: the first one is its gateway. */
export const places = ['gateway', 'other'] as const;
export type NodePlace = (typeof places)[number];

/**
 * A Pod with a network of its own, or one in the network of its Node; with a client, a process
 * there.
 */
export interface End {
  readonly cluster: string;
  readonly place: NodePlace;
  readonly network: 'Pod' | 'Node';
}

/**
 * The address that a client calls: an imported Service, an address in the slices of a headless one,
 * that of the Pod, or a Service whose backends are in the network of Nodes.
 */
export const targets = ['Service', 'headless', 'Pod', 'exported ClusterIP'] as const;
export type Target = (typeof targets)[number];

export interface Combination {
  readonly client: End;
  readonly server: End;
  readonly target: Target;
  readonly protocol: Protocol;
  readonly family: IPFamily;
}

/** The addresses of one family or of both. */
export type Addresses = Readonly<Record<IPFamily, string>>;

/** The known addresses of the clusters, by the names of ends. */
export interface MatrixNetwork {
  readonly pods: ReadonlyMap<string, Addresses>;
  /**
   * The addresses of Nodes, by cluster and place as {@link nodeKey} writes them: their own, the
   * first ones of their Pod CIDRs, which no Pod has, and those of the bridge of their CNI.
   */
  readonly nodes: ReadonlyMap<
    string,
    { readonly own: Addresses; readonly first: Addresses; readonly bridge: Addresses }
  >;
  readonly virtual: ReadonlyMap<string, readonly VirtualPodCIDR[]>;
}

export const nodeKey = (end: Pick<End, 'cluster' | 'place'>): string => `${end.cluster}-${end.place}`;

/** The name of an end, with which its server answers; also of its Pod and of its Service. */
export const endName = ({ cluster, place, network }: End): string => `${cluster}-${place}-${network.toLowerCase()}`;

export function endsOf(clusters: readonly string[]): readonly End[] {
  return clusters.flatMap((cluster) =>
    places.flatMap((place) => (['Pod', 'Node'] as const).map((network) => ({ cluster, place, network }))),
  );
}

/**
 * All combinations. Servers in the network of a Node are reached by the exported ClusterIP alone,
 * which clusters announce with `ClusterIP`, and for one family.
 */
export function combinationsOf(clusters: readonly string[], endpointIPType: EndpointIPType): readonly Combination[] {
  const ends = endsOf(clusters);
  return ends.flatMap((client) =>
    ends
      .filter(({ cluster }) => cluster !== client.cluster)
      .flatMap((server) =>
        targetsOf(server, endpointIPType).flatMap((target) =>
          protocols.flatMap((protocol) =>
            (target === 'exported ClusterIP' ? (['IPv4'] as const) : families).map((family) => ({
              client,
              server,
              target,
              protocol,
              family,
            })),
          ),
        ),
      ),
  );
}

function targetsOf({ network }: End, endpointIPType: EndpointIPType): readonly Target[] {
  if (network === 'Pod') return ['Service', 'headless', 'Pod'];
  return endpointIPType === 'ClusterIP' ? ['exported ClusterIP'] : [];
}

/**
 * The answers that the server may give: its name, and the address of the client that it sees.
 * Clients in the network of a Node have the first address of its Pod CIDR, unless the kernel gives
 * them the address of the bridge, which is in the Pod CIDR as well. Errors: an end that the network
 * does not have.
 */
export function expectedAnswers(combination: Combination, network: MatrixNetwork): readonly string[] {
  const { client, server, family } = combination;
  return sourcesOf(client, server, network).map((source) => `${endName(server)} ${source[family]}`);
}

function sourcesOf(client: End, server: End, network: MatrixNetwork): readonly Addresses[] {
  // The gateway that translates an exported ClusterIP has the answers come back to it; a server of
  // its own is there.
  if (server.network === 'Node' && server.place !== 'gateway')
    return [nodeOf(network, { ...server, place: 'gateway' }).own];
  const node = () => nodeOf(network, client);
  const own = client.network === 'Pod' ? [podOf(network, client)] : [node().first, node().bridge];
  const virtual = network.virtual.get(client.cluster) ?? [];
  return own.map(({ IPv4, IPv6 }) => ({ IPv4: knownAs(IPv4, virtual), IPv6: knownAs(IPv6, virtual) }));
}

/** The address of a Pod in other clusters. */
export function podAddress(server: End, family: IPFamily, network: MatrixNetwork): string {
  return knownAs(podOf(network, server)[family], network.virtual.get(server.cluster) ?? []);
}

function podOf({ pods }: MatrixNetwork, end: End): Addresses {
  const found = pods.get(endName(end));
  if (found === undefined) throw new Error(`the matrix has no Pod ${endName(end)}`);
  return found;
}

function nodeOf({ nodes }: MatrixNetwork, end: End) {
  const found = nodes.get(nodeKey(end));
  if (found === undefined) throw new Error(`the matrix has no Node ${nodeKey(end)}`);
  return found;
}

function knownAs(text: string, virtual: readonly VirtualPodCIDR[]): string {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${JSON.stringify(text)} is not an address`);
  const pair = virtual.find(({ own }) => contains(own, address));
  if (pair === undefined) return addressText(address);
  return addressText({ ...address, value: pair.virtual.value | (address.value ^ pair.own.value) });
}
