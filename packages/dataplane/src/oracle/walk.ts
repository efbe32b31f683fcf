import type { Address } from '@isthmus/machinery';
import { addressText, parseAddress } from '@isthmus/machinery';
import { passHook } from './chains.ts';
import type { Choose } from './nft-rule.ts';
import type { Packet } from './packet.ts';
import { answerTo, endText, packetText, sameAddress } from './packet.ts';
import { waysTo } from './routes.ts';
import type { ClusterIPPort, World, WorldNode } from './world.ts';
import { isOwnAddress, isPodOf, nodeOf } from './world.ts';

/** An event of a packet on a Node, or on the path from it. */
export interface Step {
  readonly node: string;
  readonly text: string;
}

/** The end of a packet's path. */
export type End =
  /** It reaches a Pod, or the network of a Node. */
  | { readonly kind: 'delivered'; readonly node: string; readonly packet: Packet }
  /** The client gets an error at once. */
  | { readonly kind: 'rejected'; readonly node: string }
  | { readonly kind: 'dropped'; readonly node: string; readonly why: string }
  /** It is sent to an end of a tunnel that is not among the Nodes. */
  | { readonly kind: 'sent'; readonly node: string; readonly to: Address }
  /** It leaves by the routes of the Node, to an address that does not belong to any Node or Pod. */
  | { readonly kind: 'left'; readonly node: string; readonly packet: Packet };

export interface Walk {
  readonly steps: readonly Step[];
  readonly end: End;
}

/**
 * The path of the first packet of a connection, and the path of the answer if the packet is
 * delivered.
 */
export interface RoundTrip {
  readonly request: Walk;
  readonly answer?: Walk | undefined;
}

/**
 * A connection as a Node remembers it: the packet that began it, as it arrived and as it was sent.
 */
interface Connection {
  readonly came: Packet;
  readonly went: Packet;
}

const mostHops = 16;
const podDevice = 'pod';
const underlayDevice = 'underlay';

/**
 * Follows a packet, hop by hop, through the rules, routes, tunnels, translations and filters of all
 * Nodes, and then its answer. If the kernel would choose at random, `choose` decides.
 *
 * The CNI is not modelled: Nodes of a cluster route Pods to each other. kube-proxy translates only
 * the ClusterIPs of `world`: another Service that is not imported ends the path (`left`).
 *
 * Errors: throws if no Node has the source, and for rules that the agent does not write.
 */
export function roundTrip(world: World, packet: Packet, choose: Choose): RoundTrip {
  const node = nodeOf(world, packet.source);
  if (node === undefined) throw new Error(`no Node has the address ${addressText(packet.source)}, or a Pod with it`);
  if (!isOwnAddress(node, packet.source) && sameAddress(packet.source, packet.destination)) {
    const stays = (one: Packet): Walk => ({
      steps: [{ node: node.name, text: `${packetText(one)} does not leave the Pod` }],
      end: { kind: 'delivered', node: node.name, packet: one },
    });
    return { request: stays(packet), answer: stays(answerTo(packet)) };
  }
  const connections = new Map<string, Connection[]>();
  const request = follow({ world, choose, connections, steps: [] }, node, packet, startOf(node, packet.source));
  if (request.end.kind !== 'delivered') return { request };
  const at = world.nodes.find(({ name }) => request.end.node === name) ?? node;
  const back = answerTo(request.end.packet);
  return { request, answer: follow({ world, choose, connections, steps: [] }, at, back, startOf(at, back.source)) };
}

/** Undefined: the packet begins in the network of the Node itself. */
const startOf = (node: WorldNode, source: Address) => (isOwnAddress(node, source) ? undefined : podDevice);

interface Following {
  readonly world: World;
  readonly choose: Choose;
  readonly connections: Map<string, Connection[]>;
  readonly steps: Step[];
}

