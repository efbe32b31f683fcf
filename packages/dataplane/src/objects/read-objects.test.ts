import type { ClusterInfoImport, ClusterSet, EndpointSlice, Node, Service, ServiceExport } from '@isthmus/api';
import { addressText, cidrText } from '@isthmus/machinery';
import { describe, expect, test } from 'vitest';
import type { AgentObjects } from './read-objects.ts';
import { cidr } from '../testing/addresses.ts';
import { createObjectReader } from './read-objects.ts';
import { sliceKey } from './service-keys.ts';

const node = (
  name: string,
  options: {
    readonly addresses?: readonly string[];
    readonly podCIDRs?: readonly string[];
    readonly gateway?: string;
    readonly ready?: 'True' | 'False';
    readonly annotations?: Readonly<Record<string, string>>;
    readonly created?: string;
  } = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    ...(options.created !== undefined && { creationTimestamp: options.created }),
    annotations: {
      ...(options.gateway !== undefined && { 'multicluster.antrea.io/gateway': options.gateway }),
      ...options.annotations,
    },
  },
  spec: { podCIDRs: options.podCIDRs ?? ['10.10.1.0/24'] },
  status: {
    addresses: (options.addresses ?? [`172.30.1.1${name.at(-1)}`]).map((address) => ({ type: 'InternalIP', address })),
    conditions: [{ type: 'Ready', status: options.ready ?? 'True' }],
  },
});

const remote = (
  clusterID: string,
  podCIDRs: readonly string[],
  gateways: readonly string[] = ['172.30.2.11'],
): ClusterInfoImport => ({
  apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
  kind: 'ClusterInfoImport',
  metadata: { name: `${clusterID}-clusterinfo`, namespace: 'kube-system' },
  spec: { clusterID, podCIDRs: [...podCIDRs], gatewayInfos: gateways.map((gatewayIP) => ({ gatewayIP })) },
});

const service: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'antrea-mc-cart',
    namespace: 'shop',
    labels: { 'app.kubernetes.io/managed-by': 'isthmus' },
    annotations: { 'multicluster.antrea.io/imported-service': 'true' },
  },
  spec: { clusterIPs: ['10.99.0.1', 'fd00:99::1'], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
};

const slice = (
  name: string,
  addresses: readonly string[],
  options: { readonly from?: string; readonly ready?: boolean; readonly addressType?: 'IPv4' | 'IPv6' } = {},
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name,
    namespace: 'shop',
    labels: {
      'kubernetes.io/service-name': 'antrea-mc-cart',
      ...(options.from === undefined ? {} : { 'multicluster.kubernetes.io/source-cluster': options.from }),
    },
  },
  addressType: options.addressType ?? 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: options.ready ?? true } })),
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
});

const read = ({
  endpointSlices = [],
  ...objects
}: Partial<AgentObjects> & { readonly endpointSlices?: readonly EndpointSlice[] }) => {
  const { network, problems } = createObjectReader()({
    node: 'node-1',
    nodes: [node('node-1')],
    clusterInfoImports: [],
    services: [],
    serviceExports: [],
    slicesOf: (key) => endpointSlices.filter((one) => sliceKey(one) === key),
    podCIDRs: [],
    settings: { port: 8479, underlayMTU: 1500 },
    ...objects,
  });
  return {
    network,
    problems: problems.map(({ kind, name, message }) => `${kind} ${name}: ${message}`),
    remotes: network?.remotes.map(({ clusterID, podCIDRs, gatewayIPs }) =>
      [clusterID, ...podCIDRs.map(cidrText), ...gatewayIPs.map(addressText)].join(' '),
    ),
    endpoints: network?.services.map(({ address, port, endpoints }) =>
      [
        `${addressText(address)}:${port}`,
        ...endpoints.map((one) => `${one.clusterID} ${addressText(one.address)}:${one.port}`),
      ].join(', '),
    ),
  };
};

describe('a Service that a controller of Antrea has imported', () => {
  const ofAntrea = { ...service, metadata: { ...service.metadata, labels: {} } };

  test('is left to kube-proxy, as nobody but its Endpoints names endpoints, and is reported', () => {
    const { network, problems } = read({ services: [ofAntrea] });
    expect(network?.services).toEqual([]);
    expect(problems).toEqual([
      'Service antrea-mc-cart: This import is not of a controller of Isthmus, and has no EndpointSlices that agents read. kube-proxy chooses the endpoints of its connections.',
    ]);
  });

  test('is carried from when its endpoints are there, and one of ours is refused while it has none', () => {
    const clusterInfoImports = [remote('west', ['10.20.0.0/16'])];
    const endpointSlices = [slice('cart-west', ['10.20.1.5'], { from: 'west' })];
    expect(read({ services: [ofAntrea], clusterInfoImports, endpointSlices }).endpoints?.[0]).toBe(
      '10.99.0.1:80, west 10.20.1.5:8080',
    );
    const ours = read({ services: [service], clusterInfoImports });
    expect(ours.endpoints).toEqual(['10.99.0.1:80', 'fd00:99::1:80']);
    expect(ours.problems).toEqual([]);
  });
});

test('of a slice with many endpoints that are not used, the first are reported, and how many more there are', () => {
  const outside = Array.from({ length: 1_000 }, (_, index) => `192.0.${index >> 8}.${index & 255}`);
  const { problems } = read({
    services: [service],
    clusterInfoImports: [remote('west', ['10.20.0.0/16'])],
    endpointSlices: [slice('cart-west', outside, { from: 'west' })],
  });
  expect(problems).toHaveLength(6);
  expect(problems[0]).toMatch(/^EndpointSlice cart-west: Endpoint 192\.0\.0\.0 is not used: /);
  expect(problems[5]).toBe(
    'EndpointSlice cart-west: 995 more endpoints of this slice are not used, or only if there are no others.',
  );
});

