import {
  Annotation,
  ClusterSet,
  EndpointSlice,
  MemberClusterAnnounce,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  Secret,
  Service,
  ServiceImport,
} from '@isthmus/api';
import type { EndpointSlicePayload, ServicePort } from '@isthmus/api';
import { createClient, isForbidden } from '@isthmus/kube';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  exportCart,
  exportCondition,
  exportService,
  importedPorts,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  putAntreaExports,
  putPod,
  putService,
  recordWrites,
  serviceAccount,
} from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const area = (name: string) => ({ namespace: leaderNamespace, name });

/** East imports `shop/cart` of west; a third cluster, `evil`, holds a member token. */
async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  exportCart(fleet.cluster('west'), '10.20.1.5', http);
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  await fleet.until('east has imported', () => importedSlices(fleet.cluster('east')).length === 1);
  await fleet.clock.advance(15_000);
  return fleet;
}

const west = (fleet: VirtualFleet) => fleet.cluster('west').server.admin.get(Service, cart)?.spec?.clusterIP ?? '';
const derived = (cluster: VirtualCluster) => cluster.server.admin.get(Service, derivedCart);
const said = (fleet: VirtualFleet, name: string) =>
  (fleet.leader.server.admin.get(ResourceExport, area(name))?.status?.conditions ?? [])
    .map(({ type, message = '' }) => `${type} ${message}`)
    .join('|');

interface Lie {
  readonly ports?: readonly ServicePort[] | undefined;
  readonly slices?: readonly EndpointSlicePayload[] | undefined;
  readonly clusterID?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly clusterIP?: string | undefined;
  /** Default: `shop/cart`. */
  readonly ref?: { readonly namespace: string; readonly name: string } | undefined;
}

/** Exports of `shop/cart` as our own members write them, for a cluster that may lie. */
function putLie(
  fleet: VirtualFleet,
  { ports = http, slices = [], clusterID = 'evil', annotations, clusterIP, ref = cart }: Lie,
): void {
  const labels = { sourceName: ref.name, sourceNamespace: ref.namespace, sourceClusterID: clusterID };
  const base = `${clusterID}-${ref.namespace}-${ref.name}`;
  const finalizers = ['resourceexport.antrea.io/finalizer'];
  const { admin } = fleet.leader.server;
  admin.put(ResourceExport, {
    metadata: {
      ...area(`${base}-service`),
      labels: { ...labels, sourceKind: 'Service' },
      annotations,
      finalizers,
    },
    spec: {
      clusterID,
      kind: 'Service',
      ...ref,
      service: { serviceSpec: { ports, ...(clusterIP !== undefined && { clusterIP }) } },
    },
  });
  admin.put(ResourceExport, {
    metadata: {
      ...area(`${base}-endpoints`),
      labels: { ...labels, sourceKind: 'Endpoints' },
      finalizers,
    },
    spec: { clusterID, kind: 'Endpoints', ...ref, endpoints: { subsets: [] }, endpointSlices: slices },
  });
}

describe('what a member token does not allow', () => {
  it('the status of exports, imports, and everything beside', async () => {
    await using fleet = await fleetWithCart();
    const evil = serviceAccount(leaderNamespace, 'evil');
    const client = createClient({ transport: fleet.leader.server.transport(evil), clock: fleet.clock });
    const refused = async (call: Promise<unknown>) => {
      expect(await call.then(() => 'allowed', isForbidden)).toBe(true);
    };
    const patch = { type: 'merge', body: { status: { conditions: [] } } } as const;
    await refused(client.patch(ResourceExport, area('west-shop-cart-service'), patch, { subresource: 'status' }));
    await refused(client.patch(ResourceImport, area('shop-cart-service'), patch));
    await refused(client.delete(ResourceImport, area('shop-cart-service')));
    await refused(client.create(ResourceImport, { metadata: area('shop-x-service') }));
    await refused(client.get(ClusterSet, area(clusterSetName)));
    await refused(client.list(Secret, { namespace: leaderNamespace }));
  });
});

