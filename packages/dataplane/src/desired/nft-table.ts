import type { Address, Cidr, Family } from '@isthmus/machinery';
import { addressText, cidrText } from '@isthmus/machinery';
import type { Chain, Network, NftSet } from '../network/network.ts';
import type { ClusterNetwork, OwnNode } from './cluster-network.ts';
import { gatewayDevice, gatewayVNI, nodeDevice, nodeVNI, tunnelDevices, wireGuardDevice } from './devices.ts';
import { directQuestions, directRanges, directSources } from './direct-paths.ts';
import { identityMarks, noteIdentity } from './identities.ts';
import { addressType, digit, keyword } from './nft-words.ts';
import { families, ofFamily, ownGateways, ownNode, rangesOf, returnAddress, withoutCovered } from './own-node.ts';
import { rejectChain } from './service-rules.ts';
import { tunnelAddresses } from './tunnel-addresses.ts';
import { knownAs, knownRanges, virtualOf } from './virtual-cidrs.ts';

/**
 * The nft table without what imported Services add: which tunnel packets are accepted, which addresses are translated, and what is never tracked.
 *
 * Connections are tracked and translated on the Node of the client alone, and tracked on the Node of the server. Gateways track nothing of what passes
 * through them, so each packet of a connection may take another gateway. The exception are connections from other clusters to the ClusterIPs of exported Services: the gateway that
 * takes them in tracks them, kube-proxy translates them there, and they get an address of that gateway, so that the answers come back to it.
 */
export function filterTable(cluster: ClusterNetwork): Pick<Network, 'sets' | 'chains'> {
  const self = ownNode(cluster);
  return {
    sets: new Map([
      ...families.map((family) => addressSet(`peers${digit[family]}`, family, tunnelPeers(cluster, self, family))),
      ...families.flatMap((outer) => families.map((inner) => sources(cluster, self, outer, inner))),
      ...families.map((family) =>
        addressSet(`gateways${digit[family]}`, family, encryptedGateways(cluster, self, family)),
      ),
      ...families.flatMap((family) => [
        cidrSet(`remote${digit[family]}`, family, cluster.remotes.flatMap(rangesOf)),
        cidrSet(`own${digit[family]}`, family, cluster.podCIDRs),
        ...(cluster.settings.findsDirectPaths === true
          ? [cidrSet(`direct${digit[family]}`, family, directRanges(cluster, family))]
          : []),
        cidrSet(
          `known${digit[family]}`,
          family,
          cluster.podCIDRs.flatMap((cidr) => knownRanges(cidr, cluster.virtualCIDRs)),
        ),
        cidrSet(`passing${digit[family]}`, family, passingRanges(cluster, self)),
      ]),
    ]),
    chains: new Map([
      ...tunnelChains(cluster),
      ...arrivingChains(cluster),
      ...toNodeChains(cluster),
      ...encryptedChains(cluster, self),
      ...forwardedChains(cluster),
      ...leavingChains(cluster),
      [
        rejectChain,
        { rules: ['meta l4proto tcp counter reject with tcp reset', 'counter reject with icmpx port-unreachable'] },
      ],
      ['services-forwarded', { hook: 'type nat hook prerouting priority -105', rules: translation }],
      ['services-local', { hook: 'type nat hook output priority -105', rules: translation }],
      ['virtual-arriving', virtualArrivingChain(cluster, self)],
      ['to-node-ports', toNodePortsChain],
      ['source', sourceChain(cluster, self)],
      ...directQuestions(cluster, self).chains,
    ]),
  };
}

/** Of probes. */
const ofLink = 'fe80::/10';

/** The gateways of other clusters to which nothing may be sent that is not encrypted. */
function encryptedGateways({ remotes, settings }: ClusterNetwork, self: OwnNode, family: Family): readonly Address[] {
  if (settings.wireGuardPort === undefined || !self.isGateway) return [];
  return ofFamily(
    remotes.flatMap(({ gatewayIPs }) => gatewayIPs),
    family,
  );
}

