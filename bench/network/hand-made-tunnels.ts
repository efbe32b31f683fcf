import type { LabNode, PacketLab } from '@isthmus/testkit';

/** The Nodes of a lab with tunnels between all of them, made by hand. */
export interface HandMadeTunnels {
  /** The address of a Node in the tunnels. */
  address(node: string): string;
  /** On a Node, packets to a network go through the tunnel to another one. */
  route(node: string, to: string, through: string): Promise<void>;
}

/** The UDP port of the tunnels. */
export const port = 4799;

/**
 * A VXLAN device on each Node, with the headers and the MTU of an agent's. Routes are for others to
 * make.
 */
export async function layTunnels(lab: Pick<PacketLab, 'clusters' | 'node'>): Promise<HandMadeTunnels> {
  const nodes = Object.values(lab.clusters).flatMap((cluster) => cluster.nodes);
  const position = (name: string) => nodes.findIndex(({ layout }) => layout.name === name) + 1;
  const address = (name: string) => `172.31.0.${position(name)}`;
  const mac = (name: string) => `02:aa:00:00:00:0${position(name)}`;
  await Promise.all(
    nodes.map(async (node) => {
      const { address: own, name } = node.layout;
      await must(node, 'ip', `link add hand type vxlan id 77 local ${own} dstport ${port} nolearning gbp`);
      await must(node, 'ip', `link set hand mtu 1450 address ${mac(name)} up`);
      await must(node, 'ip', `addr add ${address(name)}/24 dev hand`);
      for (const { layout: other } of nodes.filter((one) => one !== node)) {
        await must(node, 'bridge', `fdb append ${mac(other.name)} dev hand dst ${other.address}`);
        await must(node, 'ip', `neigh add ${address(other.name)} lladdr ${mac(other.name)} dev hand nud permanent`);
      }
    }),
  );
  return {
    address,
    route: (node, to, through) =>
      must(lab.node(node), 'ip', `route replace ${to} via ${address(through)} dev hand onlink`),
  };
}

/** Runs a command on a Node. Errors: it failed, with what it printed. */
export async function must({ place, layout }: LabNode, program: string, args: string): Promise<void> {
  const { code, stderr } = await place.run(program, program === 'nft' ? [args] : args.split(' '));
  if (code !== 0) throw new Error(`${program} ${args} on ${layout.name}: ${stderr}`);
}
