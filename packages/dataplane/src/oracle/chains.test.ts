import type { Family } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClusterNetwork, ImportedService } from '../desired/cluster-network.ts';
import { desiredNetwork } from '../desired/desired-network.ts';
import { directKey } from '../desired/direct-paths.ts';
import type { Hook } from '../network/chains.ts';
import { ruleText } from '../network/render-rule.ts';
import { address, cidr } from '../testing/addresses.ts';
import { clusterNetworks } from '../testing/random-cluster.ts';
import { ruleForm } from '../testing/rule-forms.ts';
import type { Judged } from './chains.ts';
import { passHook } from './chains.ts';
import type { Packet } from './packet.ts';
import { endText } from './packet.ts';
import type { Facts } from './seen.ts';

const families = ['IPv4', 'IPv6'] as const;

/** The addresses of the cases, in both families. */
const ends = {
  ownPod: ['10.1.1.5', 'fd00:1:0:1::5'],
  ownNode: ['172.30.1.1', 'fd00:172:1::1'],
  returnAddress: ['10.1.1.0', 'fd00:1:0:1::'],
  virtualPod: ['100.64.1.5', 'fd00:64:0:1::5'],
  virtualReturn: ['100.64.1.0', 'fd00:64:0:1::'],
  firstOfCluster: ['10.1.0.0', 'fd00:1::'],
  otherPod: ['10.1.2.5', 'fd00:1:0:2::5'],
  otherNode: ['172.30.1.2', 'fd00:172:1::2'],
  exported: ['10.96.0.10', 'fd00:96::10'],
  remotePod: ['10.2.1.5', 'fd00:2:0:1::5'],
  remoteGateway: ['172.30.2.1', 'fd00:172:2::1'],
  directPod: ['10.3.1.5', 'fd00:3:0:1::5'],
  link: ['192.0.2.9', 'fe80::1'],
  elsewhere: ['192.0.2.1', '2001:db8::1'],
  cart: ['10.99.0.1', 'fd00:99::1'],
  sticky: ['10.99.0.2', 'fd00:99::2'],
  empty: ['10.99.0.3', 'fd00:99::3'],
  local: ['10.99.0.4', 'fd00:99::4'],
  denied: ['10.99.0.5', 'fd00:99::5'],
  silenced: ['10.99.0.6', 'fd00:99::6'],
} as const;
type End = keyof typeof ends;
const at = (end: End, family: Family) => address(ends[end][family === 'IPv4' ? 0 : 1]);
const both = (end: End) => families.map((family) => at(end, family));

const service = (name: End, options: Partial<ImportedService> = {}) =>
  families.flatMap((family) =>
    (['TCP', 'UDP'] as const).map((protocol): ImportedService => ({
      namespace: 'shop',
      name,
      protocol,
      address: at(name, family),
      port: 80,
      endpoints: (['remotePod', 'ownPod'] as const).map((end) => ({
        clusterID: end === 'remotePod' ? 'west' : '',
        address: at(end, family),
        port: 8080,
      })),
      ...options,
    })),
  );