/**
 * Where packets go that come by one tunnel and leave by another: to Pods of other Nodes and other clusters. On a Node without a Pod CIDR nobody but the CNI knows which Pods it has, so these are
 * not told by their addresses.
 */
function passingRanges({ nodes, virtualCIDRs, remotes }: ClusterNetwork, self: OwnNode): readonly Cidr[] {
  const ofNodes = nodes.flatMap(({ name, podCIDRs }) => (name === self.name ? [] : podCIDRs));
  const virtual = ofNodes.flatMap((cidr) => virtualOf(cidr, virtualCIDRs) ?? []);
  return withoutCovered([...ofNodes, ...virtual, ...remotes.flatMap(rangesOf)]);
}

/** Who may send packets of the tunnels between Nodes of this cluster. */
function tunnelPeers(cluster: ClusterNetwork, self: OwnNode, family: Family): readonly Address[] {
  const senders = self.isGateway ? cluster.nodes : ownGateways(cluster, self);
  return ofFamily(
    senders.filter(({ name }) => name !== self.name).map(({ address }) => address),
    family,
  );
}

/** Which gateway of another cluster may send packets of which sources. */
function sources({ remotes }: ClusterNetwork, { isGateway }: OwnNode, outer: Family, inner: Family): [string, NftSet] {
  const elements = !isGateway
    ? []
    : remotes.flatMap((remote) =>
        ofFamily(remote.gatewayIPs, outer).flatMap((gateway) =>
          [...ofFamily(rangesOf(remote), inner), ...ofFamily([probesFrom(gateway)], inner)].map(
            (cidr) => `${addressText(gateway)} . ${numbersOf(cidr)}`,
          ),
        ),
      );
  const name = `sources${digit[outer]}${digit[inner]}`;
  const type = `typeof ${keyword[outer]} saddr . ${innerSource[inner]}`;
  return [name, { type, isInterval: true, elements: plainSet(elements) }];
}

const probesFrom = (gateway: Address): Cidr => ({ ...tunnelAddresses(gateway).link, length: 128 });

/** Of a VXLAN packet, counted in bits from the header of UDP: its network, the type of the inner packet, and the inner source. */
const vniField = `@th,${8 * 12},24`;
const innerType = `@th,${8 * 28},16`;
const innerSource: Readonly<Record<Family, string>> = { IPv4: `@th,${8 * 42},32`, IPv6: `@th,${8 * 38},128` };
const etherType: Readonly<Record<Family, string>> = { IPv4: '0x0800', IPv6: '0x86dd' };

/** A network as a range of numbers: what nft writes for a field that it does not know. */
function numbersOf({ family, value, length }: Cidr): string {
  const free = BigInt((family === 'IPv4' ? 32 : 128) - length);
  const last = value | ((1n << free) - 1n);
  return value === last ? `0x${value.toString(16)}` : `0x${value.toString(16)}-0x${last.toString(16)}`;
}

/**
 * To a chain for packets of each kind of tunnels. Every packet of the Node is asked for its device, and a comparison with a name takes half as long as to look it up among two.
 */
function ofTunnels(device: 'iifname' | 'oifname', ofClusters: string, ofNodes = ofClusters): readonly string[] {
  return [`${device} "${gatewayDevice}" goto ${ofClusters}`, `${device} "${nodeDevice}" goto ${ofNodes}`];
}

type NamedChains = readonly (readonly [string, Chain])[];

/**
 * A Pod that may open raw sockets can send in the name of a peer, and few Nodes check sources by themselves. No route to the peer leads to the device of a Pod. Devices of other kinds are not asked, as a Node with
 * several networks may get packets by another one than it sends to. The device that has the address of the Node is not asked either: a
 * Node in a container has a veth there, and the look-up of a route costs more than all else here.
 */
