import { startPacketLab } from '@isthmus/testkit';
import type { PacketLab, PacketLabOptions } from '@isthmus/testkit';
import type { ImportedService } from '@isthmus/dataplane';
import { address } from '../../packages/dataplane/src/testing/addresses.ts';
import { startProgrammedLab } from '../../packages/dataplane/src/testing/programmed-lab.ts';
import { translateAsUpstream } from './as-upstream.ts';
import type { HandMadeTunnels } from './hand-made-tunnels.ts';
import { layTunnels, must, port } from './hand-made-tunnels.ts';
import { ports, servers } from './traffic.ts';
import type { Runs } from './traffic.ts';

/** From a client to the address that it uses. */
export interface Path {
  readonly from: Runs;
  readonly address: string;
}

/**
 * Two clusters, east and west, that are joined in one way, with servers on the first Node and in
 * the Pods of west.
 */
export interface JoinedClusters extends AsyncDisposable {
  /** From a Pod on the gateway of east to one on the gateway of west: one tunnel. */
  readonly hop: Path;
  /**
   * From a Pod on another Node of east through both gateways to a Pod on another Node of west:
   * three tunnels.
   */
  readonly whole: Path;
  /** All Nodes. Packets leave each by its device `eth0`. */
  readonly nodes: readonly Runs[];
}

const gateways = ['east-1', 'west-1'];
const options: PacketLabOptions = { clusters: { east: { nodes: 2 }, west: { nodes: 2 } }, masquerade: false };
const serviceIP = '10.99.0.80';

const nodesOf = (lab: Pick<PacketLab, 'clusters'>): readonly Runs[] =>
  Object.values(lab.clusters).flatMap(({ nodes }) => nodes.map(({ place }) => place));

/** `server`: the address that the client of the whole path uses. */
function joined(lab: Pick<PacketLab, 'clusters' | 'pod'> & AsyncDisposable, server: string): JoinedClusters {
  return {
    hop: { from: lab.pod('east-1'), address: lab.pod('west-1').address },
    whole: { from: lab.pod('east-2'), address: server },
    nodes: nodesOf(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

async function serve(lab: Pick<PacketLab, 'pod' | 'node'>): Promise<void> {
  const node = lab.node('west-1').place;
  for (const [name, args] of servers) {
    for (const pod of ['west-1', 'west-2']) await lab.pod(pod).start(name, args);
    await node.start(`server-${name.split('/').at(-1)}`, name, args);
  }
}

/**
 * As an agent does it: the Service is translated on the Node of the client, and gateways only
 * route.
 */
export async function joinedByAgents(): Promise<JoinedClusters> {
  const lab = await startProgrammedLab(options);
  const endpoint = lab.pod('west-2').address;
  const services = Object.values(ports).map((port): ImportedService => ({
    namespace: 'shop',
    name: 'cart',
    protocol: 'TCP',
    address: address(serviceIP),
    port,
    endpoints: [{ clusterID: 'west', address: address(endpoint), port }],
  }));
  await lab.program({ gateways, services });
  await serve(lab);
  return joined(lab, serviceIP);
}

/**
 * The same tunnels as plain routes, without any rule: what the kernel can do. And the network
 * below, from Node to Node.
 */
export async function joinedByHand(): Promise<JoinedClusters & { readonly underlay: Path }> {
  const lab = await startPacketLab(options);
  await routeByHand(lab, await layTunnels(lab));
  await serve(lab);
  const underlay = { from: lab.node('east-1').place, address: lab.node('west-1').layout.address };
  return { ...joined(lab, lab.pod('west-2').address), underlay };
}

/**
 * The same tunnels by hand, with what any Node with kube-proxy does besides: it tracks the
 * connections of Pods, but not the packets of tunnels, and the Node of the client translates the
 * address of the Service.
 */
export async function joinedByHandTracked(): Promise<JoinedClusters> {
  const lab = await startPacketLab(options);
  await routeByHand(lab, await layTunnels(lab));
  const untracked = ['prerouting', 'output'].map(
    (hook) => `chain ${hook} { type filter hook ${hook} priority -300; udp dport ${port} notrack; };`,
  );
  const service = `chain service { type nat hook prerouting priority -100; ip daddr ${serviceIP} dnat to ${lab.pod('west-2').address}; };`;
  for (const name of Object.values(lab.clusters).flatMap(({ nodes }) => nodes.map(({ layout }) => layout.name)))
    await must(lab.node(name), 'nft', `table ip tracked { ${untracked.join(' ')} ${service} }`);
  await serve(lab);
  return joined(lab, serviceIP);
}

/** The same tunnels, with the translations of Antrea Multi-cluster. */
export async function joinedAsUpstream(): Promise<JoinedClusters> {
  const lab = await startPacketLab(options);
  const tunnels = await layTunnels(lab);
  await routeByHand(lab, tunnels);
  await translateAsUpstream(lab, tunnels, {
    client: 'east-2',
    gateways: ['east-1'],
    remote: 'west-1',
    service: serviceIP,
    endpoint: lab.pod('west-2').address,
  });
  await serve(lab);
  return joined(lab, serviceIP);
}

/** Through the gateways both ways. */
async function routeByHand(lab: PacketLab, { route }: HandMadeTunnels): Promise<void> {
  const podsOf = (name: string) => lab.node(name).layout.podCIDR;
  const [east, west] = [lab.cluster('east'), lab.cluster('west')].map(({ layout }) => layout.clusterCIDRs[0]);
  await route('east-2', west ?? '', 'east-1');
  await route('west-2', east ?? '', 'west-1');
  for (const pod of ['west-1', 'west-2']) await route('east-1', podsOf(pod), 'west-1');
  for (const pod of ['east-1', 'east-2']) await route('west-1', podsOf(pod), 'east-1');
  await route('west-1', podsOf('west-2'), 'west-2');
  await route('east-1', podsOf('east-2'), 'east-2');
}