describe('a hostile export of a Service that others export', () => {
  it('that is malformed at first and then corrected never takes the place of the others', async () => {
    await using fleet = await fleetWithCart();
    const { admin } = fleet.leader.server;
    const breaches: string[] = [];
    admin.onChange(({ resource, key, after }) => {
      if (!resource.endsWith('/resourceimports') || !key.endsWith('/shop-cart-endpoints')) return;
      const text = JSON.stringify(after ?? {});
      if (!text.includes(west(fleet))) breaches.push(text);
    });
    for (const kind of ['Service', 'Endpoints'] as const) {
      const payload =
        kind === 'Service'
          ? { service: { serviceSpec: { ports: http } } }
          : { endpoints: { subsets: [{ addresses: [{ ip: '10.66.6.6' }], ports: [{ name: 'http', port: 80 }] }] } };
      admin.put(ResourceExport, {
        metadata: { ...area(`evil-shop-cart-${kind.toLowerCase()}`), labels: { sourceClusterID: 'evil' } },
        spec: { clusterID: 'evil', kind, namespace: 'Shop!', name: 'cart', ...payload },
      });
    }
    await fleet.clock.advance(5_000);
    for (const kind of ['service', 'endpoints'])
      admin.patch(ResourceExport, area(`evil-shop-cart-${kind}`), { spec: { namespace: 'shop' } });
    await fleet.until('evil is merged', () => said(fleet, 'evil-shop-cart-endpoints').startsWith('Succeeded'));
    await fleet.clock.advance(5_000);
    expect(breaches).toEqual([]);
  });

  it.each([
    ['its own part', 'shop-cart-endpoints.evil', 413],
    ['its own part', 'shop-cart-endpoints.evil', 500],
    ['the part that all share', 'shop-cart-endpoints', 413],
  ])('that makes %s (%s) too large for the API server (%i) does not freeze the others', async (_, name, code) => {
    await using fleet = await fleetWithCart();
    fleet.link('north-leader', 'north').add({
      match: ({ method, path, body = '' }) =>
        method !== 'GET' && (path.endsWith(`/${name}`) || body.includes(`"name":"${name}"`)),
      fault: { kind: 'status', code },
    });
    putLie(fleet, {});
    await fleet.clock.advance(5_000);
    if (name.endsWith('.evil') && code === 413)
      expect(said(fleet, 'evil-shop-cart-service')).toMatch(new RegExp(`^Failure Not published: .*${name}`));
    const east = fleet.cluster('east');
    fleet.cluster('west').server.admin.delete(Pod, { namespace: 'shop', name: 'cart-1' });
    await fleet.until(
      'east hears that west has no Pod',
      () => importedSlices(east).filter((slice) => slice.startsWith('west: 10')).length === 0,
      10_000,
    );
    putPod(fleet.cluster('west'), 'cart-2', '10.20.1.9');
    await fleet.until(
      'and that it has one again',
      () => importedSlices(east).some((slice) => slice.startsWith(`west: ${west(fleet)}`)),
      10_000,
    );
  });

  it('whose own part is too large is not used from the list that all share, although its member announces an old wire', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const east = fleet.cluster('east');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    const now = rfc3339(fleet.clock.now());
    fleet.leader.server.admin.put(MemberClusterAnnounce, {
      metadata: {
        ...area('member-announce-from-evil'),
        annotations: { [Annotation.touchTs]: now, [Annotation.wire]: `1 ${now}` },
      },
      clusterID: 'evil',
      clusterSetID: clusterSetName,
      leaderClusterID: 'north',
    });
    fleet.link('north-leader', 'north').add({
      match: ({ method, body = '' }) => method !== 'GET' && body.includes('"name":"shop-cart-endpoints.evil"'),
      fault: { kind: 'status', code: 413 },
    });
    putAntreaExports(fleet, 'evil', {
      ...cart,
      ports: http,
      subsets: [{ addresses: [{ ip: '8.8.8.8' }], ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] }],
    });
    await fleet.until('it is reported', () => said(fleet, 'evil-shop-cart-endpoints').startsWith('Failure'), 10_000);
    await fleet.clock.advance(10_000);
    expect(importedSlices(east).join()).not.toContain('8.8.8.8');
  });

  it.runIf(checksAllPoints())(
    'with more ports than a Service can have leaves those of the others whole, and gets a report',
    async () => {
      await using fleet = await fleetWithCart();
      const ports = Array.from({ length: 1_200 }, (_, index) => ({
        name: `p-${index}`,
        protocol: 'TCP',
        port: 1_000 + index,
      }));
      putLie(fleet, { ports });
      await fleet.clock.advance(5_000);
      const east = fleet.cluster('east');
      expect(importedPorts(east)[0]).toBe('http TCP 80');
      expect(importedPorts(east).length).toBeLessThanOrEqual(1_100);
      expect(importedSlices(east)).toContain(`west: ${west(fleet)} http:80`);
      expect(said(fleet, 'evil-shop-cart-service')).toMatch(/ports/);
    },
  );

  it.runIf(checksAllPoints())(
    'with more sets of ports than anybody needs does not fill every cluster with slices, and both sides report it',
    async () => {
      await using fleet = await fleetWithCart();
      // The import of one cluster shows it; the export of west stays.
      fleet.cluster('west').kill();
      const slices = Array.from({ length: 1_200 }, (_, index) => ({
        addressType: 'IPv4' as const,
        endpoints: [{ addresses: [`10.66.${index >> 8}.${index & 255}`] }],
        ports: [{ name: 'http', port: 1 + index, protocol: 'TCP' }],
      }));
      putLie(fleet, { slices });
      await fleet.clock.advance(10_000);
      const { admin } = fleet.cluster('east').server;
      const ofEvil = () =>
        admin
          .list(EndpointSlice, 'shop')
          .filter(({ metadata }) => metadata.labels?.['multicluster.kubernetes.io/source-cluster'] === 'evil');
      expect(ofEvil()).toHaveLength(100);
      expect(said(fleet, 'evil-shop-cart-endpoints')).toMatch(
        /1200 entries are too many.* 1000 sets of ports; other clusters leave out those after the first 100\./,
      );
      expect(conditionOf(admin.get(ServiceImport, cart)?.status?.conditions, 'Ready')?.message).toMatch(
        /cluster evil exports endpoints with 1000 sets of ports; those after the first 100 are left out/,
      );
      expect(importedSlices(fleet.cluster('east'))).toContain(`west: ${west(fleet)} http:80`);
      const before = ofEvil().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
      await fleet.clock.advance(120_000);
      expect(ofEvil().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)).toEqual(before);
    },
  );

  it('with names of the prototype, nonsense and addresses of nodes changes nothing for the others', async () => {
    await using fleet = await fleetWithCart();
    const uid = derived(fleet.cluster('east'))?.metadata.uid;
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'http', ''];
    putLie(fleet, {
      ports: [
        ...names.map((name, index) => ({ name, protocol: 'TCP', port: 2_000 + index })),
        { name: 'http', protocol: 'UDP', port: 80 },
      ],
      slices: [
        {
          addressType: 'IPv4',
          endpoints: [
            '127.0.0.1',
            '169.254.169.254',
            '0.0.0.0',
            '224.0.0.5',
            '10.66.0.1',
            '::1',
            'evil.example',
            '010.1.1.1',
            '10.1',
          ].map((ip) => ({ addresses: [ip] })),
          ports: names.map((name, index) => ({ name, port: 2_000 + index })),
        },
        { addressType: 'FQDN', endpoints: [{ addresses: ['evil.example'] }], ports: [] },
      ],
    });
    await fleet.until('evil is merged', () => said(fleet, 'evil-shop-cart-endpoints').startsWith('Succeeded'));
    await fleet.clock.advance(2_000);
    const east = fleet.cluster('east');
    expect(derived(east)?.metadata.uid).toBe(uid);
    expect(importedSlices(east)).toContain(`west: ${west(fleet)} http:80`);
    const addresses = east.server.admin
      .list(EndpointSlice, 'shop')
      .flatMap(({ endpoints }) => (endpoints ?? []).flatMap((endpoint) => endpoint.addresses));
    expect([...new Set(addresses)].toSorted()).toEqual(['10.66.0.1', west(fleet)].toSorted());
    expect(exportCondition(fleet.cluster('west'), 'Ready')).toBe('True Exported');
  });

  it('of strange kinds, without payload, or under names of others is refused and harms nobody', async () => {
    await using fleet = await fleetWithCart();
    const { admin } = fleet.leader.server;
    const state = () =>
      admin.list(ResourceImport).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
    const before = state();
    const put = (name: string, spec: NonNullable<Parameters<typeof admin.put<ResourceExport>>[1]['spec']>) =>
      admin.put(ResourceExport, { metadata: area(name), spec });
    put('a', { clusterID: 'evil', kind: 'ServiceImport', ...cart });
    put('b', { clusterID: 'evil', kind: 'EndpointSlices', ...cart, endpointSlices: [] });
    put('c', { clusterID: 'evil', kind: 'Service', ...cart, service: { serviceSpec: { ports: http } } });
    put('evil-shop-cart-service', { clusterID: 'evil', kind: 'Service', ...cart });
    put('evil-shop-cart-endpoints', { clusterID: 'evil', kind: 'Endpoints', ...cart });
    put('east-shop-cart-service', {
      clusterID: 'evil',
      kind: 'Service',
      ...cart,
      service: { serviceSpec: { ports: http } },
    });
    put('d', { kind: 'Service' });
    put('e', {});
    put('proto', {
      clusterID: '__proto__',
      kind: 'Service',
      namespace: '__proto__',
      name: 'constructor',
      service: { serviceSpec: {} },
    });
    await fleet.clock.advance(5_000);
    expect(state()).toEqual(before);
    for (const name of [
      'a',
      'b',
      'c',
      'd',
      'e',
      'proto',
      'evil-shop-cart-service',
      'evil-shop-cart-endpoints',
      'east-shop-cart-service',
    ])
      admin.delete(ResourceExport, area(name));
    await fleet.clock.advance(5_000);
    expect(admin.list(ResourceExport).map(({ metadata }) => metadata.name)).toEqual([
      'west-shop-cart-endpoints',
      'west-shop-cart-service',
    ]);
    expect(state()).toEqual(before);
  });
});