function fromPod({ underlayDevice }: ClusterNetwork['settings']): string {
  const others = underlayDevice === undefined ? '' : `iifname != "${underlayDevice}" `;
  return `${others}meta iifkind { "bridge", "netkit", "openvswitch", "veth" } fib saddr . iif oif missing counter drop`;
}

/**
 * Tunnel packets from others than peers are dropped, and those of other clusters with sources that these do not have. Connections are those inside: a
 * tunnel is none, and needs no room where connections are tracked.
 */
function tunnelChains({ settings }: ClusterNetwork): NamedChains {
  const { port, wireGuardPort, carriesLabels = false } = settings;
  const through = wireGuardPort === undefined ? '' : `iifname "${wireGuardDevice}" `;
  const accepted = families.flatMap((outer) => [
    `${vniField} ${nodeVNI} ${keyword[outer]} saddr @peers${digit[outer]} goto tunnel-accepted`,
    ...families.map(
      (inner) =>
        `${through}${vniField} ${gatewayVNI} ${innerType} ${etherType[inner]} ` +
        `${keyword[outer]} saddr . ${innerSource[inner]} @sources${digit[outer]}${digit[inner]} goto tunnel-accepted`,
    ),
  ]);
  return [
    ['tunnel-packets', { rules: [fromPod(settings), ...accepted, `udp dport ${port} counter drop`] }],
    ['tunnel-accepted', { rules: ['notrack', ...(carriesLabels ? [noteIdentity] : [])] }],
    ['translated', { rules: ['counter drop'] }],
  ];
}

/**
 * A Service may lead to the port of tunnels, here or of another Node, where the packet would come in the name of this one. It had another port when the filter saw it. It is asked for where packets
 * pass a chain anyway.
 */
const ofService = ({ settings: { port } }: ClusterNetwork) => `udp dport ${port} ct status dnat goto translated`;

/** What is to be encrypted never leaves in another way, whatever becomes of the device and its routes. */
function encryptedChains({ settings: { port, wireGuardPort } }: ClusterNetwork, { isGateway }: OwnNode): NamedChains {
  if (wireGuardPort === undefined || !isGateway) return [];
  const rules = families.map(
    (family) =>
      `udp dport ${port} ${keyword[family]} daddr @gateways${digit[family]} oifname != "${wireGuardDevice}" counter drop`,
  );
  return [['encrypted', { hook: 'type filter hook postrouting priority -160', rules }]];
}

/**
 * Other clusters reach the Pods of this one, and the Services that it exports; its Nodes, and what is behind them, are not for them. What passes through this Node to another one, by a tunnel on both sides, is not
 * tracked, and probes are not: its own Pods and its return address are at the end of a connection, and an exported Service is translated here. Where Pod CIDRs do not tell which Pods are its own, the CNI carries packets to the others, and the
 * route tells: of a connection whose answers take a tunnel, half would be tracked, and the rest be taken for invalid. A mark that some program
 * of this Node gave to the packet of the tunnel would stay on what is in it.
 */
const arrivingChains = ({ settings: { port, nodeDevices = [] } }: ClusterNetwork): NamedChains => [
  [
    'arriving',
    {
      hook: 'type filter hook prerouting priority -320',
      // A packet of a tunnel that is itself in a tunnel is one for a Pod, or none: `to-node` drops those that are for this Node.
      rules: [...ofTunnels('iifname', 'from-clusters', 'from-tunnels'), `udp dport ${port} goto tunnel-packets`],
    },
  ],
  [
    'from-clusters',
    {
      rules: [
        `ip daddr != @known4 ip daddr != @exported4 counter drop`,
        `ip6 daddr ${ofLink} ip6 saddr != ${ofLink} counter drop`,
        `ip6 daddr != ${ofLink} ip6 daddr != @known6 ip6 daddr != @exported6 counter drop`,
        'goto from-tunnels',
      ],
    },
  ],
  [
    'from-tunnels',
    {
      rules: [
        'meta mark set 0',
        ...families.map((family) => `${keyword[family]} daddr @passing${digit[family]} counter notrack`),
        `ip6 daddr ${ofLink} counter notrack`,
        ...(nodeDevices.length === 0 ? [] : families).map(
          (family) =>
            `${keyword[family]} daddr != @exported${digit[family]} fib daddr oifname { ${nodeDevices.map((name) => `"${name}"`).join(', ')} } counter notrack`,
        ),
      ],
    },
  ],
];

