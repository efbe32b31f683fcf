import { equal } from '@isthmus/machinery';
import type { BaseHook, ChainName, SetName } from './chains.ts';
import { hookOf } from './chains.ts';
import type { Link, NextHop, NftSet, Peer, PolicyRule, Route, WireGuardPeer } from './network.ts';
import { ownTable, routeProtocol, udpNumber } from './owned.ts';
import type { ChainChange, NetworkChange, SetChange } from './diff.ts';
import { hookText, ruleText } from './render-rule.ts';

/**
 * Lines for one program. `ip` and `bridge` read them with `-batch -`, `nft` with `-f -` as one
 * transaction. Those of `wg` are arguments of `wg set`.
 */
export interface Batch {
  readonly program: 'ip' | 'ip -6' | 'bridge' | 'wg' | 'nft';
  readonly lines: readonly string[];
}

const nftTable = `${ownTable.family} ${ownTable.name}`;

/** An nft table that an earlier run left: the names of its parts, and the hooks of its chains. */
export interface LeftTable {
  readonly chains: readonly { readonly name: string; readonly hook?: BaseHook | undefined }[];
  readonly sets: readonly { readonly name: string; readonly kind: 'set' | 'map' }[];
  /** Whether none of its parts may stay. Default: those that are still wanted do. */
  readonly isRemade?: boolean | undefined;
}

export interface RenderOptions {
  /** A table whose content is not in the change. The same transaction removes it. Default: none. */
  readonly left?: LeftTable | undefined;
}

/**
 * The change as commands, in the order in which they are run. New routes exist before translation
 * sends packets to them. Removed routes exist until translation has ended.
 */
export function renderChange(change: NetworkChange, { left }: RenderOptions = {}): readonly Batch[] {
  const { links, peers, nextHops, routes, rules, wireGuardPeers } = change;
  // A group names its members, so members are created before it and removed after it.
  const putHops = nextHops.put.toSorted(membersFirst);
  const goneHops = nextHops.remove.toSorted((a, b) => membersFirst(b, a));
  const batches: readonly Batch[] = [
    {
      program: 'ip',
      lines: [
        ...links.remade.map(removeLink),
        ...links.put.flatMap((link) => (links.resized.includes(link) ? [resizeLink(link)] : putLink(link))),
      ],
    },
    {
      program: 'wg',
      lines: [...wireGuardPeers.remove.map(removeWireGuardPeer), ...wireGuardPeers.put.map(putWireGuardPeer)],
    },
    { program: 'bridge', lines: peers.put.map(putForwarding) },
    {
      program: 'ip',
      lines: [
        ...peers.put.flatMap(putNeighbours),
        ...putHops.map(putNextHop),
        ...routes.put.map(putRoute),
        ...ruleLines(rules.put, 'IPv4', 'add'),
      ],
    },
    { program: 'ip -6', lines: ruleLines(rules.put, 'IPv6', 'add') },
    { program: 'nft', lines: left === undefined ? nftLines(change) : instead(left, change) },
    { program: 'ip -6', lines: ruleLines(rules.remove, 'IPv6', 'del') },
    {
      program: 'ip',
      lines: [
        ...ruleLines(rules.remove, 'IPv4', 'del'),
        ...routes.remove.map(removeRoute),
        ...goneHops.map(removeNextHop),
        ...peers.remove.flatMap(removeNeighbours),
      ],
    },
    { program: 'bridge', lines: peers.remove.map(removeForwarding) },
    { program: 'ip', lines: links.remove.map(removeLink) },
  ];
  return batches.filter(({ lines }) => lines.length > 0);
}

/**
 * The new table in place of a table that an earlier run left. Rules are removed first, then
 * elements, then chains.
 *
 * Chains and sets that are still wanted stay, and get new content. A set that is created again is
 * empty for packets until the kernel has finished the whole transaction (seen on Linux 6.18), but
 * rules use it before. The first packet of a connection would then not be translated, and neither
 * would any later one.
 *
 * A set may have another type under the same name, if another version of the agent wrote it. The
 * transaction then fails, and `isRemade` creates everything again.
 */