const all: ClusterNetwork = {
  node: 'node-1',
  nodes: [1, 2].map((host) => ({
    name: `node-${host}`,
    address: address(`172.30.1.${host}`),
    podCIDRs: [cidr(`10.1.${host}.0/24`), cidr(`fd00:1:0:${host}::/64`)],
    isGateway: host === 1,
  })),
  podCIDRs: [cidr('10.1.0.0/16'), cidr('fd00:1::/48')],
  remotes: [
    {
      clusterID: 'west',
      podCIDRs: [cidr('10.2.0.0/16'), cidr('fd00:2::/48')],
      gatewayIPs: both('remoteGateway'),
    },
    { clusterID: 'south', podCIDRs: [cidr('10.3.0.0/16'), cidr('fd00:3::/48')], gatewayIPs: [] },
  ],
  services: [
    ...service('cart'),
    ...service('sticky', { affinitySeconds: 60 }),
    ...service('empty', { endpoints: [] }),
    ...service('local', { isNodeLocal: true }),
    ...service('denied'),
    ...service('silenced'),
  ],
  exported: both('exported'),
  identities: both('ownPod').map((pod) => ({ address: pod, id: 7 })),
  egress: [
    { name: 'node', addresses: 'node', denied: { 'shop/denied': 'reject', 'shop/silenced': 'drop' } },
    { name: 'a', addresses: both('ownPod'), denied: { 'shop/denied': 'reject', 'shop/silenced': 'drop' } },
  ],
  settings: { port: 8479, underlayMTU: 1500, underlayDevice: 'eth0', carriesLabels: true },
};
const changed = (more: Partial<ClusterNetwork>, settings: Partial<ClusterNetwork['settings']> = {}) => ({
  ...all,
  ...more,
  settings: { ...all.settings, ...settings },
});
/** The tunnel of Nodes may have another family than the packets inside. */
const clusters = {
  all,
  IPv6: changed({ nodes: all.nodes.map((one, index) => ({ ...one, address: address(`fd00:172:1::${index + 1}`) })) }),
  encrypted: changed({}, { wireGuardPort: 51_821 }),
  virtual: changed({
    virtualCIDRs: [
      { own: cidr('10.1.0.0/16'), virtual: cidr('100.64.0.0/16') },
      { own: cidr('fd00:1::/48'), virtual: cidr('fd00:64::/48') },
    ],
  }),
  direct: changed(
    { direct: new Set(families.map((family) => directKey({ clusterID: 'south' }, family))) },
    { findsDirectPaths: true },
  ),
  /** Its CNI carries packets of Pods between Nodes, and only the CNI knows the Node of each Pod. */
  carried: changed({ nodes: all.nodes.map((one) => ({ ...one, podCIDRs: [] })) }, { nodeDevices: ['eth0'] }),
  /** Each Service has one endpoint. */
  single: changed({ services: all.services.map((one) => ({ ...one, endpoints: one.endpoints.slice(0, 1) })) }),
  unaware: changed({}, { underlayDevice: undefined }),
};

interface Case {
  readonly hook: Hook;
  readonly ends: readonly [from: End, to: End];
  readonly protocol?: Packet['protocol'];
  readonly sport?: number;
  readonly dport?: number;
  readonly in?: string;
  readonly out?: string;
  /** Whether the connection has begun. Default: false. */
  readonly isKnown?: boolean;
  readonly isUntracked?: boolean;
  /** Whether it belongs to no connection that the kernel knows. Default: false. */
  readonly isInvalid?: boolean;
  /** The ends of the packet that began the connection. */
  readonly began?: readonly [from: End, to: End];
  /** The packet inside a tunnel packet. */
  readonly inner?: { readonly vni: number; readonly source: End };
  readonly facts?: Facts;
  readonly cluster?: keyof typeof clusters;
  readonly only?: Family;
}
const [node, gw] = ['isthmus-node', 'isthmus-gw'];
const prerouting = { hook: 'prerouting' } as const;
const postrouting = { hook: 'postrouting' } as const;
const tunnel = { protocol: 'UDP', dport: 8479 } as const;
const ofPeer = {
  ...prerouting,
  ...tunnel,
  ends: ['otherNode', 'ownNode'],
  inner: { vni: 7001, source: 'otherPod' },
} as const;
const ofGateway = {
  ...prerouting,
  ...tunnel,
  ends: ['remoteGateway', 'ownNode'],
  inner: { vni: 7002, source: 'remotePod' },
} as const;
const question = { protocol: 'UDP', sport: 8484, dport: 8484, cluster: 'direct' } as const;
const probe = { hook: 'input', ends: ['link', 'ownNode'], in: gw, only: 'IPv6', isUntracked: true } as const;
const error = {
  protocol: 'UDP',
  facts: { 'icmp type': 'destination-unreachable', 'icmpv6 type': 'destination-unreachable' },
} as const;
const forged = { 'meta iifkind': 'veth', 'fib saddr . iif oif': 'missing' } as const;
const ofExported = { began: ['remotePod', 'exported'] } as const;

