import { addressText, cidrText, parseAddress, parseCidr } from '@isthmus/machinery';
import type { Link, Network, NextHop, Peer, PolicyRule, Route } from '../network/network.ts';
import { emptyNetwork, peerKey, routeKey, ruleKey } from '../network/network.ts';
import { devicePrefix, routeProtocol, udpNumber } from '../network/owned.ts';
import { readWireGuards } from './read-wireguards.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';
import { mainTable } from '../desired/devices.ts';

/**
 * What an earlier run of the agent left in the kernel, but for the nft table, which is written anew as a whole.
 *
 * Errors: throws where a program cannot be run, or prints something else than it should.
 */
export async function readNetwork(run: RunProgram): Promise<Network> {
  const json = async (program: 'ip' | 'bridge', ...args: readonly string[]): Promise<readonly Entry[]> => {
    const what = `read the network of this Node: ${program} ${args.join(' ')}`;
    const stdout = await toolOutput(run, what, program, ['-j', ...args]);
    // Some versions print nothing where there is nothing.
    return stdout.trim() === '' ? [] : (JSON.parse(stdout) as readonly Entry[]);
  };
  const protocol = String(routeProtocol);
  const links = (await json('ip', '-d', 'link', 'show', 'type', 'vxlan')).flatMap(linkOf);
  const peers = await Promise.all(
    links.map(async ({ name }) =>
      peersOf(name, {
        forwarding: await json('bridge', 'fdb', 'show', 'dev', name),
        neighbours: [
          ...(await json('ip', '-4', 'neigh', 'show', 'dev', name, 'nud', 'permanent')),
          ...(await json('ip', '-6', 'neigh', 'show', 'dev', name, 'nud', 'permanent')),
        ],
      }),
    ),
  );
  const nextHops = (await json('ip', 'nexthop', 'show', 'protocol', protocol)).flatMap(nextHopOf);
  const rules = [
    ...(await json('ip', 'rule', 'show')).flatMap((entry) => ruleOf(entry, 'IPv4')),
    ...(await json('ip', '-6', 'rule', 'show')).flatMap((entry) => ruleOf(entry, 'IPv6')),
  ];
  const wireGuards = await readWireGuards(run, await json('ip', 'link', 'show'));
  const routes = [
    ...(await json('ip', '-4', 'route', 'show', 'table', 'all', 'protocol', protocol)).flatMap((entry) =>
      routeOf(entry, '32'),
    ),
    ...(await json('ip', '-6', 'route', 'show', 'table', 'all', 'protocol', protocol)).flatMap((entry) =>
      routeOf(entry, '128'),
    ),
  ];
  return {
    ...emptyNetwork,
    links: new Map(links.map((link) => [link.name, link])),
    peers: new Map(peers.flat().map((peer) => [peerKey(peer), peer])),
    nextHops: new Map(nextHops.map((hop) => [hop.id, hop])),
    routes: new Map(routes.map((route) => [routeKey(route), route])),
    rules: new Map(rules.map((rule) => [ruleKey(rule), rule])),
    ...wireGuards,
  };
}

/** What `ip -j` and `bridge -j` print for one item: fields that may be missing. */
interface Entry {
  readonly ifname?: string;
  readonly address?: string;
  readonly mtu?: number;
  readonly flags?: readonly string[];
  readonly linkinfo?: {
    readonly info_data?: {
      readonly id?: number;
      readonly port?: number;
      readonly local?: string;
      readonly local6?: string;
    };
  };
  readonly mac?: string;
  readonly dst?: string;
  readonly lladdr?: string;
  readonly id?: number;
  readonly gateway?: string;
  readonly dev?: string;
  readonly group?: readonly { readonly id: number }[];
  readonly table?: string;
  readonly nhid?: number;
  readonly priority?: number;
  readonly iif?: string;
  readonly ipproto?: string;
  readonly sport?: number;
  readonly dport?: number;
  readonly protocol?: string;
}

function linkOf({ ifname = '', address: mac, mtu, flags = ['UP'], linkinfo }: Entry): readonly Link[] {
  const { id: vni, port, local = linkinfo?.info_data?.local6 } = linkinfo?.info_data ?? {};
  if (!ifname.startsWith(devicePrefix)) return [];
  const link = { name: ifname, vni: vni ?? 0, port: port ?? 0, local: local ?? '', mac: mac ?? '', mtu: mtu ?? 0 };
  return [flags.includes('UP') ? link : { ...link, isDown: true }];
}

function peersOf(
  dev: string,
  { forwarding, neighbours }: { readonly forwarding: readonly Entry[]; readonly neighbours: readonly Entry[] },
): readonly Peer[] {
  return forwarding.flatMap(({ mac, dst }) => {
    if (mac === undefined || dst === undefined) return [];
    const underlay = canonicalAddress(dst);
    const hops = neighbours.flatMap(({ dst: hop, lladdr }) => (lladdr === mac && hop !== undefined ? [hop] : []));
    return [{ dev, mac, underlay, hops }];
  });
}

function nextHopOf({ id, gateway, dev, group }: Entry): readonly NextHop[] {
  if (id === undefined) return [];
  if (group !== undefined) return [{ id, group: group.map((member) => member.id).toSorted((a, b) => a - b) }];
  return gateway === undefined || dev === undefined ? [] : [{ id, dev, via: gateway }];
}

/** By its name, where `ip` finds that in `/etc/protocols`, and otherwise as `ipproto-17`. */
const isUDP = (ipproto: string | undefined) => ipproto === 'udp' || ipproto === `ipproto-${udpNumber}`;

function ruleOf(
  { priority, iif, ipproto, sport, dport, table, protocol }: Entry,
  family: PolicyRule['family'],
): readonly PolicyRule[] {
  if (protocol !== String(routeProtocol) || priority === undefined) return [];
  const port = dport ?? sport;
  const udp =
    isUDP(ipproto) && port !== undefined
      ? ({ end: dport === undefined ? 'sport' : 'dport', port } as const)
      : undefined;
  return [
    {
      family,
      priority,
      ...(iif === undefined ? {} : { from: iif }),
      ...(udp === undefined ? {} : { udp }),
      table: table === 'main' ? mainTable : Number(table),
    },
  ];
}

/** `ip` leaves the length out where the network is one address. */
function routeOf({ dst = '', table, nhid, dev }: Entry, length: '32' | '128'): readonly Route[] {
  const route = { table: Number(table), to: canonicalRange(dst.includes('/') ? dst : `${dst}/${length}`) };
  if (nhid !== undefined) return [{ ...route, nextHop: nhid }];
  return dev === undefined ? [] : [{ ...route, dev }];
}

/** As it was written: `ip` and `bridge` print some addresses of IPv6 with those of IPv4 in them (`::1.2.3.4`). What is none is itself. */
function canonicalAddress(text: string): string {
  const address = parseAddress(text);
  return address === undefined ? text : addressText(address);
}
function canonicalRange(text: string): string {
  const cidr = parseCidr(text);
  return cidr === undefined ? text : cidrText(cidr);
}