describe('endpoints of the own cluster', () => {
  const clusterSets = [
    { metadata: { name: 'fleet' }, spec: { clusterID: 'east', leaders: [] } },
  ] as unknown as readonly ClusterSet[];
  const clusterInfoImports = [remote('west', ['10.20.0.0/16'])];

  test('count where they are, as in the network of a Node or outside of the cluster: the controller reads them from this cluster', () => {
    const endpointSlices = [slice('own', ['10.10.1.5', '172.30.1.11', '192.0.2.7'], { from: 'east' })];
    const { endpoints, problems } = read({ services: [service], clusterSets, clusterInfoImports, endpointSlices });
    expect(endpoints?.[0]).toBe('10.99.0.1:80,  10.10.1.5:8080,  172.30.1.11:8080,  192.0.2.7:8080');
    expect(problems).toEqual([]);
  });

  const outside = 'it is not in the Pod CIDRs or the Service CIDR of';
  test.each([
    ['of another cluster', slice('other', ['172.30.1.11'], { from: 'west' }), `${outside} cluster west`],
    [
      'of a cluster that is not known',
      slice('other', ['172.30.1.11'], { from: 'south' }),
      'no ClusterInfoImport announces the network of cluster south, which needs a gateway for it',
    ],
    ['of nobody', slice('other', ['172.30.1.11']), `${outside} any cluster`],
  ])('are not those %s that name a Node', (_, one, why) => {
    const { endpoints, problems } = read({
      services: [service],
      clusterSets,
      clusterInfoImports,
      endpointSlices: [one],
    });
    expect(endpoints?.[0]).toBe('10.99.0.1:80');
    expect(problems.join()).toContain(why);
  });

  test('do not count where another cluster has the addresses', () => {
    const endpointSlices = [slice('own', ['10.20.1.5'], { from: 'east' })];
    const { endpoints } = read({ services: [service], clusterSets, clusterInfoImports, endpointSlices });
    expect(endpoints?.[0]).toBe('10.99.0.1:80');
  });
});

describe('the Nodes of a cluster', () => {
  test('are gateways when they are marked with true, whether they are ready or not: probes decide who carries packets', () => {
    const { network, problems } = read({
      nodes: [
        node('node-1'),
        node('node-2', { gateway: 'true' }),
        node('node-3', { gateway: 'true', ready: 'False' }),
        node('node-4', { gateway: 'yes' }),
      ],
    });
    expect(network?.nodes.filter(({ isGateway }) => isGateway).map(({ name, isReady }) => [name, isReady])).toEqual([
      ['node-2', true],
      ['node-3', false],
    ]);
    expect(problems).toEqual([]);
  });

  test('have the first IPv4 address of type InternalIP, and the ranges that are valid', () => {
    const { network, problems } = read({
      nodes: [
        node('node-1', { addresses: ['fd00::1', '172.30.1.11', '172.30.1.12'], podCIDRs: ['10.10.1.0/24', '10.x'] }),
      ],
    });
    expect(network?.nodes.map(({ address, podCIDRs }) => [addressText(address), ...podCIDRs.map(cidrText)])).toEqual([
      ['172.30.1.11', '10.10.1.0/24'],
    ]);
    expect(problems).toEqual(['Node node-1: Pod CIDR "10.x" of the Node is not valid and is not used.']);
  });

  test('without an address are left out and reported, and there is no network when the own one is', () => {
    const { network, problems } = read({ nodes: [node('node-1', { addresses: [] }), node('node-2')] });
    expect(network).toBeUndefined();
    expect(problems).toEqual([
      'Node node-1: The Node has no valid address of type InternalIP, so no tunnel leads to it.',
    ]);
    expect(read({ nodes: [] }).network).toBeUndefined();
  });

  test('have an address of their own: of a Node that came back under another name, only what is there now counts', () => {
    const addresses = ['172.30.1.12'];
    const gone = node('node-2', { addresses, gateway: 'true', ready: 'False', created: '2026-01-01T00:00:00Z' });
    const renamed = node('node-3', { addresses, gateway: 'true', created: '2026-02-01T00:00:00Z' });
    const names = (nodes: readonly Node[], own = 'node-1') => {
      const { network, problems } = read({ node: own, nodes });
      return [network?.nodes.map(({ name }) => name), problems];
    };
    const reported = (left: string, used: string) =>
      `Node ${left}: The Node is not used: Node ${used} has the address 172.30.1.12 as well. If ${left} does not exist any more, delete its Node object; otherwise set its address with --node-ip of its kubelet.`;
    expect(names([node('node-1'), gone, renamed])).toEqual([['node-1', 'node-3'], [reported('node-2', 'node-3')]]);
    // Kubernetes has not detected yet that the first Node is gone.
    const { status } = renamed;
    const both = [node('node-1'), { ...gone, status }, renamed];
    expect(names(both)).toEqual([['node-1', 'node-3'], [reported('node-2', 'node-3')]]);
    // A Node that has taken the address of another one is ready, whichever is older.
    expect(names([node('node-1'), { ...gone, status }, { ...renamed, status: gone.status }])).toEqual([
      ['node-1', 'node-2'],
      [reported('node-3', 'node-2')],
    ]);
    // An agent knows that its own Node exists.
    expect(
      names(
        [
          { ...renamed, status: gone.status },
          { ...gone, status },
        ],
        'node-3',
      ),
    ).toEqual([['node-3'], [reported('node-2', 'node-3')]]);
  });
});

test('of two Nodes whose IPv6 addresses are the same in tunnels, where 32 bits of them count, one is used', () => {
  const [one, other] = ['fd00::9add:a4e9:3454', 'fd00::7246:54e:8d06'];
  const nodes = [node('node-1'), node('node-2', { addresses: [one] }), node('node-3', { addresses: [other] })];
  const { network, problems } = read({ nodes });
  expect(network?.nodes.map(({ name }) => name)).toEqual(['node-1', 'node-3']);
  expect(problems).toEqual([
    `Node node-2: The Node is not used: in tunnels its address ${one} is the same as ${other} of Node node-3. Set another address with --node-ip of its kubelet.`,
  ]);
});

/** The reports of the agent of a Node without Pod CIDRs. */
const withoutCIDR =
  'Node node-1: No Pod CIDR of this Node is known: its Pods reach other clusters only if it is a gateway, and programs in the network of the Node do not reach them (docs/guides/agent.md).';