/**
 * A Node may have addresses among those of its Pods, as that of a bridge, and every program of it listens there. From other clusters come answers to what it asked, and connections to exported Services whose
 * endpoints are in its network. From the link addresses of tunnels come probes, answers to them, and errors about packets of Pods.
 */
function toNodeChains(cluster: ClusterNetwork): NamedChains {
  const { port } = cluster.settings;
  return [
    [
      'received',
      {
        hook: 'type filter hook input priority -148',
        rules: [ofService(cluster), ...ofTunnels('iifname', 'to-node')],
      },
    ],
    [
      'to-node',
      {
        rules: [
          // They are in a tunnel themselves, and the filter of tunnel packets has not seen them.
          `udp dport ${port} counter drop`,
          `ip6 saddr ${ofLink} goto probes`,
          'ct state { established, related } accept',
          ...families.map((family) => `ct original ${keyword[family]} daddr @exported${digit[family]} accept`),
          'counter drop',
        ],
      },
    ],
    [
      'probes',
      {
        rules: [
          `tcp dport ${port} accept`,
          `tcp sport ${port} tcp flags & rst == rst accept`,
          `icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem } accept`,
          'counter drop',
        ],
      },
    ],
  ];
}

/**
 * No cluster is a way between two others, and a packet that comes from a tunnel of Nodes is not sent back into one. What kube-proxy has not translated, because the Service has no such port or no
 * endpoint, would leave by the default route: the client gets an error instead.
 */
const forwardedChains = (cluster: ClusterNetwork): NamedChains => [
  [
    'forwarded',
    {
      hook: 'type filter hook forward priority -150',
      rules: [ofService(cluster), ...ofTunnels('iifname', 'forwarded-in', 'forwarded-out')],
    },
  ],
  [
    'forwarded-in',
    {
      rules: [
        `oifname "${gatewayDevice}" counter drop`,
        ...families.map((family) => `${keyword[family]} daddr @exported${digit[family]} goto ${rejectChain}`),
      ],
    },
  ],
  ['forwarded-out', { rules: [`oifname "${nodeDevice}" counter drop`] }],
];

/**
 * What goes into tunnels, behind everything that reads marks and translates addresses: segments fit from the first one on, and the mark is the number of the client's labels. A
 * packet of a tunnel has neither a mark nor a connection, and a probe leaves nothing behind: answers to it are not tracked either.
 */
function leavingChains({ settings: { port, carriesLabels = false } }: ClusterNetwork): NamedChains {
  return [
    ['leaving', { hook: 'type filter hook postrouting priority 300', rules: ofTunnels('oifname', 'into-tunnels') }],
    [
      'into-tunnels',
      {
        rules: [
          'meta mark set 0',
          ...(carriesLabels ? identityMarks : []),
          'tcp flags & (syn | rst) == syn tcp option maxseg size set rt mtu',
        ],
      },
    ],
    [
      'sent',
      {
        hook: 'type filter hook output priority -400',
        rules: [`udp dport ${port} meta mark set 0 notrack`, `ip6 daddr ${ofLink} oifname ${tunnelDevices} notrack`],
      },
    ],
  ];
}

/** New connections to Services. Those to Services without endpoints end here; those that have begun were translated when there were some. */
const translation = (['refused', 'services'] as const).flatMap((map) =>
  families.map((family) => `${keyword[family]} daddr . meta l4proto . th dport vmap @${map}${digit[family]}`),
);

