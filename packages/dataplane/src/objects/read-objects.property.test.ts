import type { ClusterInfoImport, EndpointSlice, Node, Service, ServiceExport } from '@isthmus/api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNetworkPlanner, desiredNetwork } from '../desired/desired-network.ts';
import type { AgentObjects } from './read-objects.ts';
import { createObjectReader } from './read-objects.ts';
import { sliceKey } from './service-keys.ts';

/** The objects of a cluster by kind and name. A change replaces, adds or removes one. */
interface Objects {
  readonly nodes: Map<string, Node>;
  readonly infos: Map<string, ClusterInfoImport>;
  readonly services: Map<string, Service>;
  readonly exports: Map<string, ServiceExport>;
  readonly slices: Map<string, EndpointSlice>;
}
type Change = (objects: Objects) => void;

const number = (max: number) => fc.integer({ min: 1, max });
const put =
  <T>(kind: keyof Objects, name: string, object: T | undefined): Change =>
  (objects) => {
    const all = objects[kind] as Map<string, unknown>;
    if (object === undefined) all.delete(name);
    else all.set(name, object);
  };
const orGone = <T>(object: fc.Arbitrary<T>) => fc.option(object, { nil: undefined, freq: 5 });

const nodeChanges = fc
  .tuple(number(3), orGone(fc.record({ isGateway: fc.boolean(), host: number(3) })))
  .map(([at, drawn]) =>
    put<Node>(
      'nodes',
      `node-${at}`,
      // The Node of the agent is kept.
      drawn === undefined && at !== 1
        ? undefined
        : {
            apiVersion: 'v1',
            kind: 'Node',
            metadata: {
              name: `node-${at}`,
              annotations: { 'multicluster.antrea.io/gateway': String(drawn?.isGateway ?? true) },
            },
            spec: { podCIDRs: [`10.1.${at}.0/24`] },
            status: { addresses: [{ type: 'InternalIP', address: `172.30.${at}.${drawn?.host ?? 1}` }] },
          },
    ),
  );
const infoChanges = fc.tuple(number(4), orGone(fc.array(number(3), { maxLength: 2 }))).map(([at, gateways]) =>
  put<ClusterInfoImport>(
    'infos',
    `c${at}-clusterinfo`,
    gateways && {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ClusterInfoImport',
      metadata: { name: `c${at}-clusterinfo`, namespace: 'kube-system' },
      spec: {
        clusterID: `c${at}`,
        // The first cluster has ranges that are partly in this cluster.
        podCIDRs: [`10.${at}.0.0/16`, `fd00:${at}::/48`],
        serviceCIDR: `10.${100 + at}.0.0/16`,
        gatewayInfos: gateways.map((host) => ({ gatewayIP: `172.31.${at}.${host}` })),
      },
    },
  ),
);
const serviceChanges = fc
  .tuple(
    number(5),
    orGone(
      fc.record({
        protocol: fc.constantFrom('TCP', 'UDP'),
        isImported: fc.boolean(),
        address: number(6),
        affinity: fc.constantFrom('None', 'ClientIP'),
        order: fc.constantFrom(undefined, 'local,c2'),
      }),
    ),
  )
  .map(([at, drawn]) =>
    put<Service>(
      'services',
      `antrea-mc-s${at}`,
      drawn && {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: `antrea-mc-s${at}`,
          namespace: 'shop',
          annotations: {
            ...(drawn.isImported && { 'multicluster.antrea.io/imported-service': 'true' }),
            ...(drawn.order !== undefined && { 'isthmus.dev/cluster-order': drawn.order }),
          },
        },
        spec: {
          // Two Services never have the same address.
          clusterIPs: [`10.99.${at}.${drawn.address}`],
          sessionAffinity: drawn.affinity,
          ports: [{ name: 'main', port: 80, protocol: drawn.protocol }],
        },
      },
    ),
  );
const exportChanges = fc.tuple(number(5), fc.boolean()).map(([at, exists]) =>
  put<ServiceExport>(
    'exports',
    `antrea-mc-s${at}`,
    exists
      ? {
          apiVersion: 'multicluster.x-k8s.io/v1alpha1',
          kind: 'ServiceExport',
          metadata: { name: `antrea-mc-s${at}`, namespace: 'shop' },
        }
      : undefined,
  ),
);
const sliceChanges = fc
  .tuple(
    number(5),
    number(4),
    orGone(
      fc.record({
        protocol: fc.constantFrom('TCP', 'UDP'),
        hosts: fc.uniqueArray(fc.tuple(number(5), number(4)), { selector: String, maxLength: 4 }),
        isReady: fc.boolean(),
      }),
    ),
  )
  .map(([service, from, drawn]) =>
    put<EndpointSlice>(
      'slices',
      `s${service}-c${from}`,
      drawn && {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: `s${service}-c${from}`,
          namespace: 'shop',
          labels: {
            'kubernetes.io/service-name': `antrea-mc-s${service}`,
            'multicluster.kubernetes.io/source-cluster': `c${from}`,
          },
        },
        addressType: 'IPv4',
        // Some endpoints are in another cluster than the one that exports them.
        endpoints: drawn.hosts.map(([cluster, host]) => ({
          addresses: [`10.${cluster}.2.${host}`],
          conditions: { ready: drawn.isReady },
        })),
        ports: [{ name: 'main', port: 8080, protocol: drawn.protocol }],
      },
    ),
  );
// Endpoints change most often.
const changes = fc.oneof(
  { arbitrary: sliceChanges, weight: 6 },
  { arbitrary: serviceChanges, weight: 3 },
  nodeChanges,
  infoChanges,
  exportChanges,
);

const agentObjects = ({ nodes, infos, services, exports, slices }: Objects): AgentObjects => {
  const sorted = <T>(all: ReadonlyMap<string, T>) =>
    [...all].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  const ofService = Map.groupBy(sorted(slices), sliceKey);
  return {
    node: 'node-1',
    nodes: sorted(nodes),
    clusterInfoImports: sorted(infos),
    services: sorted(services),
    serviceExports: sorted(exports),
    slicesOf: (key) => ofService.get(key) ?? [],
    podCIDRs: [],
    settings,
  };
};
const settings = { port: 8479, underlayMTU: 1500 };

test('what an agent reads and plans is after 500 changes of objects, at each of them, what it is from a fresh start, and parts that no change touches are the same objects', () => {
  fc.assert(
    fc.property(fc.array(changes, { minLength: 500, maxLength: 500, size: 'max' }), (all) => {
      const objects: Objects = {
        nodes: new Map(),
        infos: new Map(),
        services: new Map(),
        exports: new Map(),
        slices: new Map(),
      };
      const read = createObjectReader();
      const plan = createNetworkPlanner();
      for (const change of all) {
        change(objects);
        const now = agentObjects(objects);
        const found = read(now);
        expect(found).toEqual(createObjectReader()(now));
        if (found.network === undefined) continue;
        const network = plan(found.network);
        expect(network).toEqual(desiredNetwork(found.network));
        const again = plan(read(agentObjects(objects)).network ?? found.network);
        for (const [name, chain] of again.chains) expect(chain).toBe(network.chains.get(name));
        expect(again.routes).toBe(network.routes);
      }
    }),
    // Without shrinking, which would take as long as hundreds of runs.
    { numRuns: 1, endOnFailure: true },
  );
});
