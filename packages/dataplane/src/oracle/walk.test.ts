import { addressText } from '@isthmus/machinery';
import { describe, expect, test } from 'vitest';
import type { ClusterNetwork, ImportedService } from '../desired/cluster-network.ts';
import { address, cidr } from '../testing/addresses.ts';
import { importedService } from '../testing/imported-service.ts';
import type { Packet } from './packet.ts';
import type { RoundTrip } from './walk.ts';
import { allRoundTrips } from '../testing/all-round-trips.ts';
import type { World } from './world.ts';
import { worldNodes } from './world.ts';

/** Two clusters of two Nodes each; the first Node of each is its gateway. */
const cluster = (number: number, other: number, services: readonly ImportedService[] = []): ClusterNetwork => ({
  node: `node-${number}1`,
  nodes: [1, 2].map((host) => ({
    name: `node-${number}${host}`,
    address: address(`172.30.${number}.${host}`),
    podCIDRs: [cidr(`10.${number}.${host}.0/24`), cidr(`fd00:${number}:0:${host}::/64`)],
    isGateway: host === 1,
  })),
  podCIDRs: [cidr(`10.${number}.0.0/16`), cidr(`fd00:${number}::/48`)],
  remotes: [
    {
      clusterID: 'west',
      podCIDRs: [cidr(`10.${other}.0.0/16`), cidr(`fd00:${other}::/48`)],
      gatewayIPs: [address(`172.30.${other}.1`)],
    },
  ],
  services,
  settings: { port: 8479, underlayMTU: 1500 },
});

const cart = importedService('10.99.0.1', { protocol: 'TCP', endpoints: ['10.2.1.5', '10.2.2.5', '10.1.2.5'] });
const sticky = { ...cart, name: 'sticky', address: address('10.99.0.2'), affinitySeconds: 10 };
const empty = { ...cart, name: 'empty', address: address('10.99.0.3'), endpoints: [] };
const world: World = {
  nodes: [...worldNodes('east', cluster(1, 2, [cart, sticky, empty])), ...worldNodes('west', cluster(2, 1))],
};

const packet = (source: string, destination: string, port = 80): Packet => ({
  protocol: 'TCP',
  source: address(source),
  sourcePort: 40_000,
  destination: address(destination),
  destinationPort: port,
});
const summary = ({ request, answer }: RoundTrip) => {
  const { end } = request;
  if (end.kind !== 'delivered') return end.kind;
  const { source, destination } = end.packet;
  const back =
    answer?.end.kind === 'delivered' ? `${addressText(answer.end.packet.source)} ${answer.end.node}` : answer?.end.kind;
  return `${addressText(destination)} on ${end.node} sees ${addressText(source)}; the answer is from ${back}`;
};
const outcomes = (one: Packet, of = world) => [...new Set(allRoundTrips(of, one).map(summary))].toSorted();