describe('a Node whose Pods have addresses of Calico', () => {
  const calico = (annotations: Readonly<Record<string, string>>, podCIDRs = ['10.10.1.0/24', 'fd00:10:0:1::/64']) =>
    node('node-1', { podCIDRs, annotations: { 'projectcalico.org/IPv4Address': '172.30.1.11/24', ...annotations } });
  const other = node('node-2', { podCIDRs: ['10.10.2.0/24'] });
  const shown = (found: ReturnType<typeof read>) =>
    found.network?.nodes.map(({ name, podCIDRs }) => [name, ...podCIDRs.map(cidrText)].join(' '));
  const podCIDRs = [cidr('10.10.0.0/16'), cidr('fd00:10::/48')];

  test.each([
    ['VXLAN', { 'projectcalico.org/IPv4VXLANTunnelAddr': '10.10.185.0' }],
    ['IP in IP', { 'projectcalico.org/IPv4IPIPTunnelAddr': '10.10.185.0' }],
    ['WireGuard', { 'projectcalico.org/IPv4WireguardInterfaceAddr': '10.10.185.0' }],
    ['VXLAN over IPv6', { 'projectcalico.org/IPv6VXLANTunnelAddr': 'fd00:10:0:fe::c0' }],
  ])('does not have them in spec.podCIDRs: nobody but Calico knows which Node they are on: %s', (_, annotations) => {
    const found = read({ nodes: [calico(annotations), other], podCIDRs });
    expect(shown(found)).toEqual(['node-1', 'node-2 10.10.2.0/24']);
    expect(found.network?.podCIDRs.map(cidrText)).toEqual(['10.10.0.0/16', 'fd00:10::/48']);
    expect(found.problems).toEqual([withoutCIDR]);
  });

  test('keeps spec.podCIDRs, and is reported, where no agent knows the Pod CIDRs of the cluster', () => {
    const found = read({ nodes: [calico({ 'projectcalico.org/IPv4VXLANTunnelAddr': '10.10.185.0' }), other] });
    expect(shown(found)).toEqual(['node-1 10.10.1.0/24 fd00:10:0:1::/64', 'node-2 10.10.2.0/24']);
    expect(found.problems).toEqual([
      'Node node-1: Pods of this Node have addresses of Calico outside of spec.podCIDRs, as 10.10.185.0 of its tunnel is. Other clusters do not reach them until agents have the flag --pod-cidrs, with the IP pools of Calico.',
    ]);
  });

  test.each([
    ['takes addresses from them', { 'projectcalico.org/IPv4IPIPTunnelAddr': '10.10.1.1' }],
    ['has no tunnels', {}],
    ['has written what is no address', { 'projectcalico.org/IPv4VXLANTunnelAddr': '' }],
  ])('has those in spec.podCIDRs where Calico %s', (_, annotations) => {
    const found = read({ nodes: [calico(annotations)], podCIDRs });
    expect(shown(found)).toEqual(['node-1 10.10.1.0/24 fd00:10:0:1::/64']);
    expect(found.problems).toEqual([]);
  });
});

describe('a cluster whose Nodes have no Pod CIDRs, as those of AWS and Azure,', () => {
  const nodes = [node('node-1', { podCIDRs: [] }), node('node-2', { podCIDRs: [] })];

  test('is reported on each Node by its own agent, with what does not work', () => {
    expect(read({ nodes, podCIDRs: [cidr('10.10.0.0/16')] }).problems).toEqual([withoutCIDR]);
    expect(read({ nodes }).problems).toEqual([
      withoutCIDR,
      'Node node-1: No Pod CIDR of this cluster is known. Its Pods and those of other clusters do not reach each other until agents have the flag --pod-cidrs.',
    ]);
  });
});

test('a Node that reports that it lives, as it does every few minutes, changes nothing: all that was read is the same object', () => {
  const reader = createObjectReader();
  const objects = (nodes: readonly Node[]): AgentObjects => ({
    node: 'node-1',
    nodes,
    clusterInfoImports: [remote('west', ['10.20.0.0/16'])],
    services: [service],
    serviceExports: [],
    slicesOf: () => [],
    podCIDRs: [],
    settings: { port: 8479, underlayMTU: 1500 },
  });
  const first = objects([node('node-1'), node('node-2')]);
  const before = reader(first).network;
  const beat = { ...node('node-2'), metadata: { ...node('node-2').metadata, resourceVersion: '2' } };
  const after = reader({ ...first, nodes: [node('node-1'), beat] }).network;
  for (const part of ['nodes', 'podCIDRs', 'remotes'] as const) expect(after?.[part]).toBe(before?.[part]);
  expect(after?.services[0]).toBe(before?.services[0]);
  expect(before?.services).not.toEqual([]);
});