function follow(following: Following, node: WorldNode, packet: Packet, from: string | undefined): Walk {
  const { world, choose, connections, steps } = following;
  const { network } = node;
  const say = (text: string) => void steps.push({ node: node.name, text });
  const end = (last: End): Walk => ({ steps, end: last });
  const drop = (why: string) => {
    say(why);
    return end({ kind: 'dropped', node: node.name, why });
  };
  say(`${packetText(packet)} ${from === undefined ? 'begins here' : `comes from ${placeOf(from)}`}`);
  if (steps.length > mostHops * 8) return drop('it goes in circles');

  const known = (connections.get(node.name) ?? []).find(({ went }) => isSame(answerTo(went), packet));
  const isNew = known === undefined;
  const original = known?.came ?? packet;
  const first = passHook(
    network,
    from === undefined ? 'output' : 'prerouting',
    { packet, from, isNew, isTracked: true },
    choose,
  );
  first.notes.forEach(say);
  if (first.verdict === 'reject') return end({ kind: 'rejected', node: node.name });
  if (first.verdict === 'drop') return end({ kind: 'dropped', node: node.name, why: first.notes.at(-1) ?? '' });
  const { isTracked } = first;
  let now = first.packet;
  const isOurs = !isSame(now, packet);
  if (isNew && isTracked && !isOurs) {
    const proxied = throughKubeProxy(following, node, now);
    if (proxied.note !== undefined) say(proxied.note);
    now = proxied.packet;
  }
  if (known !== undefined && isTracked) {
    now = { ...now, destination: known.came.source, destinationPort: known.came.sourcePort };
    if (!isSame(now, packet))
      say(`the connection is known: the destination is ${endText(now.destination, now.destinationPort)} again`);
  }

  const ways = waysTo(network, now.destination, from);
  const isHere = isOwnAddress(node, now.destination);
  const isForPod = !isHere && isPodOf(node, now.destination);
  const way = isHere || ways === undefined ? undefined : ways[ways.length > 1 ? choose(ways.length) : 0];
  if (!isHere && ways?.length === 0) return drop('its route has no next hop');
  const to = isHere ? undefined : (way?.dev ?? (isForPod ? podDevice : underlayDevice));
  if (from !== undefined && (world.isStrict ?? true) && now.source.family === 'IPv4') {
    const expected = devicesTo(node, now.source, to);
    if (!expected.includes(from))
      return drop(
        `the reverse path filter drops it: ${addressText(now.source)} is routed to ${placeOf(expected[0] ?? '')}`,
      );
  }
  const judging = to === undefined ? 'input' : from === undefined ? undefined : 'forward';
  if (judging !== undefined) {
    const judged = passHook(network, judging, { packet: now, from, to, isNew, isTracked, original }, choose);
    judged.notes.forEach(say);
    if (judged.verdict === 'reject') return end({ kind: 'rejected', node: node.name });
    if (judged.verdict === 'drop') return end({ kind: 'dropped', node: node.name, why: judged.notes.at(-1) ?? '' });
    now = judged.packet;
  }
  if (to !== undefined) {
    const [ownAddress] = node.addresses.filter(({ family }) => family === now.source.family);
    const last = passHook(
      network,
      'postrouting',
      { packet: now, from, to, isNew, isTracked, ownAddress, original },
      choose,
    );
    last.notes.forEach(say);
    now = last.packet;
  }
  if (known !== undefined && isTracked) {
    const before = now;
    now = { ...now, source: known.came.destination, sourcePort: known.came.destinationPort };
    if (!isSame(now, before))
      say(`the connection is known: the source is ${endText(now.source, now.sourcePort)} again`);
  } else if (isTracked) {
    connections.set(node.name, [...(connections.get(node.name) ?? []), { came: packet, went: now }]);
  }

  if (to === undefined || to === podDevice) {
    say(`it is delivered to ${to === undefined ? 'the network of the Node' : `Pod ${addressText(now.destination)}`}`);
    return end({ kind: 'delivered', node: node.name, packet: now });
  }
  if (way === undefined) {
    const next =
      world.nodes.find((one) => one.clusterID === node.clusterID && isPodOf(one, now.destination)) ??
      world.nodes.find((one) => isOwnAddress(one, now.destination));
    if (next === undefined) {
      say(`it leaves by the routes of the Node`);
      return end({ kind: 'left', node: node.name, packet: now });
    }
    say(`the network of the cluster carries it to Node ${next.name}`);
    return follow(following, next, now, underlayDevice);
  }
  return throughTunnel(following, node, now, { ...way, alternatives: ways?.length ?? 1 });
}

