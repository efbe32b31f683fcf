import { devicePrefix } from '../network/owned.ts';
import { toolOutput } from '../kernel/tool-output.ts';
import type { RunProgram } from '../kernel/write-network.ts';

/** The network that joins a Node with the others. */
export interface Underlay {
  /** The largest packets to other Nodes on the device that they leave by, in bytes. */
  readonly mtu: number;
  /** The device that has the address of the Node. */
  readonly device: string;
  /**
   * The devices by which packets leave for other Nodes: the device with the address of the Node, or
   * those that replace it, and tunnels of the CNI.
   */
  readonly devices: readonly string[];
}

/**
 * Reads the underlay. Nodes that announce their address by BGP often have it on the loopback
 * device. Packets then leave by the devices with default routes, and the smallest MTU of these
 * counts.
 *
 * Undefined if no device has the address, or if only the loopback device has it and there is no
 * default route. Errors: throws if `ip` cannot be run, or prints unexpected output.
 */
export async function readUnderlay(address: string, run: RunProgram): Promise<Underlay | undefined> {
  const what = 'read the addresses of this Node';
  const links = JSON.parse(await toolOutput(run, what, 'ip', ['-j', '-d', 'addr', 'show'])) as readonly ListedLink[];
  const own = links.find(({ addr_info = [] }) => addr_info.some(({ local }) => local === address));
  if (own?.mtu === undefined || own.ifname === undefined) return undefined;
  const carriers = own.link_type === 'loopback' ? await withDefaultRoutes() : [own];
  const mtu = Math.min(...carriers.flatMap((link) => link.mtu ?? []));
  if (!Number.isFinite(mtu)) return undefined;
  const tunnels = links.filter(
    ({ ifname = '', linkinfo }) => tunnelKinds.has(linkinfo?.info_kind ?? '') && !ifname.startsWith(devicePrefix),
  );
  const devices = [...carriers, ...tunnels].flatMap(({ ifname }) => ifname ?? []);
  return { mtu, device: own.ifname, devices: [...new Set(devices)].toSorted() };

  async function withDefaultRoutes(): Promise<readonly ListedLink[]> {
    const family = address.includes(':') ? '-6' : '-4';
    const stdout = await toolOutput(run, what, 'ip', ['-j', family, 'route', 'show', 'default']);
    const routes = stdout.trim() === '' ? [] : (JSON.parse(stdout) as readonly ListedRoute[]);
    const used = new Set(routes.flatMap(({ dev, nexthops = [] }) => [dev, ...nexthops.map((hop) => hop.dev)]));
    return links.filter(({ ifname }) => used.has(ifname));
  }
}

/** The parts of a route in the output of `ip -j` that are read. */
interface ListedRoute {
  readonly dev?: string;
  readonly nexthops?: readonly { readonly dev?: string }[];
}

/** The parts of a device in the output of `ip -j` that are read. */
interface ListedLink {
  readonly ifname?: string;
  readonly mtu?: number;
  readonly link_type?: string;
  readonly linkinfo?: { readonly info_kind?: string };
  readonly addr_info?: readonly { readonly local?: string }[];
}

/** The kinds of devices by which CNIs send packets of Pods to other Nodes. */
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