/** A packet, its outcome, and the chains whose rules match it. */
const cases: readonly (readonly [what: string, packet: Case, outcome: string])[] = [
  [
    'of a tunnel is neither tracked nor marked',
    { hook: 'output', ...tunnel, ends: ['ownNode', 'remoteGateway'], out: 'eth0' },
    'untracked: sent, new-local',
  ],
  [
    'of a probe is not tracked',
    { hook: 'output', ends: ['link', 'link'], out: gw, only: 'IPv6' },
    'untracked: sent, new-local',
  ],

  [
    'of the tunnel of a peer is accepted',
    { ...ofPeer, in: 'eth0', only: 'IPv4' },
    'untracked: arriving, tunnel-packets, tunnel-accepted, new-forwarded',
  ],
  [
    'of the tunnel of a peer with an IPv6 address is accepted',
    { ...ofPeer, in: 'eth0', only: 'IPv6', cluster: 'IPv6' },
    'untracked: arriving, tunnel-packets, tunnel-accepted, new-forwarded',
  ],
  [
    'of the tunnel of another sender is dropped',
    { ...ofPeer, ends: ['elsewhere', 'ownNode'], in: 'eth0' },
    'drop: arriving, tunnel-packets',
  ],
  [
    'in the name of a peer that comes from a Pod is dropped',
    { ...ofPeer, in: 'veth1', facts: forged, only: 'IPv4' },
    'drop: arriving, tunnel-packets',
  ],
  [
    'in the name of a peer that comes from a Pod is dropped if the device of the Node is not known',
    { ...ofPeer, in: 'veth1', facts: forged, only: 'IPv4', cluster: 'unaware' },
    'drop: arriving, tunnel-packets',
  ],
  [
    'of a peer is accepted from the device of the Node, whatever kind that is',
    { ...ofPeer, in: 'eth0', facts: forged, only: 'IPv4' },
    'untracked: arriving, tunnel-packets, tunnel-accepted, new-forwarded',
  ],
  [
    'of the tunnel of a gateway is accepted with a source of its cluster',
    { ...ofGateway, in: 'eth0' },
    'untracked: arriving, tunnel-packets, tunnel-accepted, new-forwarded',
  ],
  [
    'of the tunnel of a gateway is dropped with another source',
    { ...ofGateway, inner: { vni: 7002, source: 'ownPod' }, in: 'eth0' },
    'drop: arriving, tunnel-packets',
  ],
  [
    'of the tunnel of a gateway is accepted after decryption',
    { ...ofGateway, in: 'isthmus-wg', cluster: 'encrypted' },
    'untracked: arriving, tunnel-packets, tunnel-accepted, new-forwarded',
  ],
  [
    'of the tunnel of a gateway is dropped without encryption',
    { ...ofGateway, in: 'eth0', cluster: 'encrypted' },
    'drop: arriving, tunnel-packets',
  ],
  [
    'of a tunnel that a Service led to its port is dropped on this Node',
    { ...tunnel, hook: 'input', ends: ['elsewhere', 'ownNode'], facts: { 'ct status': 'dnat' } },
    'drop: received, translated',
  ],
  [
    'of a tunnel that a Service led to the port of another Node is dropped',
    { ...tunnel, hook: 'forward', ends: ['ownPod', 'otherNode'], facts: { 'ct status': 'dnat' } },
    'drop: forwarded, translated',
  ],
  [
    'of a tunnel to a gateway of another cluster is dropped unless it is encrypted',
    { ...postrouting, ...tunnel, ends: ['ownNode', 'remoteGateway'], out: 'eth0', cluster: 'encrypted' },
    'drop: encrypted',
  ],
  [
    'of a tunnel to a gateway of another cluster leaves by the device that encrypts',
    { ...postrouting, ...tunnel, ends: ['ownNode', 'remoteGateway'], out: 'isthmus-wg', cluster: 'encrypted' },
    'accept: ',
  ],

  [
    'of another cluster to a Pod of this Node is tracked',
    { ...prerouting, ends: ['remotePod', 'ownPod'], in: gw },
    'accept: arriving, from-clusters, from-tunnels',
  ],
  [
    'of another cluster to a Pod of another Node is not tracked',
    { ...prerouting, ends: ['remotePod', 'otherPod'], in: gw },
    'untracked: arriving, from-clusters, from-tunnels, new-forwarded',
  ],
  [
    'of a Pod of another Node to another cluster is not tracked',
    { ...prerouting, ends: ['otherPod', 'remotePod'], in: node },
    'untracked: arriving, from-tunnels, new-forwarded',
  ],
  [
    'of another cluster that the CNI carries to another Node is not tracked',
    {
      ...prerouting,
      ends: ['remotePod', 'otherPod'],
      in: gw,
      facts: { 'fib daddr oifname': 'eth0' },
      cluster: 'carried',
    },
    'untracked: arriving, from-clusters, from-tunnels, new-forwarded',
  ],
  [
    'of another cluster to something else than Pods and exported Services is dropped',
    { ...prerouting, ends: ['remotePod', 'elsewhere'], in: gw },
    'drop: arriving, from-clusters',
  ],
  [
    'of another cluster to the link of a tunnel is dropped',
    { ...prerouting, ends: ['remotePod', 'link'], in: gw, only: 'IPv6' },
    'drop: arriving, from-clusters',
  ],
  [
    'of a probe that arrives is not tracked',
    { ...prerouting, ends: ['link', 'link'], in: gw, only: 'IPv6' },
    'untracked: arriving, from-clusters, from-tunnels, new-forwarded',
  ],
  [
    'of another cluster to an address of the Node is dropped before kube-proxy sees it',
    { ...prerouting, ends: ['remotePod', 'ownPod'], in: gw, facts: { 'fib daddr type': 'local' } },
    'drop: arriving, from-clusters, from-tunnels, to-node-ports',
  ],
  [
    'to a virtual address is translated to the Pod that has it',
    { ...prerouting, ends: ['remotePod', 'virtualPod'], in: gw, cluster: 'virtual' },
    'accept to ownPod:80: arriving, from-clusters, from-tunnels, virtual-arriving',
  ],

  [
    'of a tunnel inside a tunnel is dropped',
    { ...tunnel, hook: 'input', ends: ['remotePod', 'ownNode'], in: gw },
    'drop: received, to-node',
  ],
  [
    'that answers a connection of the Node is accepted',
    { hook: 'input', ends: ['remotePod', 'ownNode'], in: node, isKnown: true },
    'accept: received, to-node',
  ],
  [
    'that kube-proxy led from an exported Service to the Node is accepted',
    { hook: 'input', ends: ['remotePod', 'ownNode'], in: gw, ...ofExported },
    'accept: received, to-node',
  ],
  [
    'of another cluster that is not tracked is not taken for an answer',
    { hook: 'input', ends: ['remotePod', 'ownNode'], in: gw, isUntracked: true },
    'drop: received, to-node',
  ],
  [
    'of another cluster that belongs to no known connection is not taken for an answer',
    { hook: 'input', ends: ['remotePod', 'ownNode'], in: gw, isInvalid: true },
    'drop: received, to-node',
  ],
  [
    'of another cluster to a Pod is forwarded, although this Node has seen half of its connection',
    { hook: 'forward', ends: ['remotePod', 'ownPod'], in: gw, out: 'veth1', isInvalid: true },
    'accept: forwarded',
  ],
  [
    'of another cluster that begins a connection to the Node is dropped',
    { hook: 'input', ends: ['remotePod', 'ownNode'], in: gw },
    'drop: received, to-node',
  ],
  ['of a probe is accepted', { ...probe, dport: 8479 }, 'untracked: received, to-node, probes'],
  [
    'of a probe of the size of packets is accepted',
    { ...probe, protocol: 'UDP', dport: 9 },
    'untracked: received, to-node, probes',
  ],
  [
    'that answers a probe is accepted',
    { ...probe, sport: 8479, facts: { flags: ['rst'] } },
    'untracked: received, to-node, probes',
  ],
  [
    'with an error about a packet of a Pod is accepted',
    { ...probe, protocol: 'UDP', facts: { 'icmpv6 type': 'packet-too-big' } },
    'untracked: received, to-node, probes',
  ],
  ['of a link for anything else is dropped', { ...probe, dport: 22 }, 'drop: received, to-node, probes'],

  [
    'of another cluster is not forwarded to a third one',
    { hook: 'forward', ends: ['remotePod', 'directPod'], in: gw, out: gw },
    'drop: forwarded, forwarded-in',
  ],
  [
    'of a Node is not sent back into the tunnel of Nodes',
    { hook: 'forward', ends: ['otherPod', 'remotePod'], in: node, out: node },
    'drop: forwarded, forwarded-out',
  ],
  [
    'to an exported Service without endpoints is rejected',
    { hook: 'forward', ends: ['remotePod', 'exported'], in: gw, out: 'eth0' },
    'reject: forwarded, forwarded-in, without-endpoints',
  ],
  [
    'of UDP to an exported Service without endpoints is rejected',
    { hook: 'forward', protocol: 'UDP', ends: ['remotePod', 'exported'], in: gw, out: 'eth0' },
    'reject: forwarded, forwarded-in, without-endpoints',
  ],

  [
    'of a Pod to a Service is translated to an endpoint',
    { ...prerouting, ends: ['otherPod', 'cart'], in: 'veth1' },
    'accept to ownPod:8080: services-forwarded, import',
  ],
  [
    'of UDP to a Service is translated to an endpoint',
    { ...prerouting, protocol: 'UDP', ends: ['otherPod', 'cart'], in: 'veth1' },
    'accept to ownPod:8080: services-forwarded, import',
  ],
  [
    'of UDP to a Service with one endpoint is translated to it',
    { ...prerouting, protocol: 'UDP', ends: ['otherPod', 'cart'], in: 'veth1', cluster: 'single' },
    'accept to remotePod:8080: services-forwarded, import',
  ],
  [
    'of the Node to a Service is translated to an endpoint',
    { hook: 'output', ends: ['ownNode', 'cart'] },
    'accept to ownPod:8080: services-local, import',
  ],
  [
    'of a client without an endpoint to a Service that keeps endpoints gets one',
    { ...prerouting, ends: ['otherPod', 'sticky'], in: 'veth1' },
    'accept to ownPod:8080: services-forwarded, import, endpoint',
  ],
  [
    'of UDP of a client without an endpoint to a Service that keeps endpoints gets one',
    { ...prerouting, protocol: 'UDP', ends: ['otherPod', 'sticky'], in: 'veth1' },
    'accept to ownPod:8080: services-forwarded, import, endpoint',
  ],
  [
    'of a client with an endpoint to a Service that keeps endpoints gets that one',
    { ...prerouting, ends: ['directPod', 'sticky'], in: 'veth1' },
    'accept to remotePod:8080: services-forwarded, import, endpoint',
  ],
  [
    'to a Service without endpoints is rejected',
    { ...prerouting, ends: ['otherPod', 'empty'], in: 'veth1' },
    'reject: services-forwarded, without-endpoints',
  ],
  [
    'of the Node to a Service without endpoints is rejected',
    { hook: 'output', ends: ['ownNode', 'empty'] },
    'reject: services-local, without-endpoints',
  ],
  [
    'to a Service without endpoints on this Node is dropped, if only these count',
    { ...prerouting, ends: ['otherPod', 'local'], in: 'veth1' },
    'drop: services-forwarded',
  ],

  [
    'of a Pod to a Service that a policy denies is rejected',
    { ...prerouting, ends: ['ownPod', 'denied'], in: 'veth1' },
    'reject: new-forwarded, egress, egress-rejected',
  ],
  [
    'of UDP of a Pod to a Service that a policy denies is rejected',
    { ...prerouting, protocol: 'UDP', ends: ['ownPod', 'denied'], in: 'veth1' },
    'reject: new-forwarded, egress, egress-rejected',
  ],
  [
    'of a Pod to a Service that a policy drops is dropped',
    { ...prerouting, ends: ['ownPod', 'silenced'], in: 'veth1' },
    'drop: new-forwarded, egress, egress-dropped',
  ],
  [
    'of a Pod to a Service that no policy denies is translated',
    { ...prerouting, ends: ['ownPod', 'cart'], in: 'veth1' },
    'accept to ownPod:8080: new-forwarded, services-forwarded, import',
  ],
  [
    'of a connection that has begun is not judged by policies',
    { ...prerouting, ends: ['ownPod', 'denied'], in: 'veth1', isKnown: true },
    'accept: new-forwarded',
  ],
  [
    'of the Node to a Service that a policy denies is rejected',
    { hook: 'output', ends: ['ownNode', 'denied'] },
    'reject: new-local, egress-rejected',
  ],
  [
    'of the Node to a Service that a policy drops is dropped',
    { hook: 'output', ends: ['ownNode', 'silenced'] },
    'drop: new-local, egress-dropped',
  ],
  [
    'of a connection of the Node that has begun is not judged by policies',
    { hook: 'output', ends: ['ownNode', 'denied'], isKnown: true },
    'accept: new-local',
  ],

  [
    'of a Pod to another cluster keeps its source',
    { ...postrouting, ends: ['ownPod', 'remotePod'], out: gw },
    'accept: source, leaving, into-tunnels',
  ],
  [
    'of a Pod to another cluster has the virtual address of the Pod',
    { ...postrouting, ends: ['ownPod', 'remotePod'], out: gw, cluster: 'virtual' },
    'accept from virtualPod: source, leaving, into-tunnels',
  ],
  [
    'of the Node to another cluster has the return address',
    { ...postrouting, ends: ['ownNode', 'remotePod'], out: node },
    'accept from returnAddress: source, leaving, into-tunnels',
  ],
  [
    'with an error of the Node about a packet of another cluster has the return address',
    { ...postrouting, ...error, ends: ['ownNode', 'remotePod'], out: node, isKnown: true },
    'accept from returnAddress: leaving, into-tunnels',
  ],
  [
    'with an error of a gateway, which does not track what it is about, has the return address',
    { ...postrouting, ...error, ends: ['ownNode', 'remotePod'], out: gw, isUntracked: true },
    'untracked from returnAddress: leaving, into-tunnels',
  ],
  [
    'with an error of the Node has the virtual address that the other cluster knows',
    { ...postrouting, ...error, ends: ['ownNode', 'remotePod'], out: node, isKnown: true, cluster: 'virtual' },
    'accept from virtualReturn: leaving, into-tunnels',
  ],
  [
    'with an error of a Node without a Pod CIDR has the first address of those of its cluster',
    { ...postrouting, ...error, ends: ['ownNode', 'remotePod'], out: node, isKnown: true, cluster: 'carried' },
    'accept from firstOfCluster: leaving, into-tunnels',
  ],
  [
    'with an error of a Pod keeps its source',
    { ...postrouting, ...error, ends: ['ownPod', 'remotePod'], in: 'veth1', out: node, isKnown: true },
    'accept: leaving, into-tunnels',
  ],
  [
    'with an error of another cluster keeps its source between the Nodes of this one',
    { ...postrouting, ...error, ends: ['remotePod', 'otherPod'], in: gw, out: node, isUntracked: true },
    'untracked: leaving, into-tunnels',
  ],
  [
    'with an error about a probe keeps its source',
    { ...postrouting, ...error, ends: ['link', 'link'], out: gw, isUntracked: true, only: 'IPv6' },
    'untracked: leaving, into-tunnels',
  ],
  [
    'from one tunnel into another keeps its number of labels',
    { ...postrouting, ends: ['otherPod', 'remotePod'], in: node, out: gw },
    'accept: source, leaving, into-tunnels',
  ],
  [
    'of a Pod to itself through a Service has the address of the Node',
    { ...postrouting, ends: ['ownPod', 'ownPod'], in: 'veth1', out: 'veth1' },
    'accept from ownNode: source',
  ],
  [
    'from an exported Service to an endpoint on another Node has the return address',
    { ...postrouting, ends: ['remotePod', 'otherPod'], in: gw, out: node, ...ofExported },
    'accept from returnAddress: source, leaving, into-tunnels',
  ],
  [
    'from an exported Service to an endpoint elsewhere has the address of the Node',
    { ...postrouting, ends: ['remotePod', 'elsewhere'], in: gw, out: 'eth0', ...ofExported },
    'accept from ownNode: source',
  ],

  [
    'that asks for a direct path has the return address',
    { ...question, ...postrouting, ends: ['ownNode', 'remotePod'], out: 'eth0' },
    'accept from returnAddress: source',
  ],
  [
    'of a Pod on a direct path keeps its source',
    { ...postrouting, ends: ['ownPod', 'directPod'], out: 'eth0', cluster: 'direct' },
    'accept: source',
  ],
  [
    'of the Node on a direct path has the return address',
    { ...postrouting, ends: ['ownNode', 'directPod'], out: 'eth0', cluster: 'direct' },
    'accept from returnAddress: source',
  ],
  [
    'that asks this Node for a direct path is led to its agent',
    { ...question, ...prerouting, ends: ['directPod', 'returnAddress'], in: 'eth0' },
    'accept to ownNode:8484: direct-arriving',
  ],
  [
    'that asks this Node for a direct path is accepted',
    { ...question, hook: 'input', ends: ['directPod', 'ownNode'], in: 'eth0', facts: { 'ct status': 'dnat' } },
    'accept: direct-received',
  ],
  [
    'that answers a question of this Node is accepted',
    { ...question, hook: 'input', ends: ['directPod', 'ownNode'], in: 'eth0', facts: { 'ct direction': 'reply' } },
    'accept: direct-received',
  ],
  [
    'that asks under another address of this Node is dropped',
    { ...question, hook: 'input', ends: ['directPod', 'ownNode'], in: 'eth0' },
    'drop: direct-received',
  ],
];