describe('other clusters', () => {
  test('have their Pod CIDRs and all their gateways', () => {
    expect(
      read({ clusterInfoImports: [remote('west', ['10.20.0.0/16', 'fd00:20::/48'], ['172.30.2.11', '172.30.2.12'])] })
        .remotes,
    ).toEqual(['west 10.20.0.0/16 fd00:20::/48 172.30.2.11 172.30.2.12']);
  });

  test.each([
    ['10.10.0.0/16', 'it overlaps with 10.10.1.0/24, a Pod CIDR of this cluster'],
    ['10.20.5.0/24', 'it overlaps with 10.20.0.0/16, a Pod CIDR of cluster west'],
    ['172.30.0.0/16', 'it contains the address of Node node-1'],
    ['0.0.0.0/0', 'it contains the address of Node node-1'],
    ['nonsense', 'it is not valid'],
    ['169.254.0.0/16', 'it contains link-local addresses (169.254.0.0/16)'],
    ['64:ff9b::/96', 'it contains NAT64 addresses (64:ff9b::/96)'],
  ])('cannot have %s: %s', (range, why) => {
    const { remotes, problems } = read({
      clusterInfoImports: [remote('west', ['10.20.0.0/16']), remote('xeno', [range])],
    });
    expect(remotes).toEqual(['west 10.20.0.0/16 172.30.2.11', 'xeno 172.30.2.11']);
    expect(problems).toEqual([
      `ClusterInfoImport xeno-clusterinfo: Pod CIDR "${range}" of cluster xeno is not used: ${why}.`,
    ]);
  });

  test.each([
    ['127.0.0.1', 'it is a loopback address'],
    ['224.0.0.1', 'it is a multicast address'],
    ['172.30.1.11', 'it is the address of Node node-1 of this cluster'],
  ])('cannot have the gateway %s: %s', (address, why) => {
    const { remotes, problems } = read({
      clusterInfoImports: [remote('xeno', ['10.20.0.0/16'], [address, '172.30.2.11'])],
    });
    expect(remotes).toEqual(['xeno 10.20.0.0/16 172.30.2.11']);
    expect(problems).toEqual([
      `ClusterInfoImport xeno-clusterinfo: The gateway address "${address}" of cluster xeno is not used: ${why}.`,
    ]);
  });

  test('cannot have the addresses of Services of this cluster among those of their Pods', () => {
    const { remotes, problems } = read({
      clusterInfoImports: [remote('west', ['10.97.0.0/16'])],
      services: [{ metadata: { namespace: 'default', name: 'kubernetes' }, spec: { clusterIPs: ['10.97.0.1'] } }],
    });
    expect(remotes).toEqual(['west 172.30.2.11']);
    expect(problems).toEqual([
      'ClusterInfoImport west-clusterinfo: Pod CIDR "10.97.0.0/16" of cluster west is not used: it contains 10.97.0.1, the address of Service default/kubernetes of this cluster.',
    ]);
  });

  test('cannot have the way to the API server of this cluster, wherever it runs', () => {
    const apiServers = [
      { ...slice('kubernetes', ['192.0.2.10']), metadata: { namespace: 'default', name: 'kubernetes' } },
    ];
    const { remotes, problems } = read({
      apiServers,
      clusterInfoImports: [remote('west', ['192.0.2.0/24', '10.20.0.0/16'])],
    });
    expect(remotes).toEqual(['west 10.20.0.0/16 172.30.2.11']);
    expect(problems).toEqual([
      'ClusterInfoImport west-clusterinfo: Pod CIDR "192.0.2.0/24" of cluster west is not used: it contains 192.0.2.10, an address of the API server of this cluster.',
    ]);
  });

  test('take no ranges and no keys away from one that has been known for longer, whatever their names', () => {
    const since = ({ metadata, ...object }: ClusterInfoImport, creationTimestamp: string): ClusterInfoImport => ({
      ...object,
      metadata: { ...metadata, creationTimestamp },
    });
    const { remotes, problems } = read({
      clusterInfoImports: [
        since(remote('aaa', ['10.20.5.0/24', '10.21.0.0/16'], ['172.30.3.11']), '2026-11-02T00:00:00Z'),
        since(remote('west', ['10.20.0.0/16']), '2026-11-01T00:00:00Z'),
      ],
    });
    expect(remotes).toEqual(['west 10.20.0.0/16 172.30.2.11', 'aaa 10.21.0.0/16 172.30.3.11']);
    expect(problems).toEqual([
      'ClusterInfoImport aaa-clusterinfo: Pod CIDR "10.20.5.0/24" of cluster aaa is not used: it overlaps with 10.20.0.0/16, a Pod CIDR of cluster west.',
    ]);
  });

  test('have the network of the object that has been known for longest, where another one claims to be of the same cluster', () => {
    const { metadata, ...claim } = remote('west', ['10.21.0.0/16'], ['172.30.3.11']);
    const { remotes, problems } = read({
      clusterInfoImports: [
        { ...claim, metadata: { ...metadata, name: 'aaa', creationTimestamp: '2026-11-02T00:00:00Z' } },
        remote('west', ['10.20.0.0/16']),
      ],
    });
    expect(remotes).toEqual(['west 10.20.0.0/16 172.30.2.11']);
    expect(problems).toEqual([
      'ClusterInfoImport aaa: The network of cluster west is not used: ClusterInfoImport west-clusterinfo announces that cluster already.',
    ]);
  });

  test('have a gateway once that they name twice', () => {
    const gateways = ['fd00::5', '172.30.2.11', 'fd00:0::5', '172.30.2.11'];
    expect(read({ clusterInfoImports: [remote('west', ['10.20.0.0/16'], gateways)] })).toMatchObject({
      remotes: ['west 10.20.0.0/16 fd00::5 172.30.2.11'],
      problems: [],
    });
  });

  test('cannot have a gateway that stands for a Node, or for a gateway of another cluster, in tunnels', () => {
    // The last four bytes of the MAC address are a hash of an IPv6 address: these two addresses
    // have the same hash.
    const [one, other] = ['fd00::7246:54e:8d06', 'fd00::9add:a4e9:3454'];
    const evil = remote('evil', ['10.66.0.0/16'], [other]);
    const ofNode = read({ nodes: [node('node-1', { addresses: [one] })], clusterInfoImports: [evil] });
    expect([ofNode.remotes, ofNode.problems]).toEqual([
      ['evil 10.66.0.0/16'],
      [
        'ClusterInfoImport evil-clusterinfo: The gateway address fd00::9add:a4e9:3454 of cluster evil is not used: in tunnels it has the same address as Node node-1.',
      ],
    ]);
    const ofCluster = read({ clusterInfoImports: [remote('east', ['10.20.0.0/16'], [one]), evil] });
    expect([ofCluster.remotes, ofCluster.problems]).toEqual([
      ['east 10.20.0.0/16 fd00::7246:54e:8d06', 'evil 10.66.0.0/16'],
      [
        'ClusterInfoImport evil-clusterinfo: The gateway address fd00::9add:a4e9:3454 of cluster evil is not used: in tunnels it has the same address as gateway fd00::7246:54e:8d06.',
      ],
    ]);
  });

  test('have 64 Pod CIDRs and 64 gateways at most, and are quoted in few words, whatever an Antrea leader passes on', () => {
    const many = Array.from({ length: 300 }, (_, at) => `10.${20 + (at >> 8)}.${at % 256}.0/24`);
    const gateways = Array.from({ length: 300 }, (_, at) => `172.31.${at >> 8}.${at % 256}`);
    const { remotes, problems } = read({
      clusterInfoImports: [remote('west', many, gateways), remote('xeno', [`x\n${'y'.repeat(100_000)}`])],
    });
    expect(remotes?.[0]?.split(' ')).toHaveLength(1 + 64 + 64);
    expect(problems).toEqual([
      'ClusterInfoImport west-clusterinfo: Only the first 64 of the Pod CIDRs of cluster west are used.',
      'ClusterInfoImport west-clusterinfo: Only the first 64 of the gateways of cluster west are used.',
      `ClusterInfoImport xeno-clusterinfo: Pod CIDR "x\\n${'y'.repeat(61)}…" of cluster xeno is not used: it is not valid.`,
    ]);
  });

  test('cannot have a virtual range of this cluster, and can have what it stands for no more than before', () => {
    const virtualCIDRs = [{ own: cidr('10.10.0.0/16'), virtual: cidr('100.64.0.0/16') }];
    const found = read({
      clusterInfoImports: [remote('west', ['100.64.8.0/24', '10.10.1.0/24', '100.65.0.0/16'])],
      virtualCIDRs,
    });
    expect(found.remotes).toEqual(['west 100.65.0.0/16 172.30.2.11']);
    expect(found.problems).toEqual([
      'ClusterInfoImport west-clusterinfo: Pod CIDR "100.64.8.0/24" of cluster west is not used: it overlaps with 100.64.0.0/16, a virtual Pod CIDR of this cluster.',
      'ClusterInfoImport west-clusterinfo: Pod CIDR "10.10.1.0/24" of cluster west is not used: it overlaps with 10.10.1.0/24, a Pod CIDR of this cluster.',
    ]);
    expect(found.network?.virtualCIDRs).toBe(virtualCIDRs);
  });

  test('see no virtual range that overlaps with a Pod CIDR of this cluster, from the flag or from the leader', () => {
    const own = { own: cidr('10.50.1.0/24'), virtual: cidr('10.10.1.0/24') };
    const given = read({ virtualCIDRs: [own, { own: cidr('10.10.0.0/16'), virtual: cidr('100.64.0.0/16') }] });
    expect(given.network?.virtualCIDRs?.map(({ virtual }) => cidrText(virtual))).toEqual(['100.64.0.0/16']);
    const reported =
      'Virtual Pod CIDR 10.10.1.0/24 for 10.50.1.0/24 is not used: it overlaps with Pod CIDR 10.10.1.0/24 of this cluster.';
    expect(given.problems).toEqual([`Node node-1: ${reported} Set another one in --virtual-pod-cidrs.`]);
    const allotted = read({
      clusterSets: [
        {
          apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
          kind: 'ClusterSet',
          metadata: {
            name: 'fleet',
            namespace: 'kube-system',
            annotations: { 'isthmus.dev/virtual-pod-cidrs': '10.50.1.0/24=10.10.1.0/24' },
          },
        },
      ],
    });
    expect(allotted.network?.virtualCIDRs).toEqual([]);
    expect(allotted.problems).toEqual([
      `ClusterSet fleet: ${reported} Choose other ranges in virtualPodCIDRs of the leader.`,
    ]);
  });

  test('with the Pod CIDR of this cluster are reached under a virtual one, where the leader has given both one', () => {
    const annotation = 'isthmus.dev/virtual-pod-cidrs';
    const clusterSet = (virtual: string): ClusterSet => ({
      apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
      kind: 'ClusterSet',
      metadata: { name: 'fleet', namespace: 'kube-system', annotations: { [annotation]: virtual } },
    });
    const west = remote('west', ['10.10.0.0/16', '100.65.0.0/16']);
    const bridged = {
      ...west,
      metadata: { ...west.metadata, annotations: { [annotation]: '10.10.0.0/16=100.65.0.0/16' } },
    };
    const own = '10.10.0.0/16=100.64.0.0/16';
    const found = read({ clusterInfoImports: [bridged], clusterSets: [clusterSet(own)] });
    expect([found.remotes, found.problems]).toEqual([['west 100.65.0.0/16 172.30.2.11'], []]);
    expect(found.network?.virtualCIDRs?.map(({ virtual }) => cidrText(virtual))).toEqual(['100.64.0.0/16']);

    const alone = read({ clusterInfoImports: [bridged] });
    expect(alone.problems).toEqual([
      'ClusterInfoImport west-clusterinfo: Pod CIDR "10.10.0.0/16" of cluster west is not used: it overlaps with 10.10.1.0/24, a Pod CIDR of this cluster.',
    ]);
    const byHand = [{ own: cidr('10.10.0.0/16'), virtual: cidr('100.70.0.0/16') }];
    const both = read({ clusterInfoImports: [bridged], clusterSets: [clusterSet(own)], virtualCIDRs: byHand });
    expect(both.network?.virtualCIDRs).toBe(byHand);
    expect(both.problems).toEqual([
      'ClusterSet fleet: The virtual Pod CIDRs that the leader has assigned are not used: this agent was started with --virtual-pod-cidrs.',
    ]);
  });

  test('are unreached where no gateway of theirs answers, and not where nobody knows', () => {
    const seen = (status?: 'True' | 'False' | 'Unknown') => {
      const object = remote('west', ['10.20.0.0/16']);
      const conditions = status === undefined ? [] : [{ type: 'Reachable', status }];
      return read({ clusterInfoImports: [{ ...object, status: { conditions } }] }).network?.remotes[0]?.isUnreached;
    };
    expect([seen('False'), seen('True'), seen('Unknown'), seen()]).toEqual([true, undefined, undefined, undefined]);
  });

  test('without an ID, and gateways without a valid address, are left out and reported', () => {
    const { remotes, problems } = read({
      clusterInfoImports: [remote('', ['10.20.0.0/16']), remote('west', ['10.20.0.0/16'], ['here'])],
    });
    expect(remotes).toEqual(['west 10.20.0.0/16']);
    expect(problems).toEqual([
      'ClusterInfoImport -clusterinfo: spec.clusterID is empty, so the network of the cluster is not used.',
      'ClusterInfoImport west-clusterinfo: The gateway address "here" of cluster west is not used: it is not valid.',
    ]);
  });
});

