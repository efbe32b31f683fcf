import {
  EndpointSlice,
  Label,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { conditionOf, parseYaml } from '@isthmus/machinery';
import type { RealFleet } from '@isthmus/testkit';
import { cart, derivedCart, eastPorts, leaderNamespace, westPorts } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asOnPage } from './testing/as-on-page.ts';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

let fleet: RealFleet;
/** When each member first exported, by the clock of the leader's API server. */
let first: { readonly west: string; readonly east: string };

const northAdmin = () => fleet.leader.admin;
const exported = (name: string) => northAdmin().get(ResourceExport, { namespace: leaderNamespace, name });
const imported = (name: string) => northAdmin().get(ResourceImport, { namespace: leaderNamespace, name });

beforeAll(async () => {
  // In this order the Service networks are 10.96.0.0/16 for east and 10.97.0.0/16 for west, as on
  // the page.
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
  const [east, west] = [fleet.cluster('east').user, fleet.cluster('west').user];
  await Promise.all([east.namespace('shop'), west.namespace('shop')]);
  await west.service(cart, { clusterIP: '10.97.0.10', selector: { app: 'cart' }, ports: westPorts });
  await west.pod({ namespace: 'shop', name: 'cart-1' }, { app: 'cart', ip: '10.20.1.5' });
  await west.pod({ namespace: 'shop', name: 'cart-2' }, { app: 'cart', ip: '10.20.2.7' });
  await west.export(cart);
  const westView = fleet.cluster('west').view;
  await fleet.eventually('west has exported', () => westView.exported(cart, 'Ready'), 'True Exported');
  const firstOf = async (cluster: string) =>
    (await exported(`${cluster}-shop-cart-service`)).metadata.creationTimestamp ?? '';
  const t1 = await firstOf('west');
  // Creation times have whole seconds.
  await fleet.until('the second of the first export is over', async () => Date.now() >= Date.parse(t1) + 1_000);

  await east.service(cart, { clusterIP: '10.96.0.20', selector: { app: 'cart' }, ports: eastPorts });
  await east.pod({ namespace: 'shop', name: 'cart-1' }, { app: 'cart', ip: '10.10.3.4' });
  await east.export(cart);
  for (const [name, own] of [
    ['east', ['east: 10.10.3.4 admin:9000', 'west: 10.97.0.10 http:80,metrics:9090']],
    ['west', ['east: 10.96.0.20 admin:9000', 'west: 10.20.1.5,10.20.2.7 http:8080,metrics:9090']],
  ] as const) {
    const { view } = fleet.cluster(name);
    await fleet.eventually(`${name} is told`, () => view.exported(cart, 'Conflict'), 'True PortConflict');
    await fleet.eventually(`the slices of ${name}`, () => view.slices(cart), own);
    const ports = ['http TCP 80', 'metrics TCP 9090', 'admin TCP 9000'];
    await fleet.eventually(`the ports of ${name}`, () => view.importedPorts(cart), ports);
    const clusters = async () => (await fleet.cluster(name).user.find(ServiceImport, cart))?.status?.clusters;
    await fleet.eventually(`the clusters of ${name}`, clusters, [{ cluster: 'east' }, { cluster: 'west' }]);
  }
  first = { west: t1, east: await firstOf('east') };
});

afterAll(() => fleet?.[Symbol.asyncDispose]());

/** One object in the form of the page. */
function page(yaml: string): unknown {
  return parseYaml(yaml, { source: 'docs/spec/wire.md' })[0]?.value;
}

const managed = 'app.kubernetes.io/managed-by: isthmus';
const conflict =
  "Port http is TCP 80 in west (exported first) and TCP 8081 in east; east's endpoints are not used for it";
/** As the exporters report it, with the next step. */
const resolvable = `${conflict}. To resolve it, make them the same in every exporting cluster: kubectl -n shop edit service cart`;

