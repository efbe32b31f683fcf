import fc from 'fast-check';
import type {
  ClusterNetwork,
  ImportedService,
  OwnNode,
  RemoteCluster,
  ServiceEndpoint,
} from '../desired/cluster-network.ts';
import { addressText } from '@isthmus/machinery';
import { directKey } from '../desired/direct-paths.ts';
import { address, cidr } from './addresses.ts';

/** A WireGuard public key: 32 bytes in base64. */
const keyOf = (cluster: number, host: number) => Buffer.alloc(32, 16 * cluster + host).toString('base64');

type Drawn = ReturnType<typeof draws> extends fc.Arbitrary<infer T> ? T : never;

/**
 * A small random cluster, seen from one of its Nodes, with other clusters and imported Services.
 */
export function clusterNetworks(): fc.Arbitrary<ClusterNetwork> {
  return draws().map((drawn) => {
    const nodes = nodesOf(drawn);
    return {
      node: nodes[0]?.name ?? '',
      nodes,
      podCIDRs: [cidr('10.1.0.0/16'), cidr('fd00:1::/48')],
      virtualCIDRs: drawn.isVirtual
        ? [
            { own: cidr('10.1.0.0/16'), virtual: cidr('100.64.0.0/16') },
            { own: cidr('fd00:1::/48'), virtual: cidr('fd00:64::/48') },
          ]
        : [],
      remotes: remotesOf(drawn),
      services: servicesOf(drawn),
      exported: drawn.exported.map((number) =>
        address(number % 2 === 0 ? `10.201.0.${number}` : `fd00:96:1::${number}`),
      ),
      identities: drawn.identities.flatMap(([host, id]) => [
        { address: address(`10.1.1.${host}`), id },
        { address: address(`fd00:1:0:1::${host}`), id },
      ]),
      egress: drawn.denied.map((services, index) => ({
        name: `class-${index}`,
        addresses:
          index === 0 ? ('node' as const) : [address(`10.1.1.${10 + index}`), address(`fd00:1:0:1::${10 + index}`)],
        denied: Object.fromEntries(services.map(([number, verdict]) => [`shop/service-${number}`, verdict])),
      })),
      settings: {
        port: drawn.port,
        underlayMTU: drawn.underlayMTU,
        underlayDevice: drawn.underlayDevice,
        nodeDevices: drawn.nodeDevices,
        carriesLabels: drawn.carriesLabels,
        wireGuardPort: drawn.isEncrypted ? 51_821 : undefined,
        ...(drawn.findsDirectPaths && { findsDirectPaths: true }),
      },
      ...(drawn.findsDirectPaths && {
        direct: new Set(
          drawn.direct.map((number) =>
            directKey({ clusterID: `cluster-${number}` }, number % 2 === 0 ? 'IPv4' : 'IPv6'),
          ),
        ),
      }),
    };
  });
}

function draws() {
  return fc.record({
    nodes: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
    gateways: fc.integer({ min: 0, max: 15 }),
    remotes: fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { maxLength: 3 }),
    remoteGateways: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 3, maxLength: 3 }),
    services: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }),
    endpoints: fc.array(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })), { maxLength: 4 }),
      {
        minLength: 4,
        maxLength: 4,
      },
    ),
    underlayMTU: fc.constantFrom(1500, 9000),
    port: fc.constantFrom(8479, 4789),
    isIPv6: fc.boolean(),
    options: fc.array(serviceOptions(), { minLength: 4, maxLength: 4 }),
    zone: fc.constantFrom(undefined, 'zone-1', 'zone-2'),
    isEncrypted: fc.boolean(),
    isVirtual: fc.boolean(),
    findsDirectPaths: fc.boolean(),
    direct: fc.uniqueArray(fc.integer({ min: 2, max: 9 })),
    exported: fc.uniqueArray(fc.integer({ min: 1, max: 5 })),
    carriesLabels: fc.boolean(),
    underlayDevice: fc.constantFrom('eth0', undefined),
    nodeDevices: fc.constantFrom(undefined, ['eth0']),
    denied: fc.array(
      fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('drop' as const, 'reject' as const)), {
        selector: ([number]) => number,
        minLength: 1,
        maxLength: 3,
      }),
      { maxLength: 3 },
    ),
    identities: fc.uniqueArray(fc.tuple(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 1, max: 0xff_ffff })), {
      selector: ([host]) => host,
      maxLength: 4,
    }),
  });
}