describe('the keys of gateways of other clusters', () => {
  const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
  const encrypted = { port: 8479, underlayMTU: 1500, wireGuardPort: 51_821 };
  const withKeys = (
    clusterID: string,
    spec: Pick<NonNullable<ClusterInfoImport['spec']>, 'gatewayInfos' | 'wireGuard'>,
  ) => {
    const object = remote(clusterID, []);
    return { ...object, spec: { ...object.spec, ...spec } };
  };
  const keysOf = (imports: readonly ClusterInfoImport[], settings = encrypted) => {
    const { network, problems } = read({ clusterInfoImports: imports, settings });
    const keys = network?.remotes.map(({ publicKeys = {} }) => publicKeys);
    return { keys, problems };
  };

  test('are with each gateway, and that of the first one also where older members write it', () => {
    const own = withKeys('west', {
      gatewayInfos: [{ gatewayIP: '172.30.2.11' }, { gatewayIP: '172.30.2.12', publicKey: key(2) }],
      wireGuard: { publicKey: key(1) },
    });
    expect(keysOf([own])).toEqual({ keys: [{ '172.30.2.11': key(1), '172.30.2.12': key(2) }], problems: [] });
  });

  test('are reported where packets are encrypted and there is none, and are not asked for elsewhere', () => {
    const own = withKeys('west', { gatewayInfos: [{ gatewayIP: '172.30.2.11' }] });
    expect(keysOf([own])).toEqual({
      keys: [{}],
      problems: [
        'ClusterInfoImport west-clusterinfo: Gateway 172.30.2.11 of cluster west has no WireGuard public key, so nothing is sent to it: packets between gateways are encrypted in this cluster.',
      ],
    });
    expect(read({ clusterInfoImports: [own] }).problems).toEqual([]);
  });

  test('are not used for the address of a gateway that another cluster has, whose packets would be encrypted with them', () => {
    const { keys, problems } = keysOf([
      withKeys('east', { gatewayInfos: [{ gatewayIP: '172.30.2.11', publicKey: key(1) }] }),
      withKeys('evil', { gatewayInfos: [{ gatewayIP: '172.30.2.11', publicKey: key(2) }] }),
    ]);
    expect(keys).toEqual([{ '172.30.2.11': key(1) }, {}]);
    expect(problems).toEqual([
      'ClusterInfoImport evil-clusterinfo: The key of gateway 172.30.2.11 of cluster evil is not used: cluster east has a gateway with that address.',
    ]);
  });

  test('are not used when they are none, which are not shown, or when a gateway of another cluster has the same', () => {
    const { keys, problems } = keysOf([
      withKeys('east', { gatewayInfos: [{ gatewayIP: '172.30.2.11', publicKey: key(1) }] }),
      withKeys('evil', { gatewayInfos: [{ gatewayIP: '172.30.2.12', publicKey: key(1) }] }),
      withKeys('west', { gatewayInfos: [{ gatewayIP: '172.30.2.13', publicKey: 'c2VjcmV0' }] }),
    ]);
    expect(keys).toEqual([{ '172.30.2.11': key(1) }, {}, {}]);
    expect(problems).toEqual([
      'ClusterInfoImport evil-clusterinfo: The key of gateway 172.30.2.12 of cluster evil is not used: a gateway of cluster east has it.',
      'ClusterInfoImport west-clusterinfo: The key of gateway 172.30.2.13 of cluster west is not used: it is not a WireGuard public key (32 bytes in base64).',
    ]);
  });
});