/** The packet with an endpoint as its destination, if it is for a ClusterIP with endpoints. */
function throughKubeProxy(
  { world, choose }: Following,
  node: WorldNode,
  packet: Packet,
): { readonly packet: Packet; readonly note?: string } {
  const endpoints = clusterIPOf(world, node, packet)?.endpoints ?? [];
  const { length } = endpoints;
  const endpoint = endpoints[length > 1 ? choose(length) : 0];
  if (endpoint === undefined) return { packet };
  const { address, port } = endpoint;
  const among = length > 1 ? `, one of ${length} endpoints` : '';
  return {
    packet: { ...packet, destination: address, destinationPort: port },
    note: `kube-proxy translates the destination to ${endText(address, port)}${among}`,
  };
}

function throughTunnel(
  following: Following,
  node: WorldNode,
  packet: Packet,
  { dev, via, alternatives }: { readonly dev: string; readonly via: string; readonly alternatives: number },
): Walk {
  const { world, choose, steps } = following;
  const say = (text: string) => void steps.push({ node: node.name, text });
  const lost = (why: string): Walk => {
    say(why);
    return { steps, end: { kind: 'dropped', node: node.name, why } };
  };
  const link = node.network.links.get(dev);
  const peer = [...node.network.peers.values()].find((one) => one.dev === dev && one.hops.includes(via));
  const underlay = parseAddress(peer?.underlay ?? '');
  const local = parseAddress(link?.local ?? '');
  if (link === undefined || peer === undefined || underlay === undefined || local === undefined)
    return lost(`device ${dev} has no peer for next hop ${via}`);
  const next = world.nodes.find((one) => isOwnAddress(one, underlay));
  const others = alternatives > 1 ? `, one of ${alternatives} next hops` : '';
  say(`tunnel ${dev} carries it to ${next === undefined ? addressText(underlay) : `Node ${next.name}`}${others}`);
  if (next === undefined) return { steps, end: { kind: 'sent', node: node.name, to: underlay } };
  const outer: Packet = {
    protocol: 'UDP',
    source: local,
    sourcePort: 0,
    destination: underlay,
    destinationPort: link.port,
  };
  const seen = {
    packet: outer,
    from: underlayDevice,
    isNew: true,
    isTracked: true,
    tunnel: { vni: link.vni, inner: packet },
  };
  const judged = passHook(next.network, 'prerouting', seen, choose);
  if (judged.verdict !== 'accept') {
    for (const text of judged.notes) steps.push({ node: next.name, text });
    return { steps, end: { kind: 'dropped', node: next.name, why: judged.notes.at(-1) ?? '' } };
  }
  const end = [...next.network.links.values()].find((one) => one.vni === link.vni && one.port === link.port);
  if (end === undefined || end.mac !== peer.mac) return lost(`Node ${next.name} has no end of that tunnel`);
  return follow(following, next, packet, end.name);
}

/**
 * The devices that the answer to a packet would leave by. The kernel looks them up as if the answer
 * came from the destination, so rules for packets from there apply.
 */
function devicesTo(node: WorldNode, address: Address, from: string | undefined): readonly string[] {
  const ways = waysTo(node.network, address, from);
  if (ways !== undefined) return ways.map(({ dev }) => dev);
  return [isPodOf(node, address) ? podDevice : underlayDevice];
}

function clusterIPOf({ clusterIPs = [] }: World, { clusterID }: WorldNode, packet: Packet): ClusterIPPort | undefined {
  return clusterIPs.find(
    (one) =>
      one.clusterID === clusterID &&
      one.protocol === packet.protocol &&
      one.port === packet.destinationPort &&
      sameAddress(one.address, packet.destination),
  );
}

const placeOf = (device: string) =>
  device === podDevice ? 'a Pod' : device === underlayDevice ? 'the network of the Nodes' : `tunnel ${device}`;

function isSame(a: Packet, b: Packet): boolean {
  return (
    a.protocol === b.protocol &&
    a.sourcePort === b.sourcePort &&
    a.destinationPort === b.destinationPort &&
    sameAddress(a.source, b.source) &&
    sameAddress(a.destination, b.destination)
  );
}
