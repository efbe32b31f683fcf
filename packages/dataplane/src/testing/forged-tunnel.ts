import { askFrom } from '@isthmus/testkit';
import type { PacketLab } from '@isthmus/testkit';
import { expect } from 'vitest';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import { address as parsed } from './addresses.ts';

type Lab = Pick<PacketLab, 'node' | 'pod'>;
type LabPod = ReturnType<Lab['pod']>;

const waitMs = 3_000;
/**
 * The next hop behind the tunnel, for the route: any address, because its neighbour entry is fixed.
 */
const nextHop = '10.0.0.1';

/** A tunnel that a Pod creates itself, to imitate a Node. */
export interface ForgedTunnel {
  /** The device of a Node that the tunnel imitates. */
  readonly device: string;
  readonly vni: number;
  readonly port?: number;
  /** The source address of its packets. Default: that of the Pod. */
  readonly from?: string;
  /** The destination address of its packets. */
  readonly to: string;
  /** The Node that receives the packets on `device`. */
  readonly node: string;
  /** The client inside the tunnel, which the Pod imitates, and the Pod that it asks. */
  readonly client: string;
  readonly server: LabPod;
}

/**
 * Sends a datagram to the server in this tunnel. Resolves to how many datagrams the server received
 * meanwhile.
 */
export async function sendInForgedTunnel(lab: Lab, pod: LabPod, tunnel: ForgedTunnel): Promise<number> {
  const { device, vni, port = 8479, from = pod.address, to, node, client, server } = tunnel;
  const { mac } = tunnelAddresses(parsed(lab.node(node).layout.address));
  const script = `
      ip link del ${device} 2>/dev/null || true
      ip addr replace ${from}/32 dev lo
      ip addr replace ${client}/32 dev lo
      ip link add ${device} type vxlan id ${vni} dstport ${port} local ${from} nolearning gbp
      ip link set ${device} up
      bridge fdb replace ${mac} dev ${device} dst ${to}
      ip neigh replace ${nextHop} lladdr ${mac} dev ${device} nud permanent
      ip route replace ${server.address}/32 via ${nextHop} dev ${device} onlink src ${client}`;
  expect(await pod.run('sh', ['-ec', script])).toMatchObject({ code: 0, stderr: '' });
  const before = await receivedBy(server);
  await askFrom(pod, [{ protocol: 'UDP', address: server.address, port: 8080, waitMs }]);
  return (await receivedBy(server)) - before;
}

async function receivedBy(pod: LabPod): Promise<number> {
  const { stdout } = await pod.run('cat', ['/proc/net/snmp']);
  return Number(/^Udp: (\d+)/m.exec(stdout)?.[1]);
}

/**
 * The packets of the counter directly after this text in one of our chains. Without a text: of its
 * first counter. NaN: there is no counter.
 */
export async function packetsCounted(lab: Lab, node: string, chain: string, text = ''): Promise<number> {
  const { stdout } = await lab.node(node).place.run('nft', ['list', 'chain', 'inet', 'isthmus', chain]);
  return Number(new RegExp(`${text}counter packets (\\d+)`).exec(stdout)?.[1]);
}