describe('announcements of a hostile member', () => {
  const announce = (name: string, clusterID: string, clusterSetID: string = clusterSetName) => ({
    metadata: area(name),
    clusterID,
    clusterSetID,
    leaderClusterID: 'north',
  });

  it.runIf(checksAllPoints())(
    'as many as the Common Area holds neither stop the status of the others nor cause writes without end',
    async () => {
      await using fleet = await fleetWithCart();
      const { admin } = fleet.leader.server;
      const before = recordWrites(fleet);
      for (let index = 0; index < 1_050; index++) {
        const clusterID = `evil-${index}-${'x'.repeat(40)}`;
        admin.put(MemberClusterAnnounce, announce(`member-announce-from-${clusterID}`, clusterID));
      }
      await fleet.clock.advance(60_000);
      const isStatus = (line: string) => line.includes('/clustersets/');
      expect(before().filter(isStatus).length).toBeLessThan(20);
      const status = () => admin.get(ClusterSet, area(clusterSetName))?.status;
      // etcd rejects objects of more than 1.5 MiB.
      expect(JSON.stringify(status()).length).toBeLessThan(700_000);
      expect(JSON.stringify(status()?.conditions).length).toBeLessThan(1_200);
      expect(status()?.totalClusters).toBe(1_052);
      const writes = recordWrites(fleet);
      await fleet.clock.advance(60_000);
      expect(writes()).toEqual([]);
    },
  );

  it.each([
    ['keeps its imports', false],
    ['has lost its imports as well, and members keep theirs', true],
  ])(
    'that declare that another cluster has left are not believed where its exports and its announcement are lost: the leader %s',
    async (_, importsToo) => {
      await using fleet = await fleetWithCart();
      const { admin } = fleet.leader.server;
      const before = importedSlices(fleet.cluster('east'));
      fleet.cluster('west').kill();
      admin.remove(MemberClusterAnnounce, area('member-announce-from-west'));
      for (const { metadata } of admin.list(ResourceExport)) admin.remove(ResourceExport, metadata);
      if (importsToo) for (const { metadata } of admin.list(ResourceImport)) admin.remove(ResourceImport, metadata);
      const left = `west=${rfc3339(fleet.clock.now())}`;
      const mine = announce('member-announce-from-evil', 'evil');
      admin.put(MemberClusterAnnounce, {
        ...mine,
        metadata: { ...mine.metadata, annotations: { 'isthmus.dev/left': left } },
      });
      for (let step = 0; step < 30; step++) {
        await fleet.clock.advance(10_000);
        expect(importedSlices(fleet.cluster('east'))).toEqual(before);
      }
    },
  );

  it('of any size stay out of the status', async () => {
    await using fleet = await fleetWithCart();
    const { admin } = fleet.leader.server;
    const huge = 'x'.repeat(500_000);
    for (let index = 0; index < 4; index++) {
      admin.put(MemberClusterAnnounce, announce(`huge-${index}`, `${index}${huge}`));
      admin.put(MemberClusterAnnounce, announce(`member-announce-from-other-${index}`, `other-${index}`, huge));
    }
    await fleet.clock.advance(60_000);
    const status = admin.get(ClusterSet, area(clusterSetName))?.status;
    expect(JSON.stringify(status).length).toBeLessThan(10_000);
    expect(status?.clusterStatuses?.map(({ clusterID }) => clusterID)).toContain('west');
  });

  it('rewritten under the name of another cluster are reported there, in few words, whatever they hold', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const announced = area('member-announce-from-west');
    fleet.leader.server.admin.patch(MemberClusterAnnounce, announced, { clusterSetID: 'x'.repeat(1_000_000) });
    await fleet.until('west reports it', () => clusterSetCondition(west) === 'False Refused');
    const ref = { namespace: memberNamespace, name: clusterSetName };
    expect(JSON.stringify(west.server.admin.get(ClusterSet, ref)?.status).length).toBeLessThan(5_000);
  });
});

