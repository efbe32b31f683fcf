import {
  EndpointSlice,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  eastPorts,
  exportService,
  leaderNamespace,
  putPod,
  westPorts,
} from '@isthmus/fleet-sim';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainObject } from '../testing/plain-object.ts';

const t1 = '2026-11-21T10:00:00Z';
const t2 = '2026-11-21T10:00:05Z';
const managed = { 'app.kubernetes.io/managed-by': 'isthmus' };
const marks = { 'isthmus.dev/withdrawals': 'marked' };
const conflictMessage =
  "Port http is TCP 80 in west (exported first) and TCP 8081 in east; east's endpoints are not used for it";
/** As the exporters report it, with the next step. */
const resolvable = `${conflictMessage}. To resolve it, make them the same in every exporting cluster: kubectl -n shop edit service cart`;

/** The exports of a cluster: addresses and ports as others see them. */
const westEndpointPorts = [
  { name: 'http', port: 80, protocol: 'TCP' },
  { name: 'metrics', port: 9090, protocol: 'TCP' },
];
const eastEndpointPorts = [
  { name: 'http', port: 8081, protocol: 'TCP' },
  { name: 'admin', port: 9000, protocol: 'TCP' },
];
const adminPort = [{ name: 'admin', port: 9000, protocol: 'TCP' }];
const mergedPorts = [
  { name: 'http', protocol: 'TCP', port: 80 },
  { name: 'metrics', protocol: 'TCP', port: 9090 },
  { name: 'admin', protocol: 'TCP', port: 9000 },
];

function putCart(cluster: VirtualCluster, clusterIP: string, ports: readonly ServicePort[]): void {
  cluster.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  cluster.server.admin.put(Service, { metadata: { ...cart }, spec: { clusterIP, selector: { app: 'cart' }, ports } });
}