describe('the walkthrough of the wire on three real API servers', () => {
  it('west writes its Service export', async () => {
    expect(asOnPage(await exported('west-shop-cart-service'))).toEqual(
      page(`
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ResourceExport
metadata:
  name: west-shop-cart-service
  namespace: antrea-multicluster
  finalizers: [resourceexport.antrea.io/finalizer]
  labels: {sourceName: cart, sourceNamespace: shop, sourceClusterID: west, sourceKind: Service, ${managed}}
spec:
  clusterID: west
  kind: Service
  namespace: shop
  name: cart
  service:
    serviceSpec:
      ports: [{name: http, protocol: TCP, port: 80, targetPort: 8080}, {name: metrics, protocol: TCP, port: 9090, targetPort: 9090}]
      sessionAffinity: None
      internalTrafficPolicy: Cluster
      ipFamilies: [IPv4]
status:
  conditions:
    - {type: Succeeded, status: 'True'}
    - {type: Conflict, status: 'True', reason: PortConflict, message: "${conflict}"}
`),
    );
  });

  it('east writes its Service export in the same way', async () => {
    expect(asOnPage(await exported('east-shop-cart-service'))).toEqual(
      page(`
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ResourceExport
metadata:
  name: east-shop-cart-service
  namespace: antrea-multicluster
  finalizers: [resourceexport.antrea.io/finalizer]
  labels: {sourceName: cart, sourceNamespace: shop, sourceClusterID: east, sourceKind: Service, ${managed}}
spec:
  clusterID: east
  kind: Service
  namespace: shop
  name: cart
  service:
    serviceSpec:
      ports: [{name: http, protocol: TCP, port: 8081, targetPort: 8080}, {name: admin, protocol: TCP, port: 9000, targetPort: 9000}]
      sessionAffinity: None
      internalTrafficPolicy: Cluster
      ipFamilies: [IPv4]
status:
  conditions:
    - {type: Succeeded, status: 'True'}
    - {type: Conflict, status: 'True', reason: PortConflict, message: "${conflict}"}
`),
    );
  });

  it.each([
    ['west', '10.97.0.10', '{name: http, port: 80, protocol: TCP}, {name: metrics, port: 9090, protocol: TCP}'],
    ['east', '10.96.0.20', '{name: http, port: 8081, protocol: TCP}, {name: admin, port: 9000, protocol: TCP}'],
  ])('%s writes its Endpoints export, in both forms', async (clusterID, ip, ports) => {
    expect(asOnPage(await exported(`${clusterID}-shop-cart-endpoints`))).toEqual(
      page(`
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ResourceExport
metadata:
  name: ${clusterID}-shop-cart-endpoints
  namespace: antrea-multicluster
  finalizers: [resourceexport.antrea.io/finalizer]
  labels: {sourceName: cart, sourceNamespace: shop, sourceClusterID: ${clusterID}, sourceKind: Endpoints, ${managed}}
spec:
  clusterID: ${clusterID}
  kind: Endpoints
  namespace: shop
  name: cart
  endpoints:
    subsets: [{addresses: [{ip: ${ip}}], ports: [${ports}]}]
  endpointSlices:
    - addressType: IPv4
      endpoints: [{addresses: [${ip}], conditions: {ready: true}}]
      ports: [${ports}]
status:
  conditions:
    - {type: Succeeded, status: 'True'}
`),
    );
  });

  it('the leader derives the Service import, a union of ports in the order of the oldest export', async () => {
    expect(asOnPage(await imported('shop-cart-service'))).toEqual(
      page(`
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ResourceImport
metadata:
  name: shop-cart-service
  namespace: antrea-multicluster
  labels: {sourceKind: ServiceImport, sourceNamespace: shop, sourceName: cart, ${managed}}
spec:
  kind: ServiceImport
  namespace: shop
  name: cart
  serviceImport:
    spec:
      type: ClusterSetIP
      ports: [{name: http, protocol: TCP, port: 80}, {name: metrics, protocol: TCP, port: 9090}, {name: admin, protocol: TCP, port: 9000}]
      sessionAffinity: None
      internalTrafficPolicy: Cluster
`),
    );
  });

  it('the leader derives the merged Endpoints import, its subsets sorted by source cluster', async () => {
    expect(asOnPage(await imported('shop-cart-endpoints'))).toEqual(
      page(`
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ResourceImport
metadata:
  name: shop-cart-endpoints
  namespace: antrea-multicluster
  labels: {sourceKind: Endpoints, sourceNamespace: shop, sourceName: cart, ${managed}}
spec:
  kind: Endpoints
  namespace: shop
  name: cart
  endpoints:
    subsets:
      - {addresses: [{ip: 10.96.0.20}], ports: [{name: admin, port: 9000, protocol: TCP}]}
      - {addresses: [{ip: 10.97.0.10}], ports: [{name: http, port: 80, protocol: TCP}, {name: metrics, port: 9090, protocol: TCP}]}
  endpointSlices: []
`),
    );
  });

  it.each([
    ['west', '10.97.0.10', '{name: http, port: 80, protocol: TCP}, {name: metrics, port: 9090, protocol: TCP}'],
    ['east', '10.96.0.20', '{name: admin, port: 9000, protocol: TCP}'],
  ] as const)('the leader derives an import of the endpoints of %s alone', async (clusterID, ip, ports) => {
    const object = await imported(`shop-cart-endpoints.${clusterID}`);
    expect(asOnPage(object)).toEqual(
      page(`
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ResourceImport
metadata:
  name: shop-cart-endpoints.${clusterID}
  namespace: antrea-multicluster
  labels: {sourceKind: EndpointSlices, sourceNamespace: shop, sourceName: cart, sourceClusterID: ${clusterID}, ${managed}}
spec:
  kind: EndpointSlices
  namespace: shop
  name: cart
  endpointSlices:
    - addressType: IPv4
      endpoints: [{addresses: [${ip}], conditions: {ready: true}}]
      ports: [${ports}]
`),
    );
    expect(object.metadata.annotations).toEqual({
      'isthmus.dev/first-exported': first[clusterID],
      'isthmus.dev/withdrawals': 'marked',
      'isthmus.dev/source-withdrawals': 'marked',
    });
  });

  it('the first export is the older one, and nothing else exists in the Common Area', async () => {
    expect(first.west < first.east).toBe(true);
    expect(await fleet.leader.view.commonArea()).toEqual({
      exports: [
        'east-shop-cart-endpoints',
        'east-shop-cart-service',
        'west-shop-cart-endpoints',
        'west-shop-cart-service',
      ],
      imports: ['shop-cart-endpoints', 'shop-cart-endpoints.east', 'shop-cart-endpoints.west', 'shop-cart-service'],
    });
  });

  const local = <T extends KubernetesObject>(
    cluster: string,
    type: ResourceType<T>,
    ref = cart as typeof cart | typeof derivedCart,
  ) => fleet.cluster(cluster).admin.get(type, ref);

  it.each(['west', 'east'])(
    '%s creates the derived Service, with a ClusterIP of its own and no selector',
    async (cluster) => {
      const service = await local(cluster, Service, derivedCart);
      expect(asOnPage(service)).toEqual(
        page(`
apiVersion: v1
kind: Service
metadata:
  name: antrea-mc-cart
  namespace: shop
  annotations: {multicluster.antrea.io/imported-service: "true"}
  labels: {${managed}}
spec:
  type: ClusterIP
  ports: [{name: http, protocol: TCP, port: 80}, {name: metrics, protocol: TCP, port: 9090}, {name: admin, protocol: TCP, port: 9000}]
`),
      );
      expect(service.spec?.clusterIP).toMatch(cluster === 'east' ? /^10\.96\./ : /^10\.97\./);
    },
  );

  it.each(['west', 'east'])(
    '%s creates the ServiceImport, at the ClusterIP of the derived Service',
    async (cluster) => {
      const ip = (await local(cluster, Service, derivedCart)).spec?.clusterIP;
      const { status: { conditions, ...status } = {}, ...rest } = await local(cluster, ServiceImport);
      // Both have no gateways, and the endpoints of the other cluster come at different times.
      expect(['Ready', 'NoDataPlane']).toContain(conditionOf(conditions, 'Ready')?.reason);
      const whole: ServiceImport = { ...rest, status };
      expect(asOnPage(whole)).toEqual(
        page(`
apiVersion: multicluster.x-k8s.io/v1beta1
kind: ServiceImport
metadata: {name: cart, namespace: shop, labels: {${managed}}}
spec:
  type: ClusterSetIP
  ips: [${ip}]
  ipFamilies: [IPv4]
  ports: [{name: http, protocol: TCP, port: 80}, {name: metrics, protocol: TCP, port: 9090}, {name: admin, protocol: TCP, port: 9000}]
  sessionAffinity: None
status:
  clusters: [{cluster: east}, {cluster: west}]
  endpointSliceObjects: Present
`),
      );
    },
  );

  it.each([
    ['west', 'east', '[10.96.0.20]', '{name: admin, port: 9000, protocol: TCP}'],
    [
      'west',
      'west',
      '[10.20.1.5], [10.20.2.7]',
      '{name: http, port: 8080, protocol: TCP}, {name: metrics, port: 9090, protocol: TCP}',
    ],
    [
      'east',
      'west',
      '[10.97.0.10]',
      '{name: http, port: 80, protocol: TCP}, {name: metrics, port: 9090, protocol: TCP}',
    ],
    ['east', 'east', '[10.10.3.4]', '{name: admin, port: 9000, protocol: TCP}'],
  ])('%s creates one slice for the endpoints of %s', async (cluster, source, addresses, ports) => {
    const labelSelector = `${Label.mcsServiceName}=cart,${Label.mcsSourceCluster}=${source}`;
    const { items } = await fleet.cluster(cluster).admin.list(EndpointSlice, { namespace: 'shop', labelSelector });
    expect(items).toHaveLength(1);
    const [slice] = items;
    const name = slice?.metadata.name ?? '';
    expect(name).toMatch(new RegExp(`^antrea-mc-cart-${source}-`));
    const node = source === cluster ? `, nodeName: ${cluster}-node` : '';
    const endpoints = addresses
      .split(', ')
      .map((address) => `{addresses: ${address}, conditions: {ready: true}${node}}`);
    expect(asOnPage(slice)).toEqual(
      page(`
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: ${name}
  namespace: shop
  labels:
    kubernetes.io/service-name: antrea-mc-cart
    multicluster.kubernetes.io/service-name: cart
    multicluster.kubernetes.io/source-cluster: ${source}
    endpointslice.kubernetes.io/managed-by: isthmus.dev
    ${managed}
addressType: IPv4
endpoints: [${endpoints.join(', ')}]
ports: [${ports}]
`),
    );
  });

  it('no imported slice carries the name of the exported Service', async () => {
    for (const cluster of ['east', 'west']) {
      const labelSelector = `${Label.serviceName}=cart`;
      const { items } = await fleet.cluster(cluster).admin.list(EndpointSlice, { namespace: 'shop', labelSelector });
      expect(items.map(({ metadata }) => metadata.labels?.[Label.sliceManagedBy])).toEqual([
        'endpointslice-controller.k8s.io',
      ]);
    }
  });

  it.each(['west', 'east'])(
    'the ServiceExport of %s has the reasons Valid, Exported and PortConflict',
    async (cluster) => {
      expect(asOnPage(await local(cluster, ServiceExport))).toEqual(
        page(`
apiVersion: multicluster.x-k8s.io/v1beta1
kind: ServiceExport
metadata: {name: cart, namespace: shop}
status:
  conditions:
    - {type: Valid, status: 'True', reason: Valid, message: The Service can be exported}
    - {type: Ready, status: 'True', reason: Exported, message: The Service is exported successfully}
    - {type: Conflict, status: 'True', reason: PortConflict, message: "${resolvable}"}
`),
      );
    },
  );

  it('no imported or exported object has annotations that the wire does not define', async () => {
    const marks = { 'isthmus.dev/withdrawals': 'marked' };
    for (const cluster of ['east', 'west'] as const) {
      expect((await exported(`${cluster}-shop-cart-service`)).metadata.annotations).toEqual(marks);
      const { annotations } = (await exported(`${cluster}-shop-cart-endpoints`)).metadata;
      expect(annotations).toEqual({ 'isthmus.dev/endpoint-ip-type': 'ClusterIP', ...marks });
      const area = { 'isthmus.dev/imported-from': 'north/antrea-multicluster' };
      const stamp = { 'isthmus.dev/first-exported': first[cluster], ...area, ...marks };
      expect((await local(cluster, ServiceImport)).metadata.annotations).toEqual(stamp);
    }
  });

  it('when the older export is deleted, the younger one has its own http port at once', async () => {
    await fleet.cluster('west').user.unexport(cart);
    for (const cluster of ['east', 'west']) {
      const { view } = fleet.cluster(cluster);
      const ports = ['http TCP 8081', 'admin TCP 9000'];
      await fleet.eventually(`the ports in ${cluster}`, () => view.importedPorts(cart), ports);
    }
    const { view } = fleet.cluster('west');
    await fleet.eventually('west goes to east', () => view.slices(cart), ['east: 10.96.0.20 http:8081,admin:9000']);
    await fleet.eventually(
      'no conflict',
      () => fleet.cluster('east').view.exported(cart, 'Conflict'),
      'False NoConflicts',
    );
  });

  it('what is withdrawn by both leaves nothing behind, in any cluster', async () => {
    await fleet.cluster('east').user.unexport(cart);
    const nothing = { exports: [], imports: [] };
    await fleet.eventually('the Common Area', () => fleet.leader.view.commonArea(), nothing);
    for (const cluster of ['east', 'west']) {
      const { view } = fleet.cluster(cluster);
      await fleet.eventually(`Service in ${cluster}`, () => view.importedIP(cart), undefined);
      await fleet.eventually(`ServiceImport in ${cluster}`, () => view.importedPorts(cart), undefined);
      await fleet.eventually(`slices in ${cluster}`, () => view.slices(cart), []);
    }
  });
});

it('no reconcile of any controller has failed', () => {
  expect(unexpectedFailures(fleet)).toEqual([]);
});