function instead({ chains, sets, isRemade = false }: LeftTable, change: NetworkChange): readonly string[] {
  if (change.isTableGone || ![...change.chains.values()].some(({ kind }) => kind === 'new'))
    return [`delete table ${nftTable}`];
  const wanted: ReadonlyMap<string, ChainChange> = change.chains;
  const stays = ({ name, hook }: LeftTable['chains'][number]) =>
    !isRemade && wanted.get(name)?.kind === 'new' && equal(hook, hookOf(name as ChainName));
  const wantedSets: ReadonlyMap<string, SetChange> = change.sets;
  const remains = ({ name, kind }: LeftTable['sets'][number]) => {
    const set = wantedSets.get(name);
    return !isRemade && set?.kind === 'new' && kindOf(set.set) === kind;
  };
  return [
    `flush table ${nftTable}`,
    ...sets.map(({ name, kind }) => `flush ${kind} ${nftTable} ${name}`),
    ...chains.flatMap((chain) => (stays(chain) ? [] : [`delete chain ${nftTable} ${chain.name}`])),
    ...sets.flatMap((set) => (remains(set) ? [] : [`delete ${set.kind} ${nftTable} ${set.name}`])),
    ...nftLines(change),
  ];
}

const membersFirst = (a: NextHop, b: NextHop) => Number('group' in a) - Number('group' in b);

const putLink = (link: Link): readonly string[] => {
  const { name, vni, port, local, mac } = link;
  return [
    // A header that is changed on arrival has no checksum. IPv6 accepts that only with an option.
    `link add ${name} address ${mac} type vxlan id ${vni} dstport ${port} local ${local} nolearning gbp${local.includes(':') ? ' udp6zerocsumrx' : ''}`,
    `link set ${name} addrgenmode eui64`,
    resizeLink(link),
  ];
};
const resizeLink = ({ name, mtu }: Link) => `link set ${name} mtu ${mtu} up`;
const removeLink = ({ name }: Link) => `link del ${name}`;

const putForwarding = ({ dev, mac, underlay }: Peer) => `fdb replace ${mac} dev ${dev} dst ${underlay}`;
const removeForwarding = ({ dev, mac, underlay }: Peer) => `fdb del ${mac} dev ${dev} dst ${underlay}`;
const putNeighbours = ({ dev, mac, hops }: Peer) =>
  hops.map((hop) => `neigh replace ${hop} lladdr ${mac} dev ${dev} nud permanent`);
const removeNeighbours = ({ dev, hops }: Peer) => hops.map((hop) => `neigh del ${hop} dev ${dev}`);

const putNextHop = (hop: NextHop) =>
  'group' in hop
    ? `nexthop replace id ${hop.id} group ${hop.group.join('/')} type resilient buckets ${buckets} idle_timer 0 protocol ${routeProtocol}`
    : `nexthop replace id ${hop.id} via ${hop.via} dev ${hop.dev} onlink protocol ${routeProtocol}`;
const removeNextHop = ({ id }: NextHop) => `nexthop del id ${id}`;

/**
 * The number of buckets of a group among which flows are divided. Most flows are kept when a member
 * comes or goes.
 */
const buckets = 64;

/** An address belongs to one peer of a device: the command takes it from its former peer. */
const putWireGuardPeer = ({ dev, publicKey, endpoint, allowed }: WireGuardPeer) =>
  `${dev} peer ${publicKey} endpoint ${endpoint} allowed-ips ${allowed}`;
const removeWireGuardPeer = ({ dev, publicKey }: WireGuardPeer) => `${dev} peer ${publicKey} remove`;

const putRoute = (route: Route) =>
  `route replace ${route.to} ${'dev' in route ? `dev ${route.dev}` : `nhid ${route.nextHop}`} table ${route.table} protocol ${routeProtocol}`;
const removeRoute = ({ table, to }: Route) => `route del ${to} table ${table} protocol ${routeProtocol}`;

