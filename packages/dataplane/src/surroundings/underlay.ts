import { devicePrefix } from '../network/owned.ts';
import { toolOutput } from '../kernel/tool-output.ts';
import type { RunProgram } from '../kernel/write-network.ts';

/** What joins a Node with the others. */
export interface Underlay {
  /** How large packets to other Nodes may be on the device that they leave by, in bytes. */
  readonly mtu: number;
  /** The device that has the address of the Node. */
  readonly device: string;
  /** By which devices packets leave for other Nodes: that one, or those in its place, and tunnels of the CNI. */
  readonly devices: readonly string[];
}

/**
 * Nodes that announce their address by BGP often have it on the loopback device: packets then leave by the devices with default routes, and the smallest of these counts.
 *
 * Undefined where no device has the address, or where that is the loopback device and there is no default route. Errors: throws where `ip` cannot be run, or prints something else than it should.
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

/** The parts of what `ip -j` prints of a route that are read. */
interface ListedRoute {
  readonly dev?: string;
  readonly nexthops?: readonly { readonly dev?: string }[];
}

/** The parts of what `ip -j` prints of a device that are read. */
interface ListedLink {
  readonly ifname?: string;
  readonly mtu?: number;
  readonly link_type?: string;
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
