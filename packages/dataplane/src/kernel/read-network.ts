import { canonicalAddress, cidrText, parseCidr } from '@isthmus/machinery';
import type { Link, Network, NextHop, Peer, PolicyRule, Route } from '../network/network.ts';
import { emptyNetwork, peerKey, routeKey, ruleKey } from '../network/network.ts';
import { devicePrefix, routeProtocol, udpNumber } from '../network/owned.ts';
import { ipLists, jsonList } from './ip-lists.ts';
import { readWireGuards } from './read-wireguards.ts';
import type { RunProgram } from './write-network.ts';
import { mainTable } from '../desired/devices.ts';

/**
 * Reads the items that an earlier run of the agent left in the kernel. The nft table is not among
 * them, because it is written again as a whole.
 *
 * Errors: throws if a program cannot be run, or prints unexpected output.
 */
export async function readNetwork(run: RunProgram): Promise<Network> {
  const what = 'read the network of this Node';
  const list = (program: 'ip' | 'bridge', ...args: readonly string[]) => jsonList<Entry>(run, what, program, args);
  const protocol = String(routeProtocol);
  const devices = await list('ip', '-d', 'link', 'show');
  const links = devices.flatMap(linkOf);
  const peers = await Promise.all(
    links.map(async ({ name }) =>
      peersOf(name, {
        forwarding: await list('bridge', 'fdb', 'show', 'dev', name),
        neighbours: await list('ip', 'neigh', 'show', 'dev', name, 'nud', 'permanent'),
      }),
    ),
  );
  const [hops = [], ways = [], rules4 = []] = await ipLists<Entry>(run, what, [
    `nexthop show protocol ${protocol}`,
    // This table has routes of both families; no other table does.
    `route show table all protocol ${protocol}`,
    'rule show',
  ]);
  const rules = [
    ...rules4.flatMap((entry) => ruleOf(entry, 'IPv4')),
    ...(await list('ip', '-6', 'rule', 'show')).flatMap((entry) => ruleOf(entry, 'IPv6')),
  ];
  const nextHops = hops.flatMap(nextHopOf);
  const routes = ways.flatMap(routeOf);
  const wireGuards = await readWireGuards(run, devices);
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

/** The output of `ip -j` and `bridge -j` for one item: fields may be missing. */
interface Entry {
  readonly ifname?: string;
  readonly address?: string;
  readonly mtu?: number;
  readonly flags?: readonly string[];
  readonly linkinfo?: {
    readonly info_kind?: string;
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
  if (!ifname.startsWith(devicePrefix) || linkinfo?.info_kind !== 'vxlan') return [];
  const { id: vni, port, local = linkinfo.info_data?.local6 } = linkinfo.info_data ?? {};
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

/** UDP by its name, if `ip` finds that in `/etc/protocols`, and otherwise as `ipproto-17`. */
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

/** `ip` leaves the length out if the network is one address. */
function routeOf({ dst = '', table, nhid, dev }: Entry): readonly Route[] {
  // No route of ours is a default route, and the list does not show its family. It belongs to
  // another program.
  if (dst === 'default') return [];
  const length = dst.includes(':') ? 128 : 32;
  const route = { table: Number(table), to: canonicalRange(dst.includes('/') ? dst : `${dst}/${length}`) };
  if (nhid !== undefined) return [{ ...route, nextHop: nhid }];
  return dev === undefined ? [] : [{ ...route, dev }];
}

// `ip` and `bridge` print some IPv6 addresses with an IPv4 address inside (`::1.2.3.4`).
function canonicalRange(text: string): string {
  const cidr = parseCidr(text);
  return cidr === undefined ? text : cidrText(cidr);
}