describe('imported Services', () => {
  const clusterInfoImports = [remote('west', ['10.20.0.0/16', 'fd00:20::/48'])];

  test('have no endpoint of one family in the entry of the other, whatever is in their slices: the whole table would be invalid', () => {
    const endpointSlices = [
      slice('four', ['fd00:20::5', '10.20.1.5'], { from: 'west' }),
      slice('six', ['10.20.1.6', 'fd00:20::6'], { from: 'west', addressType: 'IPv6' }),
    ];
    expect(read({ clusterInfoImports, services: [service], endpointSlices }).endpoints).toEqual([
      '10.99.0.1:80, west 10.20.1.5:8080',
      'fd00:99::1:80, west fd00:20::6:8080',
    ]);
  });

  test('have no endpoints at a port outside 1 to 65535, which an API server stores in a slice: the whole table would be invalid', () => {
    const at = (port: number) => ({
      ...slice(`port${port}`, ['10.20.1.5'], { from: 'west' }),
      ports: [{ name: 'http', port, protocol: 'TCP' }],
    });
    const endpointSlices = [-1, 0, 65_535, 65_536].map(at);
    const { endpoints, problems } = read({ clusterInfoImports, services: [service], endpointSlices });
    expect(endpoints).toEqual(['10.99.0.1:80, west 10.20.1.5:65535', 'fd00:99::1:80']);
    expect(problems).toEqual(
      [-1, 0, 65_536].map(
        (port) =>
          `EndpointSlice port${port}: The endpoints of port "http" are not used: ${port} is not a number from 1 to 65535.`,
      ),
    );
  });

  test('have an entry for each family, with the ready endpoints of all clusters', () => {
    const endpointSlices = [
      slice('a', ['10.20.1.5', '10.20.1.6'], { from: 'west' }),
      slice('b', ['fd00:20::5'], { from: 'west', addressType: 'IPv6' }),
      slice('c', ['10.10.1.7'], { from: 'east' }),
      slice('d', ['10.20.1.8'], { from: 'west', ready: false }),
    ];
    expect(read({ clusterInfoImports, services: [service], endpointSlices })).toMatchObject({
      endpoints: [
        '10.99.0.1:80, west 10.20.1.5:8080, west 10.20.1.6:8080,  10.10.1.7:8080',
        'fd00:99::1:80, west fd00:20::5:8080',
      ],
      problems: [],
    });
  });

  test('have endpoints that end but still serve, beside ready ones, and none that only ends', () => {
    const ending = (name: string, address: string, serving: boolean): EndpointSlice => {
      const one = slice(name, [address], { from: 'west' });
      return {
        ...one,
        endpoints: [{ addresses: [address], conditions: { ready: false, serving, terminating: true } }],
      };
    };
    const endpointSlices = [
      ending('a', '10.20.1.5', true),
      ending('b', '10.20.1.6', false),
      ending('c', '10.20.1.7', true),
    ];
    const { network } = read({
      clusterInfoImports,
      services: [service],
      // Two endpoints with one address: the Pod is ready.
      endpointSlices: [...endpointSlices, slice('d', ['10.20.1.7'], { from: 'west' })],
    });
    const [port] = network?.services ?? [];
    expect(port?.endpoints.map((one) => [addressText(one.address), one.isTerminating ?? false])).toEqual([
      ['10.20.1.5', true],
      ['10.20.1.7', false],
    ]);
  });

  test('have the Nodes of own endpoints alone, and the zones of all: those of hints, where there are some', () => {
    const at = (name: string, address: string, from: string, more: object): EndpointSlice => ({
      ...slice(name, [address], { from }),
      endpoints: [{ addresses: [address], nodeName: 'node-1', zone: 'zone-a', ...more }],
    });
    const { network } = read({
      clusterInfoImports,
      nodes: [{ ...node('node-1'), metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'zone-a' } } }],
      services: [service],
      endpointSlices: [
        at('a', '10.20.1.5', 'west', { hints: { forZones: [{ name: 'zone-b' }] } }),
        at('b', '10.10.1.7', 'east', {}),
      ],
    });
    expect(network?.services[0]?.endpoints.map(({ clusterID, node: on, zones }) => [clusterID, on, zones])).toEqual([
      ['west', undefined, ['zone-b']],
      ['', 'node-1', ['zone-a']],
    ]);
    expect(network?.nodes[0]?.zone).toBe('zone-a');
  });

  test.each([
    [{}, {}],
    [{ sessionAffinity: 'ClientIP' }, { affinitySeconds: 10_800 }],
    [
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } } },
      { affinitySeconds: 10 },
    ],
    [
      { internalTrafficPolicy: 'Local', trafficDistribution: 'PreferClose' },
      { isNodeLocal: true, nearest: 'Zone' },
    ],
    [{ internalTrafficPolicy: 'Cluster', trafficDistribution: 'PreferSameNode' }, { nearest: 'Node' }],
    [{ trafficDistribution: 'example.com/fastest' }, {}],
  ] as const)('choose their endpoints by their spec: %j', (spec, expected) => {
    const { network } = read({ services: [{ ...service, spec: { ...service.spec, ...spec } }] });
    const {
      namespace: _,
      name: __,
      protocol: ___,
      address: ____,
      port: _____,
      endpoints: ______,
      ...options
    } = network?.services[0] ?? expect.fail('the Service is not read');
    expect(options).toEqual(expected);
  });

  test('prefer the clusters that their annotations name, the own one as local or by its ID', () => {
    const annotations = {
      ...service.metadata.annotations,
      'isthmus.dev/cluster-order': 'local, west',
      'isthmus.dev/cluster-weights': 'east=3,west=0',
    };
    const { network, problems } = read({
      clusterInfoImports,
      services: [{ ...service, metadata: { ...service.metadata, annotations } }],
      endpointSlices: [slice('a', ['10.10.1.7'], { from: 'east' })],
    });
    expect(problems).toEqual([]);
    expect(network?.services[0]).toMatchObject({
      clusterOrder: ['', 'west'],
      clusterWeights: new Map([
        ['', 3],
        ['west', 0],
      ]),
    });
  });

  test.each([
    ['isthmus.dev/cluster-order', 'local west', 'a list of cluster IDs, such as "local, west"'],
    ['isthmus.dev/cluster-weights', 'west=101', 'a list of weights from 0 to 100, such as "local=3, west=1"'],
    ['isthmus.dev/cluster-weights', 'west', 'a list of weights from 0 to 100, such as "local=3, west=1"'],
  ])('prefer no cluster when their annotation %s is %s, which is reported', (annotation, text, form) => {
    const annotations = { ...service.metadata.annotations, [annotation]: text };
    const { network, problems } = read({ services: [{ ...service, metadata: { ...service.metadata, annotations } }] });
    expect(problems).toEqual([
      `Service antrea-mc-cart: Annotation ${annotation} is not used: "${text}" is not ${form}.`,
    ]);
    expect(network?.services[0]).not.toHaveProperty('clusterOrder');
    expect(network?.services[0]).not.toHaveProperty('clusterWeights');
  });

  test('of several ports report an endpoint that is not used once', () => {
    const ports = [
      { name: 'http', port: 80, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ] as const;
    const { problems } = read({
      clusterInfoImports: [remote('west', ['10.20.0.0/16'])],
      services: [{ ...service, spec: { ...service.spec, ports: [...ports] } }],
      endpointSlices: [{ ...slice('one', ['192.0.2.1'], { from: 'west' }), ports: [...ports] }],
    });
    expect(problems).toEqual([
      'EndpointSlice one: Endpoint 192.0.2.1 is not used: it is not in the Pod CIDRs or the Service CIDR of cluster west.',
    ]);
  });

  test.each([
    ['10.20.1.5', 'north'],
    ['127.0.0.1', 'east'],
  ])('have no endpoint %s of %s, which is not known', (address, from) => {
    const endpointSlices = [slice('a', [address], { from })];
    expect(read({ clusterInfoImports, services: [service], endpointSlices }).problems).toEqual([
      `EndpointSlice a: Endpoint ${address} is not used: no ClusterInfoImport announces the network of cluster ${from}, which needs a gateway for it.`,
    ]);
  });

  test('have none of a cluster that announces no Pod CIDRs, and the problem names the setting', () => {
    const endpointSlices = [slice('a', ['10.20.1.5'], { from: 'west' })];
    expect(read({ clusterInfoImports: [remote('west', [])], services: [service], endpointSlices }).problems).toEqual([
      'EndpointSlice a: Endpoint 10.20.1.5 is not used: it is not in the Service CIDR of cluster west, and no Pod CIDR of that cluster is used here; if it is a Pod, set podCIDRs in the configuration of the controller of west.',
    ]);
  });

  test('are those alone that an import made', () => {
    const other: Service = { ...service, metadata: { name: 'antrea-mc-cart', namespace: 'shop' } };
    expect(
      read({ clusterInfoImports, services: [other], endpointSlices: [slice('a', ['10.20.1.5'])] }).endpoints,
    ).toEqual([]);
  });

  test.each([
    ['10.10.1.7', 'west', 'cluster west'],
    ['172.30.1.11', 'west', 'cluster west'],
    ['172.30.1.11', undefined, 'any cluster'],
  ])('have no endpoint %s of %s, which does not own it', (address, from, whose) => {
    const endpointSlices = [slice('a', [address], from === undefined ? {} : { from })];
    expect(read({ clusterInfoImports, services: [service], endpointSlices })).toMatchObject({
      endpoints: ['10.99.0.1:80', 'fd00:99::1:80'],
      problems: [
        `EndpointSlice a: Endpoint ${address} is not used: it is not in the Pod CIDRs or the Service CIDR of ${whose}.`,
      ],
    });
  });
});