/** What other clusters send to Pods of this Node under virtual addresses. The Node of the Pod translates it, and sees the answers as well. */
function virtualArrivingChain({ virtualCIDRs }: ClusterNetwork, self: OwnNode): Chain {
  const rules = self.podCIDRs.flatMap((cidr) => {
    const virtual = virtualOf(cidr, virtualCIDRs);
    const ip = keyword[cidr.family];
    return virtual === undefined
      ? []
      : [`iifname ${tunnelDevices} ${ip} daddr ${cidrText(virtual)} counter dnat ${ip} prefix to ${cidrText(cidr)}`];
  });
  return { hook: 'type nat hook prerouting priority -104', rules };
}

/**
 * A Node may have addresses among those of its Pods, as that of a bridge, and kube-proxy takes new connections to them for ones to a NodePort: it would lead them to any Service, wherever that is, before `to-node` sees
 * them.
 */
const toNodePortsChain: Chain = {
  hook: 'type nat hook prerouting priority -102',
  rules: families.map(
    (family) =>
      `iifname ${tunnelDevices} ${keyword[family]} daddr != @exported${digit[family]} fib daddr type local counter drop`,
  ),
};

/**
 * Sources of this cluster's Pods stay as they are, whatever the CNI would make of them; others get an address by which the other cluster finds this Node. A Pod that
 * is its own endpoint sees the Node as the client: it would answer itself past the translation. Where the cluster has virtual ranges, other clusters see addresses of these.
 *
 * Clients of other clusters that kube-proxy has led from an exported Service to an endpoint get an address of this Node, by which the answer finds the translation: where it leads into a tunnel the
 * return address, because it comes back through the tunnel, as a strict reverse path filter asks for; elsewhere that of the device.
 */
function sourceChain(cluster: ClusterNetwork, self: OwnNode): Chain {
  const { virtualCIDRs = [] } = cluster;
  const rules = families.flatMap((family) => {
    const [ip, n, back] = [keyword[family], digit[family], returnAddress(self, family)];
    const toExported = `ct original ${ip} saddr @remote${n} ct original ${ip} daddr @exported${n}`;
    const leaves = `oifname ${tunnelDevices} ${ip} daddr @remote${n}`;
    return [
      ...directSources(cluster, self, family),
      ...virtualCIDRs
        .filter(({ own }) => own.family === family)
        .map(({ own, virtual }) => `${leaves} ${ip} saddr ${cidrText(own)} snat ${ip} prefix to ${cidrText(virtual)}`),
      `${leaves} ${ip} saddr @own${n} snat ${ip} to ${ip} saddr`,
      ...(back === undefined ? [] : [`${leaves} counter snat ${ip} to ${knownAs(back, virtualCIDRs)}`]),
      `${ip} saddr . ${ip} daddr @hairpin${n} masquerade`,
      ...(back === undefined
        ? []
        : [`${toExported} oifname "${nodeDevice}" counter snat ${ip} to ${addressText(back)}`]),
      `${toExported} counter masquerade`,
    ];
  });
  return { hook: 'type nat hook postrouting priority 90', rules };
}

/** The sets of the ClusterIPs that other clusters reach, which gateways alone need. */
export function exportedSets(cluster: ClusterNetwork): Network['sets'] {
  const { isGateway } = ownNode(cluster);
  const exported = isGateway ? (cluster.exported ?? []) : [];
  return new Map(families.map((family) => addressSet(`exported${digit[family]}`, family, ofFamily(exported, family))));
}

function addressSet(name: string, family: Family, addresses: readonly Address[]): [string, NftSet] {
  return [
    name,
    { type: `type ${addressType[family]}`, isInterval: false, elements: plainSet(addresses.map(addressText)) },
  ];
}

function cidrSet(name: string, family: Family, cidrs: readonly Cidr[]): [string, NftSet] {
  const elements = plainSet(ofFamily(cidrs, family).map(cidrText));
  return [name, { type: `type ${addressType[family]}`, isInterval: true, elements }];
}

const plainSet = (elements: readonly string[]): ReadonlyMap<string, string> =>
  new Map(elements.map((element) => [element, '']));