it('an export in the name of another cluster, held by a finalizer, does not keep that cluster from leaving and coming back', async () => {
  await using fleet = await fleetWithCart();
  const cluster = fleet.cluster('west');
  const name = 'west-shop-held-service';
  fleet.leader.server.admin.put(ResourceExport, {
    metadata: { ...area(name), finalizers: ['example.com/held'] },
    spec: {
      clusterID: 'west',
      kind: 'Service',
      namespace: 'shop',
      name: 'held',
      service: { serviceSpec: { ports: http } },
    },
  });
  const ref = { namespace: memberNamespace, name: clusterSetName };
  const { spec } = cluster.server.admin.get(ClusterSet, ref) ?? {};
  cluster.server.admin.delete(ClusterSet, ref);
  await fleet.until('west has left', () => cluster.server.admin.get(ClusterSet, ref) === undefined, 5_000);
  cluster.server.admin.put(ClusterSet, { metadata: { ...ref }, spec });
  await fleet.until('west is back', () => exportCondition(cluster, 'Ready') === 'True Exported', 30_000);
});

// A rebuilt leader has only what members declare. Exports that existed before do not need their
// declarations.
describe('an export that declares to be older than it is', () => {
  const declared = { 'isthmus.dev/first-exported': '1970-01-01T00:00:00Z' };

  it.each([
    ['the ports', { ports: [{ name: 'http', protocol: 'UDP', port: 666 }] }],
    ['the type', { clusterIP: 'None' }],
  ])('does not decide %s of a Service that others have exported before', async (_, spec) => {
    await using fleet = await fleetWithCart();
    const before = importedSlices(fleet.cluster('east'));
    putLie(fleet, { ...spec, annotations: declared });
    await fleet.until(
      'it is merged, and the conflict reported',
      () => exportCondition(fleet.cluster('west'), 'Conflict').startsWith('True'),
      5_000,
    );
    await fleet.clock.advance(5_000);
    expect(importedPorts(fleet.cluster('east'))).toEqual(['http TCP 80']);
    expect(importedSlices(fleet.cluster('east'))).toEqual(expect.arrayContaining([...before]));
  });

  it('does not take the name of an imported Service for one of another Namespace', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [west, east] = [fleet.cluster('west'), fleet.cluster('east')];
    const ref = { namespace: 'prod', name: 'web-api' };
    putService(west, http, ref);
    putPod(west, 'web-1', '10.20.1.9', { app: ref.name, namespace: ref.namespace });
    exportService(west, ref);
    east.server.admin.put(Namespace, { metadata: { name: 'prod' } });
    await fleet.until('east has imported', () => importedSlices(east, ref).length === 1);
    await fleet.clock.advance(5_000);
    const before = importedSlices(east, ref);
    putLie(fleet, { ref: { namespace: 'prod-web', name: 'api' }, annotations: declared });
    await fleet.until('it is published under another one', () => {
      const ref = { namespace: leaderNamespace, name: 'prod-web.api-service' };
      return fleet.leader.server.admin.get(ResourceImport, ref) !== undefined;
    });
    await fleet.clock.advance(5_000);
    expect(importedSlices(east, ref)).toEqual(before);
    expect(exportCondition(west, 'Ready', ref)).toBe('True Exported');
  });
});

it('an export under the name of another cluster is taken back by that cluster', async () => {
  await using fleet = await fleetWithCart();
  putAntreaExports(fleet, 'east', {
    ...cart,
    ports: [{ name: 'http', protocol: 'TCP', port: 666 }],
    subsets: [{ addresses: [{ ip: '10.66.6.6' }], ports: [{ name: 'http', port: 666 }] }],
  });
  await fleet.until(
    'the lie is gone',
    () => fleet.leader.server.admin.get(ResourceExport, area('east-shop-cart-service')) === undefined,
    5_000,
  );
  expect(fleet.cluster('east').server.admin.list(ServiceImport)).toHaveLength(1);
});