function ruleLines(rules: readonly PolicyRule[], family: PolicyRule['family'], verb: 'add' | 'del'): readonly string[] {
  const line = ({ priority, from, udp, table }: PolicyRule) =>
    `rule ${verb} priority ${priority}${from === undefined ? '' : ` iif ${from}`}${udp === undefined ? '' : ` ipproto ${udpNumber} ${udp.end} ${udp.port}`} lookup ${table} protocol ${routeProtocol}`;
  return rules.filter((rule) => rule.family === family).map(line);
}

/**
 * The change of the nft table. Chains and sets are created before rules and elements name them.
 * Elements are removed before the chains that they name, and rules before sets.
 */
function nftLines({ sets, chains, isTableGone }: NetworkChange): readonly string[] {
  if (isTableGone) return [`delete table ${nftTable}`];
  if (sets.size === 0 && chains.size === 0) return [];
  const ofSets = [...sets];
  const ofChains = [...chains];
  return [
    `add table ${nftTable}`,
    ...ofSets.flatMap(([name, change]) => (change.kind === 'new' ? [addSet(name, change.set)] : [])),
    ...ofChains.flatMap(([name, change]) => (change.kind === 'new' ? [addChain(name)] : [])),
    ...ofChains.flatMap(([name, change]) => (change.kind === 'new' ? [] : [`flush chain ${nftTable} ${name}`])),
    ...ofSets.flatMap(([name, change]) => removedElements(name, change)),
    ...ofSets.flatMap(([name, change]) => addedElements(name, change)),
    ...ofChains.flatMap(([name, change]) => addedRules(name, change)),
    ...ofChains.flatMap(([name, change]) => (change.kind === 'gone' ? [`delete chain ${nftTable} ${name}`] : [])),
    ...ofSets.flatMap(([name, change]) =>
      change.kind === 'gone' ? [`delete ${kindOf(change.set)} ${nftTable} ${name}`] : [],
    ),
  ];
}

function addSet(name: SetName, set: NftSet): string {
  const flags = set.isInterval ? ' flags interval;' : set.isDynamic ? ' flags dynamic,timeout;' : '';
  return `add ${kindOf(set)} ${nftTable} ${name} { ${set.type};${flags} }`;
}

/** The type of a map ends in that of its values. */
const kindOf = ({ type }: NftSet) => (type.includes(' : ') ? 'map' : 'set');

function addChain(name: ChainName): string {
  const hook = hookOf(name);
  return `add chain ${nftTable} ${name}${hook === undefined ? '' : ` { ${hookText(hook)}; policy accept; }`}`;
}

/**
 * The command `add rule` makes `nft` read all chains and sets from the kernel: 10 ms for 2,000 of
 * each. Rules inside a `chain` block do not, but cannot name a set.
 */
function addedRules(name: ChainName, change: ChainChange): readonly string[] {
  const rules = change.kind === 'gone' ? [] : change.rules.map(ruleText);
  if (rules.length === 0) return [];
  if (rules.some((rule) => rule.includes('@'))) return rules.map((rule) => `add rule ${nftTable} ${name} ${rule}`);
  return [`add chain ${nftTable} ${name} {`, ...rules, '}'];
}

function removedElements(name: SetName, change: SetChange): readonly string[] {
  if (change.kind === 'gone') return [`flush ${kindOf(change.set)} ${nftTable} ${name}`];
  if (change.kind === 'new' || change.remove.length === 0) return [];
  return [`delete element ${nftTable} ${name} { ${change.remove.join(', ')} }`];
}

function addedElements(name: SetName, change: SetChange): readonly string[] {
  const put = change.kind === 'new' ? change.set.elements : change.kind === 'elements' ? change.put : undefined;
  if (put === undefined || put.size === 0) return [];
  const texts = [...put].map(([key, value]) => (value === '' ? key : `${key} : ${value}`));
  return [`add element ${nftTable} ${name} { ${texts.join(', ')} }`];
}