describe('the way of a packet', () => {
  test('to a Pod of another cluster leads through the gateways of both clusters and back', () => {
    expect(outcomes(packet('10.1.2.5', '10.2.2.5'))).toEqual([
      '10.2.2.5 on node-22 sees 10.1.2.5; the answer is from 10.2.2.5 node-12',
    ]);
    const [trip] = allRoundTrips(world, packet('10.1.2.5', '10.2.2.5'));
    expect([...new Set(trip?.request.steps.map(({ node }) => node))]).toEqual([
      'node-12',
      'node-11',
      'node-21',
      'node-22',
    ]);
    expect([...new Set(trip?.answer?.steps.map(({ node }) => node))]).toEqual([
      'node-22',
      'node-21',
      'node-11',
      'node-12',
    ]);
  });

  test.each(['10.99.0.1', '10.99.0.2'])(
    'to imported Service %s may lead to each endpoint, and the answer is from the Service',
    (service) => {
      expect(outcomes(packet('10.1.2.6', service))).toEqual([
        `10.1.2.5 on node-12 sees 10.1.2.6; the answer is from ${service} node-12`,
        `10.2.1.5 on node-21 sees 10.1.2.6; the answer is from ${service} node-12`,
        `10.2.2.5 on node-22 sees 10.1.2.6; the answer is from ${service} node-12`,
      ]);
    },
  );

  test('from the network of a Node bears the return address of that Node', () => {
    expect(outcomes(packet('172.30.1.2', '10.2.2.5'))).toEqual([
      '10.2.2.5 on node-22 sees 10.1.2.0; the answer is from 10.2.2.5 node-12',
    ]);
  });

  test('of a Pod to itself through a Service bears the address of the Node', () => {
    expect(outcomes(packet('10.1.2.5', '10.99.0.1'))).toContain(
      '10.1.2.5 on node-12 sees 172.30.1.2; the answer is from 10.99.0.1 node-12',
    );
  });

  test('of a Pod to its own address does not reach the Node', () => {
    expect(outcomes(packet('10.1.2.5', '10.1.2.5'))).toEqual([
      '10.1.2.5 on node-12 sees 10.1.2.5; the answer is from 10.1.2.5 node-12',
    ]);
  });

  test('over IPv6 is as over IPv4', () => {
    expect(outcomes(packet('fd00:1:0:2::5', 'fd00:2:0:2::5'))).toEqual([
      'fd00:2:0:2::5 on node-22 sees fd00:1:0:2::5; the answer is from fd00:2:0:2::5 node-12',
    ]);
  });

  test('to a Service without endpoints ends on the Node of the client with a rejection', () => {
    expect(outcomes(packet('10.1.2.5', '10.99.0.3'))).toEqual(['rejected']);
  });

  test('leaves by the routes of the Node where nothing is imported, and is sent to a gateway whose Node is not known', () => {
    expect(outcomes(packet('10.1.2.5', '10.99.0.1', 81))).toEqual(['left']);
    const east = { nodes: world.nodes.filter(({ clusterID }) => clusterID === 'east') };
    expect(outcomes(packet('10.1.2.5', '10.2.2.5'), east)).toEqual(['sent']);
  });

  test('from another cluster does not reach programs of a Node that has an address among those of its Pods', () => {
    const withBridge = world.nodes.map((one) => ({
      ...one,
      get network() {
        return one.network;
      },
      addresses: one.name === 'node-22' ? [...one.addresses, address('10.2.2.1')] : one.addresses,
    }));
    expect(outcomes(packet('10.1.2.5', '10.2.2.1'), { nodes: withBridge })).toEqual(['dropped']);
    const [trip] = allRoundTrips({ nodes: withBridge }, packet('10.1.2.5', '10.2.2.1'));
    expect(trip?.request.end).toMatchObject({ node: 'node-22', why: 'chain to-node drops it: counter drop' });
  });

  test('ends at a gateway that does not know the sender, and shows which rule dropped it', () => {
    const unknownCluster = { ...cluster(2, 1), remotes: [] };
    const nodes = [...worldNodes('east', cluster(1, 2)), ...worldNodes('west', unknownCluster)];
    const [trip] = allRoundTrips({ nodes }, packet('10.1.2.5', '10.2.2.5'));
    expect(trip?.request.end).toEqual({
      kind: 'dropped',
      node: 'node-21',
      why: 'chain tunnel-packets drops it: udp dport 8479 counter drop',
    });
  });

  test('to a Pod of a cluster whose Pods have the same addresses is translated on the Nodes of both Pods, to virtual addresses and back', () => {
    const [own, ranges] = [cidr('10.1.0.0/16'), { east: cidr('100.64.0.0/16'), west: cidr('100.65.0.0/16') }];
    const same = (name: 'east' | 'west', other: 'east' | 'west', number: number): ClusterNetwork => {
      const like = cluster(1, 2);
      return {
        ...like,
        nodes: like.nodes.map((one, host) => ({ ...one, address: address(`172.30.${number}.${host + 1}`) })),
        virtualCIDRs: [{ own, virtual: ranges[name] }],
        remotes: [{ clusterID: other, podCIDRs: [ranges[other]], gatewayIPs: [address(`172.30.${3 - number}.1`)] }],
      };
    };
    const nodes = [
      ...worldNodes('east', same('east', 'west', 1)),
      ...worldNodes('west', same('west', 'east', 2)).map((one) => ({ ...one, name: one.name.replace('-1', '-2') })),
    ];
    expect(outcomes(packet('10.1.2.5', '100.65.2.5'), { nodes })).toEqual([
      '10.1.2.5 on node-22 sees 100.64.2.5; the answer is from 100.65.2.5 node-12',
    ]);
    expect(outcomes(packet('172.30.1.2', '100.65.1.5'), { nodes })).toEqual([
      '10.1.1.5 on node-21 sees 100.64.2.0; the answer is from 100.65.1.5 node-12',
    ]);
  });

  test('to a Pod whose cluster has got a virtual range while others used its own arrives under both', () => {
    const client = cluster(2, 1);
    const [own, virtual] = [cidr('10.1.0.0/16'), cidr('100.64.0.0/16')];
    const nodes = [
      ...worldNodes('west', {
        ...client,
        remotes: client.remotes.map((one) => ({ ...one, podCIDRs: [own, virtual] })),
      }),
      ...worldNodes('east', { ...cluster(1, 2), virtualCIDRs: [{ own, virtual, isOwnUsed: true }] }),
    ];
    for (const destination of ['100.64.2.5', '10.1.2.5'])
      expect(outcomes(packet('10.2.2.5', destination), { nodes })).toEqual([
        `10.1.2.5 on node-12 sees 10.2.2.5; the answer is from ${destination} node-22`,
      ]);
  });

  describe('between Pods that are in no Pod CIDR of their Node, as CNIs with an address management of their own have them,', () => {
    /** The CNI routes Pods between Nodes, and only the CNI knows the Node of each Pod. */
    const unknown = (one: ClusterNetwork): ClusterNetwork => ({
      ...one,
      nodes: one.nodes.map((node) => ({ ...node, podCIDRs: [] })),
    });
    const nodesOf = (clusterID: string, one: ClusterNetwork) =>
      worldNodes(clusterID, unknown(one)).map((node, index) => ({
        ...node,
        podCIDRs: one.nodes[index]?.podCIDRs ?? [],
      }));
    const routed: World = {
      isStrict: false,
      nodes: [...nodesOf('east', cluster(1, 2, [cart])), ...nodesOf('west', cluster(2, 1))],
    };

    test.each([
      ['on gateways', '10.1.1.5', '10.2.1.5', 'node-21', 'node-11'],
      ['on other Nodes', '10.1.2.5', '10.2.2.5', 'node-22', 'node-12'],
    ])('is tracked at both ends, so that translations are undone: %s', (_, client, server, there, here) => {
      expect(outcomes(packet(client, server), routed)).toEqual([
        `${server} on ${there} sees ${client}; the answer is from ${server} ${here}`,
      ]);
      expect(outcomes(packet(client, '10.99.0.1'), routed)).toContain(
        `${server} on ${there} sees ${client}; the answer is from 10.99.0.1 ${here}`,
      );
    });
  });

  describe('to the ClusterIP of a Service of another cluster', () => {
    const [podNetwork, clusterIP] = [(host: number) => `10.2.${host}.5`, address('10.97.0.10')];
    const remote: ImportedService = {
      ...cart,
      endpoints: [{ clusterID: 'west', address: clusterIP, port: 443 }],
    };
    const [east, west] = [cluster(1, 2, [remote]), { ...cluster(2, 1), exported: [clusterIP] }];
    const withServices = {
      ...east,
      remotes: east.remotes.map((one) => ({ ...one, serviceCIDR: cidr('10.97.0.0/16') })),
    };
    const worldWith = (endpoints: readonly string[], exporting: ClusterNetwork = west): World => ({
      nodes: [...worldNodes('east', withServices), ...worldNodes('west', exporting)],
      clusterIPs: [
        {
          clusterID: 'west',
          address: clusterIP,
          protocol: 'TCP',
          port: 443,
          endpoints: endpoints.map((one) => ({ address: address(one), port: 8443 })),
        },
      ],
    });
    const ask = (of: World) => outcomes(packet('10.1.2.5', '10.99.0.1'), of);

    test('leads through one gateway there and back, and the server sees that gateway', () => {
      expect(ask(worldWith([podNetwork(1)]))).toEqual([
        '10.2.1.5 on node-21 sees 172.30.2.1; the answer is from 10.99.0.1 node-12',
      ]);
      const of = worldWith([podNetwork(2)]);
      expect(ask(of)).toEqual(['10.2.2.5 on node-22 sees 10.2.1.0; the answer is from 10.99.0.1 node-12']);
      const [trip] = allRoundTrips(of, packet('10.1.2.5', '10.99.0.1'));
      const nodes = [trip?.request, trip?.answer].map((walk) => [...new Set(walk?.steps.map(({ node }) => node))]);
      expect(nodes).toEqual([
        ['node-12', 'node-11', 'node-21', 'node-22'],
        ['node-22', 'node-21', 'node-11', 'node-12'],
      ]);
    });

    test('reaches the network of a Node, which sees the gateway, or the client where it is the gateway', () => {
      expect(ask(worldWith(['172.30.2.2']))).toEqual([
        '172.30.2.2 on node-22 sees 172.30.2.1; the answer is from 10.99.0.1 node-12',
      ]);
      expect(ask(worldWith(['172.30.2.1']))).toEqual([
        '172.30.2.1 on node-21 sees 10.1.2.5; the answer is from 10.99.0.1 node-12',
      ]);
    });

    test('is rejected where the Service has no endpoints, and dropped where it is not exported', () => {
      expect(ask(worldWith([]))).toEqual(['rejected']);
      expect(ask(worldWith([podNetwork(2)], cluster(2, 1)))).toEqual(['dropped']);
    });
  });

  test('cannot begin at an address that no Node has', () => {
    expect(() => allRoundTrips(world, packet('192.0.2.1', '10.2.2.5'))).toThrow(
      'no Node has the address 192.0.2.1, or a Pod with it',
    );
  });
});