function nodesOf(drawn: Drawn): readonly OwnNode[] {
  return drawn.nodes.map((number, index): OwnNode => ({
    name: `node-${number}`,
    address: address(drawn.isIPv6 ? `fd00:172::${number}` : `172.30.1.${number}`),
    podCIDRs: [cidr(`10.1.${number}.0/24`), cidr(`fd00:1:0:${number}::/64`)],
    isGateway: ((drawn.gateways >> index) & 1) === 1,
    ...(drawn.zone === undefined ? {} : { zone: drawn.zone }),
  }));
}

function remotesOf(drawn: Drawn): readonly RemoteCluster[] {
  return drawn.remotes.map((number, index): RemoteCluster => {
    const gatewayIPs = Array.from({ length: drawn.remoteGateways[index] ?? 0 }, (_, host) =>
      address(drawn.isIPv6 ? `fd00:172::${number}:${host + 1}` : `172.30.${number}.${host + 1}`),
    );
    return {
      clusterID: `cluster-${number}`,
      podCIDRs: [cidr(`10.${number}.0.0/16`), cidr(`fd00:${number}::/48`)],
      // Every third cluster announces none.
      ...(number % 3 === 0
        ? {}
        : { serviceCIDR: cidr(number % 2 === 0 ? `10.${200 + number}.0.0/16` : `fd00:96:${number}::/112`) }),
      gatewayIPs,
      // The third cluster has none.
      publicKeys: Object.fromEntries(
        gatewayIPs.slice(0, 2).map((one, host) => [addressText(one), keyOf(number, host)]),
      ),
    };
  });
}

function servicesOf(drawn: Drawn): readonly ImportedService[] {
  return drawn.services.map((number, index): ImportedService => {
    const isIPv6 = number % 2 === 0;
    const pairs = new Map(
      (drawn.endpoints[index] ?? []).map(([cluster, host]) => [`${cluster} ${host}`, [cluster, host] as const]),
    );
    return {
      namespace: 'shop',
      name: `service-${number}`,
      protocol: number % 3 === 0 ? 'UDP' : 'TCP',
      address: address(isIPv6 ? `fd00:99::${number}` : `10.99.0.${number}`),
      port: 80,
      ...drawn.options[index],
      // Cluster 1 is the own cluster.
      endpoints: [...pairs.values()].map(([cluster, host]): ServiceEndpoint => ({
        clusterID: cluster === 1 ? '' : `cluster-${cluster}`,
        ...(cluster === 1 ? { node: `node-${host}` } : {}),
        ...(host === 3 ? { isTerminating: true } : {}),
        zones: [`zone-${host}`],
        address: address(isIPv6 ? `fd00:${cluster}:0:1::${host}` : `10.${cluster}.1.${host}`),
        port: 8080,
      })),
    };
  });
}

/** The options that users can choose for a Service, some of them set. */
function serviceOptions() {
  return fc.record(
    {
      affinitySeconds: fc.constantFrom(1, 10_800),
      isNodeLocal: fc.boolean(),
      nearest: fc.constantFrom('Zone' as const, 'Node' as const),
      clusterOrder: fc.shuffledSubarray(['', 'cluster-2', 'cluster-3']),
      clusterWeights: fc
        .array(fc.tuple(fc.constantFrom('', 'cluster-2', 'cluster-3'), fc.integer({ min: 0, max: 100 })))
        .map((weights) => new Map(weights)),
    },
    { requiredKeys: [] },
  );
}