describe('the walkthrough of the wire, object by object', () => {
  let fleet: VirtualFleet;

  beforeAll(async () => {
    fleet = await createVirtualFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
    putCart(fleet.cluster('west'), '10.97.0.10', westPorts);
    putPod(fleet.cluster('west'), 'cart-1', '10.20.1.5');
    putPod(fleet.cluster('west'), 'cart-2', '10.20.2.7');
    putCart(fleet.cluster('east'), '10.96.0.20', eastPorts);
    putPod(fleet.cluster('east'), 'cart-1', '10.10.3.4');
    exportService(fleet.cluster('west'));
    await fleet.clock.advance(5_000);
    exportService(fleet.cluster('east'));
    await fleet.clock.advance(10_000);
  });

  afterAll(() => fleet[Symbol.asyncDispose]());

  const exported = (name: string) =>
    plainObject(fleet.leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name }));
  const imported = (name: string) =>
    plainObject(fleet.leader.server.admin.get(ResourceImport, { namespace: leaderNamespace, name }));
  const local = (cluster: string) => fleet.cluster(cluster).server.admin;

  /** Chosen by the API server. */
  const importedClusterIP = (cluster: string) => local(cluster).get(Service, derivedCart)?.spec?.clusterIP ?? '';

  it.each([
    ['west', westPorts],
    ['east', eastPorts],
  ] as const)('has the Service export of %s', (clusterID, ports) => {
    expect(exported(`${clusterID}-shop-cart-service`)).toEqual({
      metadata: {
        name: `${clusterID}-shop-cart-service`,
        namespace: 'antrea-multicluster',
        finalizers: ['resourceexport.antrea.io/finalizer'],
        labels: {
          sourceName: 'cart',
          sourceNamespace: 'shop',
          sourceClusterID: clusterID,
          sourceKind: 'Service',
          ...managed,
        },
        annotations: marks,
      },
      spec: {
        clusterID,
        kind: 'Service',
        namespace: 'shop',
        name: 'cart',
        service: {
          serviceSpec: { ports, sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', ipFamilies: ['IPv4'] },
        },
      },
      status: {
        conditions: [
          // Before, the published import was the answer to the only exporter.
          { type: 'Succeeded', status: 'True', lastTransitionTime: t2 },
          {
            type: 'Conflict',
            status: 'True',
            reason: 'PortConflict',
            message: conflictMessage,
            lastTransitionTime: t2,
          },
        ],
      },
    });
  });

  it.each([
    ['west', '10.97.0.10', westEndpointPorts],
    ['east', '10.96.0.20', eastEndpointPorts],
  ] as const)('has the Endpoints export of %s', (clusterID, ip, ports) => {
    expect(exported(`${clusterID}-shop-cart-endpoints`)).toEqual({
      metadata: {
        name: `${clusterID}-shop-cart-endpoints`,
        namespace: 'antrea-multicluster',
        finalizers: ['resourceexport.antrea.io/finalizer'],
        labels: {
          sourceName: 'cart',
          sourceNamespace: 'shop',
          sourceClusterID: clusterID,
          sourceKind: 'Endpoints',
          ...managed,
        },
        annotations: { 'isthmus.dev/endpoint-ip-type': 'ClusterIP', ...marks },
      },
      spec: {
        clusterID,
        kind: 'Endpoints',
        namespace: 'shop',
        name: 'cart',
        endpoints: { subsets: [{ addresses: [{ ip }], ports }] },
        endpointSlices: [{ addressType: 'IPv4', endpoints: [{ addresses: [ip], conditions: { ready: true } }], ports }],
      },
      status: { conditions: [{ type: 'Succeeded', status: 'True', lastTransitionTime: t2 }] },
    });
  });

  it('has the merged Service import', () => {
    expect(imported('shop-cart-service')).toEqual({
      metadata: {
        name: 'shop-cart-service',
        namespace: 'antrea-multicluster',
        labels: { sourceKind: 'ServiceImport', sourceNamespace: 'shop', sourceName: 'cart', ...managed },
        annotations: marks,
      },
      spec: {
        kind: 'ServiceImport',
        namespace: 'shop',
        name: 'cart',
        serviceImport: {
          spec: {
            type: 'ClusterSetIP',
            ports: mergedPorts,
            sessionAffinity: 'None',
            internalTrafficPolicy: 'Cluster',
          },
        },
      },
    });
  });

  it('has the merged Endpoints import, its subsets sorted by cluster', () => {
    expect(imported('shop-cart-endpoints')).toEqual({
      metadata: {
        name: 'shop-cart-endpoints',
        namespace: 'antrea-multicluster',
        labels: { sourceKind: 'Endpoints', sourceNamespace: 'shop', sourceName: 'cart', ...managed },
        annotations: marks,
      },
      spec: {
        kind: 'Endpoints',
        namespace: 'shop',
        name: 'cart',
        endpoints: {
          subsets: [
            { addresses: [{ ip: '10.96.0.20' }], ports: adminPort },
            { addresses: [{ ip: '10.97.0.10' }], ports: westEndpointPorts },
          ],
        },
        endpointSlices: [],
      },
    });
  });

  it.each([
    ['west', '10.97.0.10', westEndpointPorts, t1],
    ['east', '10.96.0.20', adminPort, t2],
  ] as const)('has the import of the endpoints of %s', (clusterID, ip, ports, time) => {
    expect(imported(`shop-cart-endpoints.${clusterID}`)).toEqual({
      metadata: {
        name: `shop-cart-endpoints.${clusterID}`,
        namespace: 'antrea-multicluster',
        labels: {
          sourceKind: 'EndpointSlices',
          sourceNamespace: 'shop',
          sourceName: 'cart',
          sourceClusterID: clusterID,
          ...managed,
        },
        annotations: {
          'isthmus.dev/first-exported': time,
          'isthmus.dev/source-withdrawals': 'marked',
          ...marks,
        },
      },
      spec: {
        kind: 'EndpointSlices',
        namespace: 'shop',
        name: 'cart',
        endpointSlices: [{ addressType: 'IPv4', endpoints: [{ addresses: [ip], conditions: { ready: true } }], ports }],
      },
    });
  });

  it('nothing else exists in the Common Area', () => {
    const { admin } = fleet.leader.server;
    expect(admin.list(ResourceExport)).toHaveLength(4);
    expect(admin.list(ResourceImport)).toHaveLength(4);
  });

  it.each(['west', 'east'])('has the imported Service in %s', (cluster) => {
    const clusterIP = importedClusterIP(cluster);
    expect(plainObject(local(cluster).get(Service, derivedCart))).toEqual({
      metadata: {
        name: 'antrea-mc-cart',
        namespace: 'shop',
        annotations: { 'multicluster.antrea.io/imported-service': 'true' },
        labels: managed,
      },
      spec: {
        type: 'ClusterIP',
        ports: mergedPorts.map((port) => ({ ...port, targetPort: port.port })),
        // Set by the API server.
        clusterIP,
        clusterIPs: [clusterIP],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    });
  });

  it.each([
    // Its endpoints in east have come a moment ago.
    ['west', t1, { status: 'True', reason: 'Ready', message: 'The Service is imported' }],
    [
      'east',
      t2,
      {
        status: 'False',
        reason: 'NoDataPlane',
        message:
          'Calls to endpoints in west time out: they are ClusterIPs, which only gateways make reachable, and this cluster has none. Condition NoDataPlane has the next steps: kubectl -n kube-system describe clustersets',
      },
    ],
  ] as const)('has the ServiceImport in %s', (cluster, firstExported, ready) => {
    const clusterIP = importedClusterIP(cluster);
    expect(plainObject(local(cluster).get(ServiceImport, cart))).toEqual({
      metadata: {
        name: 'cart',
        namespace: 'shop',
        labels: managed,
        annotations: {
          'isthmus.dev/first-exported': firstExported,
          'isthmus.dev/imported-from': 'north/antrea-multicluster',
          ...marks,
        },
      },
      spec: {
        type: 'ClusterSetIP',
        ips: [clusterIP],
        ipFamilies: ['IPv4'],
        ports: mergedPorts,
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
      },
      status: {
        clusters: [{ cluster: 'east' }, { cluster: 'west' }],
        endpointSliceObjects: 'Present',
        conditions: [
          {
            type: 'Ready',
            lastTransitionTime: t1,
            ...ready,
          },
        ],
      },
    });
  });

  const slice = (cluster: string, source: string) => {
    const found = local(cluster)
      .list(EndpointSlice, 'shop')
      .filter(({ metadata: { labels } }) => labels?.['multicluster.kubernetes.io/source-cluster'] === source);
    expect(found).toHaveLength(1);
    const [one] = found;
    return { name: one?.metadata.name, slice: plainObject(one) };
  };

  it.each([
    ['west', 'east', ['10.96.0.20'], adminPort],
    [
      'west',
      'west',
      ['10.20.1.5', '10.20.2.7'],
      [
        { name: 'http', port: 8080, protocol: 'TCP' },
        { name: 'metrics', port: 9090, protocol: 'TCP' },
      ],
    ],
    ['east', 'west', ['10.97.0.10'], westEndpointPorts],
    ['east', 'east', ['10.10.3.4'], adminPort],
  ] as const)('has the slice that %s makes of the endpoints of %s', (cluster, source, addresses, ports) => {
    const { name, slice: found } = slice(cluster, source);
    expect(name).toMatch(new RegExp(`^antrea-mc-cart-${source}-[a-z0-9]{7}-ipv4-0$`));
    expect(found).toEqual({
      metadata: {
        name,
        namespace: 'shop',
        labels: {
          'kubernetes.io/service-name': 'antrea-mc-cart',
          'multicluster.kubernetes.io/service-name': 'cart',
          'multicluster.kubernetes.io/source-cluster': source,
          'endpointslice.kubernetes.io/managed-by': 'isthmus.dev',
          ...managed,
        },
        ownerReferences: [{ apiVersion: 'v1', name: 'antrea-mc-cart' }],
      },
      addressType: 'IPv4',
      endpoints: addresses.map((address) => ({
        addresses: [address],
        conditions: { ready: true },
        ...(source === cluster ? { nodeName: 'node-1' } : {}),
      })),
      ports,
    });
  });

  it('has only its own slices under the name of the exported Service', () => {
    for (const cluster of ['east', 'west']) {
      const found = local(cluster)
        .list(EndpointSlice, 'shop')
        .filter(({ metadata: { labels } }) => labels?.['kubernetes.io/service-name'] === 'cart');
      expect(found.map(({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by'])).toEqual([
        'endpointslice-controller.k8s.io',
      ]);
    }
  });

  it.each([
    ['west', t1],
    ['east', t2],
  ] as const)('reports on the ServiceExport of %s that it is exported, and the conflict', (cluster, time) => {
    expect(plainObject(local(cluster).get(ServiceExport, cart))).toMatchObject({
      status: {
        conditions: [
          { type: 'Valid', status: 'True', reason: 'Valid', lastTransitionTime: time },
          {
            type: 'Ready',
            status: 'True',
            reason: 'Exported',
            message: 'The Service is exported successfully',
            lastTransitionTime: time,
          },
          {
            type: 'Conflict',
            status: 'True',
            reason: 'PortConflict',
            message: resolvable,
            lastTransitionTime: t2,
          },
        ],
      },
    });
  });
});
