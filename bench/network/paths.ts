import { startPacketLab } from '@isthmus/testkit';
import type { LabNode, PacketLab, PacketLabOptions } from '@isthmus/testkit';
import type { ImportedService } from '@isthmus/dataplane';
import { address } from '../../packages/dataplane/src/testing/addresses.ts';
import { startProgrammedLab } from '../../packages/dataplane/src/testing/programmed-lab.ts';
import { ports, servers } from './traffic.ts';
import type { Runs } from './traffic.ts';

/** From a client to the address that it uses. */
export interface Path {
  readonly from: Runs;
  readonly address: string;
}

/** Two clusters, east and west, that are joined in one way, with servers on the first Node and in the Pods of west. */
export interface JoinedClusters extends AsyncDisposable {
  /** From a Pod on the gateway of east to one on the gateway of west: one tunnel. */
  readonly hop: Path;
  /** From a Pod on another Node of east through both gateways to a Pod on another Node of west: three tunnels. */
  readonly whole: Path;
}

const gateways = ['east-1', 'west-1'];
const options: PacketLabOptions = { clusters: { east: { nodes: 2 }, west: { nodes: 2 } }, masquerade: false };
const serviceIP = '10.99.0.80';

async function serve(lab: Pick<PacketLab, 'pod' | 'node'>): Promise<void> {
  const node = lab.node('west-1').place;
  for (const [name, args] of servers) {
    for (const pod of ['west-1', 'west-2']) await lab.pod(pod).start(name, args);
    await node.start(`server-${name.split('/').at(-1)}`, name, args);
  }
}

/** As an agent does it: the Service is translated on the Node of the client, and gateways only route. */
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
  return {
    hop: { from: lab.pod('east-1'), address: lab.pod('west-1').address },
    whole: { from: lab.pod('east-2'), address: serviceIP },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

/** The same tunnels as plain routes, without any rule: what the kernel can do. And the network below, from Node to Node. */
export async function joinedByHand(): Promise<JoinedClusters & { readonly underlay: Path }> {
  const lab = await startPacketLab(options);
  await layTunnels(lab);
  await serve(lab);
  return {
    underlay: { from: lab.node('east-1').place, address: lab.node('west-1').layout.address },
    hop: { from: lab.pod('east-1'), address: lab.pod('west-1').address },
    whole: { from: lab.pod('east-2'), address: lab.pod('west-2').address },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

/**
 * The same tunnels, with the translations of Antrea Multi-cluster ([data-plane](../../docs/spec/README.md)): the Node of the client translates the Service to that of the other cluster, its gateway
 * the source, and the gateway of the other cluster that Service to a Pod; every hop tracks every connection.
 */
export async function joinedAsUpstream(): Promise<JoinedClusters> {
  const lab = await startPacketLab(options);
  await layTunnels(lab);
  const exported = '10.98.0.80';
  const [client, near, far] = ['east-2', 'east-1', 'west-1'].map((name) => lab.node(name));
  const endpoint = lab.pod('west-2').address;
  const sets = {
    client: `ip daddr ${serviceIP} dnat ip to ${exported}`,
    far: `ip daddr ${exported} dnat ip to ${endpoint}`,
  };
  const write = async (node: LabNode | undefined, rules: string) =>
    must(node, 'nft', [`table ip upstream { ${rules} }`]);
  const onward = (text: string) => `chain to { type nat hook prerouting priority -105; ${text}; };`;
  const masked = (own: string) =>
    `chain from { type nat hook postrouting priority 90; oifname "hand" ip daddr { ${exported}, ${endpoint} } snat ip to ${own}; };`;
  await write(client, onward(sets.client));
  await write(near, masked(tunnelIP(0)));
  await write(far, `${onward(sets.far)} ${masked(tunnelIP(2))}`);
  await must(client, 'ip', ['route', 'add', exported, 'via', tunnelIP(0), 'dev', 'hand', 'onlink']);
  await must(near, 'ip', ['route', 'add', exported, 'via', tunnelIP(2), 'dev', 'hand', 'onlink']);
  await serve(lab);
  return {
    hop: { from: lab.pod('east-1'), address: lab.pod('west-1').address },
    whole: { from: lab.pod('east-2'), address: serviceIP },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

/** The address of a Node in the tunnels: east-1, east-2, west-1, west-2. */
const tunnelIP = (position: number) => `172.31.0.${position + 1}`;

/** A VXLAN device on each Node, with the headers and the MTU of an agent's, and routes that lead through the gateways both ways. */
async function layTunnels(lab: PacketLab): Promise<void> {
  const nodes = ['east-1', 'east-2', 'west-1', 'west-2'].map((name) => lab.node(name));
  const mac = (position: number) => `02:aa:00:00:00:0${position + 1}`;
  const via = (position: number) => ['via', tunnelIP(position), 'dev', 'hand', 'onlink'];
  await Promise.all(
    nodes.map(async (node, at) => {
      const { address: own } = node.layout;
      await must(node, 'ip', `link add hand type vxlan id 77 local ${own} dstport 4799 nolearning gbp`.split(' '));
      await must(node, 'ip', `link set hand mtu 1450 address ${mac(at)} up`.split(' '));
      await must(node, 'ip', ['addr', 'add', `${tunnelIP(at)}/24`, 'dev', 'hand']);
      for (const [position, other] of nodes.entries()) {
        if (other === node) continue;
        await must(node, 'bridge', `fdb append ${mac(position)} dev hand dst ${other.layout.address}`.split(' '));
        await must(
          node,
          'ip',
          `neigh add ${tunnelIP(position)} lladdr ${mac(position)} dev hand nud permanent`.split(' '),
        );
      }
    }),
  );
  const [east, west] = ['east', 'west'].map((name) => lab.cluster(name).layout.clusterCIDRs[0]);
  const podsOf = (name: string) => lab.node(name).layout.podCIDR;
  const routes: readonly (readonly [node: number, to: string | undefined, through: number])[] = [
    [1, west, 0],
    [0, podsOf('west-1'), 2],
    [0, podsOf('west-2'), 2],
    [2, podsOf('west-2'), 3],
    [3, east, 2],
    [2, podsOf('east-1'), 0],
    [2, podsOf('east-2'), 0],
    [0, podsOf('east-2'), 1],
  ];
  for (const [node, to, through] of routes)
    await must(nodes[node], 'ip', ['route', 'replace', to ?? '', ...via(through)]);
}

async function must(node: LabNode | undefined, program: string, args: readonly string[]): Promise<void> {
  const result = await node?.place.run(program, args);
  if (result?.code !== 0) throw new Error(`${program} ${args.join(' ')} on ${node?.layout.name}: ${result?.stderr}`);
}