const networks = new Map(
  Object.entries(clusters).map(([name, cluster]) => {
    const network = desiredNetwork(cluster);
    // The kernel has given the endpoint in the other cluster to one client.
    const sets = new Map(
      [...network.sets].map(([set, content]) =>
        content.isDynamic === true &&
        both('remotePod').some((one) => set.includes(`/${addressText(one).replaceAll(':', '.')}/`))
          ? [set, { ...content, elements: new Map(both('directPod').map((one) => [addressText(one), ''] as const)) }]
          : [set, content],
      ),
    );
    return [name, { ...network, sets }];
  }),
);

/** The case in each of its families; for packets of tunnels, in all pairs of families. */
function judge(one: Case): readonly { readonly asked: Packet; readonly family: Family; readonly judged: Judged }[] {
  const network = networks.get(one.cluster ?? 'all') ?? expect.fail('there is no such cluster');
  return families
    .filter((family) => one.only === undefined || one.only === family)
    .flatMap((family) =>
      families.flatMap((innerFamily) => {
        if (one.inner === undefined && innerFamily !== family) return [];
        const packetOf = ([source, destination]: readonly [End, End], of: Family): Packet => ({
          protocol: one.protocol ?? 'TCP',
          source: at(source, of),
          sourcePort: one.sport ?? 40_000,
          destination: at(destination, of),
          destinationPort: one.dport ?? 80,
        });
        const asked = packetOf(one.ends, family);
        const seen = {
          packet: asked,
          from: one.in,
          to: one.out,
          isNew: one.isKnown !== true,
          isInvalid: one.isInvalid,
          original: one.began && packetOf(one.began, family),
          tunnel: one.inner && { vni: one.inner.vni, inner: packetOf([one.inner.source, 'ownPod'], innerFamily) },
          facts: one.facts,
        };
        const ownAddress = at('ownNode', family);
        return [
          {
            asked,
            family,
            judged: passHook(network, one.hook, { ...seen, isTracked: one.isUntracked !== true, ownAddress }, () => 0),
          },
        ];
      }),
    );
}

