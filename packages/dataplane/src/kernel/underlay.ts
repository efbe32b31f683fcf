import { devicePrefix } from '../network/owned.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/** What joins a Node with the others. */
export interface Underlay {
  /** How large packets may be on the device that has the address of the Node, in bytes. */
  readonly mtu: number;
  /** The device that has the address of the Node. */
  readonly device: string;
  /** By which devices packets leave for other Nodes: that one, and tunnels of the CNI. */
  readonly devices: readonly string[];
}

/** Undefined where no device has the address. Errors: throws where `ip` cannot be run, or prints something else than it should. */
export async function readUnderlay(address: string, run: RunProgram): Promise<Underlay | undefined> {
  const stdout = await toolOutput(run, 'read the addresses of this Node', 'ip', ['-j', '-d', 'addr', 'show']);
  const links = JSON.parse(stdout) as readonly ListedLink[];
  const own = links.find(({ addr_info = [] }) => addr_info.some(({ local }) => local === address));
  if (own?.mtu === undefined || own.ifname === undefined) return undefined;
  const tunnels = links.flatMap(({ ifname = '', linkinfo }) =>
    tunnelKinds.has(linkinfo?.info_kind ?? '') && !ifname.startsWith(devicePrefix) ? [ifname] : [],
  );
  return { mtu: own.mtu, device: own.ifname, devices: [...new Set([own.ifname, ...tunnels])].toSorted() };
}

/** The parts of what `ip -j` prints of a device that are read. */
interface ListedLink {
  readonly ifname?: string;
  readonly mtu?: number;
  readonly linkinfo?: { readonly info_kind?: string };
  readonly addr_info?: readonly { readonly local?: string }[];
}

/** By which CNIs send packets of Pods to other Nodes. */
const tunnelKinds: ReadonlySet<string> = new Set([
  'vxlan',
  'geneve',
  'ipip',
  'sit',
  'ip6tnl',
  'gre',
  'gretap',
  'ip6gre',
  'ip6gretap',
  'wireguard',
]);