describe('ClusterIPs of other clusters', () => {
  const withServices = (
    clusterID: string,
    serviceCIDR: string,
    dataPlane?: string,
    podCIDRs: readonly string[] = [],
  ) => {
    const object = remote(clusterID, podCIDRs);
    return {
      ...object,
      metadata: {
        ...object.metadata,
        ...(dataPlane === undefined ? {} : { annotations: { 'isthmus.dev/dataplane': dataPlane } }),
      },
      spec: { ...object.spec, serviceCIDR },
    };
  };
  const ownService = (name: string, clusterIP: string): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { clusterIP, clusterIPs: [clusterIP], ports: [{ port: 443 }] },
  });
  const used = (imports: readonly ClusterInfoImport[], services: readonly Service[] = [], from = 'west') =>
    read({
      clusterInfoImports: imports,
      services: [service, ...services],
      endpointSlices: [slice('one', ['10.97.0.10'], { from })],
    });

  test.each(['isthmus', 'isthmus/gbp'])(
    'are endpoints where their cluster has agents and announces data plane %s',
    (plane) => {
      const { endpoints, problems, network } = used([withServices('west', '10.97.0.0/16', plane)]);
      expect(endpoints?.[0]).toBe('10.99.0.1:80, west 10.97.0.10:8080');
      expect(problems).toEqual([]);
      expect(network?.remotes.map(({ serviceCIDR }) => serviceCIDR && cidrText(serviceCIDR))).toEqual(['10.97.0.0/16']);
    },
  );

  test('of a cluster that does not announce its data plane are used where there is nothing else, and are reported', () => {
    const { network, problems } = used([withServices('west', '10.97.0.0/16')]);
    expect(network?.services[0]?.endpoints).toMatchObject([{ clusterID: 'west', isUncertain: true }]);
    expect(problems).toEqual([
      'EndpointSlice one: Endpoint 10.97.0.10 is used only if there are no others: cluster west does not announce that agents of Isthmus carry its packets.',
    ]);
  });

  test.each<readonly [string, readonly ClusterInfoImport[], string, readonly Service[]]>([
    [
      'another data plane carries its packets',
      [withServices('west', '10.97.0.0/16', 'antrea')],
      'the data plane of that cluster is antrea, which does not exchange packets with agents of Isthmus',
      [],
    ],
    [
      'a Service of this cluster is in its range',
      [withServices('west', '10.97.0.0/16', 'isthmus')],
      'it contains 10.97.0.1, the address of Service default/kubernetes of this cluster',
      [ownService('dns', '10.98.0.10'), ownService('six', '::a61:5'), ownService('kubernetes', '10.97.0.1')],
    ],
    [
      'a Node of this cluster is in its range',
      [withServices('west', '0.0.0.0/0', 'isthmus')],
      'it contains the address of Node node-1',
      [],
    ],
    [
      'its range overlaps with Pods of this cluster',
      [withServices('west', '10.0.0.0/9', 'isthmus')],
      'it overlaps with 10.10.1.0/24, a Pod CIDR of this cluster',
      [],
    ],
    [
      'its range overlaps with Pods of another cluster, also one that comes later by name',
      [withServices('west', '10.97.0.0/16', 'isthmus'), remote('xeno', ['10.97.8.0/24'])],
      'it overlaps with 10.97.8.0/24, a Pod CIDR of cluster xeno',
      [],
    ],
    [
      'its range overlaps with that of another cluster before it',
      [withServices('east', '10.97.0.0/17', 'isthmus'), withServices('west', '10.97.0.0/16', 'isthmus')],
      'it overlaps with 10.97.0.0/17, a Service CIDR of cluster east',
      [],
    ],
  ])('are not used, and the endpoint is reported, when %s', (_, imports, why, services) => {
    const { endpoints, problems, network } = used(imports, services);
    expect(endpoints?.[0]).toBe('10.99.0.1:80');
    const west = network?.remotes.find(({ clusterID }) => clusterID === 'west');
    expect(west?.serviceCIDR).toBeUndefined();
    const { spec } = imports.find((one) => one.spec?.clusterID === 'west') ?? {};
    expect(problems).toEqual([
      `EndpointSlice one: Endpoint 10.97.0.10 is not used: Service CIDR ${spec?.serviceCIDR} of cluster west is not used, because ${why}.`,
    ]);
  });

  test('are not reported where nothing is exported under them: with Pod IPs as endpoints, clusters may have the same Service CIDR', () => {
    const { problems, endpoints } = read({
      clusterInfoImports: [withServices('west', '10.97.0.0/16', 'isthmus', ['10.20.0.0/16'])],
      services: [service, ownService('kubernetes', '10.97.0.1')],
      endpointSlices: [slice('one', ['10.20.1.5'], { from: 'west' })],
    });
    expect(problems).toEqual([]);
    expect(endpoints?.[0]).toBe('10.99.0.1:80, west 10.20.1.5:8080');
  });

  test('are those of the cluster that exports them, and a range that is not valid is reported', () => {
    const east = withServices('east', '10.97.0.0/16', 'isthmus');
    expect(used([east]).problems).toEqual([
      'EndpointSlice one: Endpoint 10.97.0.10 is not used: no ClusterInfoImport announces the network of cluster west, which needs a gateway for it.',
    ]);
    expect(used([withServices('west', '10.97')]).problems).toEqual([
      'ClusterInfoImport west-clusterinfo: Service CIDR "10.97" of cluster west is not used: it is not valid.',
      'EndpointSlice one: Endpoint 10.97.0.10 is not used: it is not in the Service CIDR of cluster west, and no Pod CIDR of that cluster is used here; if it is a Pod, set podCIDRs in the configuration of the controller of west.',
    ]);
  });

  test('are offered in turn: those of Services with a ServiceExport that is not deleted, whatever else changes', () => {
    const exportOf = (name: string, more: object = {}): ServiceExport => ({
      apiVersion: 'multicluster.x-k8s.io/v1alpha1',
      kind: 'ServiceExport',
      metadata: { name, namespace: 'default', ...more },
    });
    const reader = createObjectReader();
    const objects: AgentObjects = {
      node: 'node-1',
      nodes: [node('node-1')],
      clusterInfoImports: [],
      services: [
        ownService('both', '10.97.0.7'),
        { ...ownService('both', '10.97.0.6'), spec: { clusterIPs: ['10.97.0.6', 'fd00:97::6'] } },
        ownService('deleted', '10.97.0.8'),
        ownService('headless', 'None'),
        ownService('inside', '10.97.0.9'),
        { ...service, metadata: { ...service.metadata, namespace: 'default' } },
      ],
      serviceExports: [
        exportOf('both'),
        exportOf('deleted', { deletionTimestamp: '2026-11-27T00:00:00Z' }),
        exportOf('headless'),
        exportOf('missing'),
        exportOf('antrea-mc-cart'),
      ],
      slicesOf: () => [],
      podCIDRs: [],
      settings: { port: 8479, underlayMTU: 1500 },
    };
    const { network } = reader(objects);
    expect(network?.exported?.map(addressText)).toEqual(['10.97.0.6', '10.97.0.7', 'fd00:97::6']);
    const later = reader({ ...objects, services: [...objects.services, ownService('new', '10.97.0.20')] });
    expect(later.network?.exported).toBe(network?.exported);
  });
});

