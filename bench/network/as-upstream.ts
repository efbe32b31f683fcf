import type { PacketLab } from '@isthmus/testkit';
import type { HandMadeTunnels } from './hand-made-tunnels.ts';
import { must } from './hand-made-tunnels.ts';

/** The Service of the other cluster, as its own ClusterIP. */
const exported = '10.98.0.80';

export interface UpstreamPath {
  readonly client: string;
  /** The gateways of the client's cluster, the one in use first. */
  readonly gateways: readonly [string, ...string[]];
  /** The gateway of the other cluster. */
  readonly remote: string;
  /** The ClusterIP of the import. */
  readonly service: string;
  /** An address, or an address with a port for connections to port 80. */
  readonly endpoint: string;
}

/**
 * The translations of Antrea Multi-cluster over tunnels made by hand: the Node of the client
 * translates the imported Service to that of the other cluster, its gateway the source, and the
 * gateway of the other cluster that Service to a Pod, and the source again; every hop tracks every
 * connection. Resolves with what the Node of the client does when it changes to another gateway.
 */
export async function translateAsUpstream(
  lab: Pick<PacketLab, 'node'>,
  tunnels: HandMadeTunnels,
  { client, gateways, remote, service, endpoint }: UpstreamPath,
): Promise<(gateway: string) => Promise<void>> {
  const onward = (from: string, to: string) =>
    `chain to { type nat hook prerouting priority -105; meta l4proto { tcp, udp } ip daddr ${from} dnat ip to ${to}; };`;
  const [pod = ''] = endpoint.split(':');
  const masked = (gateway: string) =>
    `chain from { type nat hook postrouting priority 90; oifname "hand" ip daddr { ${exported}, ${pod} } snat ip to ${tunnels.address(gateway)}; };`;
  const write = (node: string, rules: string) => must(lab.node(node), 'nft', `table ip upstream { ${rules} }`);
  await write(client, onward(service, exported));
  for (const gateway of gateways) {
    await write(gateway, masked(gateway));
    await tunnels.route(gateway, exported, remote);
  }
  await write(remote, `${onward(exported, endpoint)} ${masked(remote)}`);
  const use = (gateway: string) => tunnels.route(client, exported, gateway);
  await use(gateways[0]);
  return use;
}