function outcome({ asked, family, judged }: ReturnType<typeof judge>[number]): string {
  const { packet, verdict, isTracked, matched } = judged;
  const nameOf = (one: Packet['source']) =>
    Object.keys(ends).find((end) => addressText(at(end as End, family)) === addressText(one)) ?? addressText(one);
  const source = addressText(packet.source) === addressText(asked.source) ? '' : ` from ${nameOf(packet.source)}`;
  const isSame =
    endText(packet.destination, packet.destinationPort) === endText(asked.destination, asked.destinationPort);
  const destination = isSame ? '' : ` to ${nameOf(packet.destination)}:${packet.destinationPort}`;
  const chains = [...new Set(matched.map(({ chain }) => chain.split('/')[0]))];
  return `${verdict === 'accept' && !isTracked ? 'untracked' : verdict}${source}${destination}: ${chains.join(', ')}`;
}

describe('a packet', () => {
  test.each(cases)('%s', (_, one, expected) => {
    expect(new Set(judge(one).map(outcome))).toEqual(new Set([expected]));
  });
});

test('every rule that any Node can get is decided in one of these cases', () => {
  const decided = new Set(
    cases.flatMap(([, one]) =>
      judge(one).flatMap(({ judged }) => judged.matched.map(({ chain, rule }) => ruleForm(chain, rule))),
    ),
  );
  const undecided = new Map<string, string>();
  for (const cluster of fc.sample(clusterNetworks(), { seed: 20_261_129, numRuns: 300 }))
    for (const [chain, rules] of desiredNetwork(cluster).chains)
      for (const rule of rules)
        if (!decided.has(ruleForm(chain, rule))) undecided.set(ruleForm(chain, rule), `${chain}: ${ruleText(rule)}`);
  expect([...undecided.values()]).toEqual([]);
});