describe('Pods behind the ClusterIP of another cluster', () => {
  const pods = (name: string, addresses: readonly string[], from: string): EndpointSlice => {
    const made = slice(name, addresses, { from });
    const labels = {
      'service.kubernetes.io/service-proxy-name': 'isthmus.dev',
      'multicluster.kubernetes.io/service-name': 'cart',
      'multicluster.kubernetes.io/source-cluster': from,
    };
    return { ...made, metadata: { ...made.metadata, labels } };
  };
  const clusters = [remote('south', ['10.30.0.0/16']), remote('west', ['10.20.0.0/16'])];

  test('take its place, of each cluster on its own, and are in the Pod CIDRs of that cluster', () => {
    const { endpoints, problems } = read({
      clusterInfoImports: clusters,
      services: [service],
      endpointSlices: [
        slice('west', ['10.97.0.10'], { from: 'west' }),
        slice('south', ['10.30.1.7'], { from: 'south' }),
        slice('own', ['10.10.1.5'], { from: 'east' }),
        pods('west-pods', ['10.20.1.5', '10.30.1.9', '172.30.1.11', '10.99.0.1'], 'west'),
      ],
    });
    expect(endpoints?.[0]).toBe('10.99.0.1:80, south 10.30.1.7:8080,  10.10.1.5:8080, west 10.20.1.5:8080');
    expect(problems).toEqual(
      ['10.30.1.9', '172.30.1.11', '10.99.0.1'].map(
        (address) =>
          `EndpointSlice west-pods: Endpoint ${address} is not used: it is not in the Pod CIDRs or the Service CIDR of cluster west.`,
      ),
    );
  });

  test('are not needed: without them the ClusterIP is reported as not used', () => {
    const { endpoints, problems } = read({
      clusterInfoImports: clusters,
      services: [service],
      endpointSlices: [slice('west', ['10.97.0.10'], { from: 'west' })],
    });
    expect(endpoints?.[0]).toBe('10.99.0.1:80');
    expect(problems).toEqual([expect.stringContaining('10.97.0.10 is not used')]);
  });
});
