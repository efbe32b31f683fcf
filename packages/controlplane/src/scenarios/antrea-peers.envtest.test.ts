import {
  Annotation,
  CustomResourceDefinition,
  EndpointSlice,
  Endpoints,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
  ServiceImportV1alpha1,
  managedByIsthmus,
  memberAnnounceName,
  sliceManagedByIsthmus,
} from '@isthmus/api';
import type { EndpointSubset, ServicePort } from '@isthmus/api';
import type { AntreaMember, NamespacedRef, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { auditedWrites, createAntreaMember, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

/**
 * Antrea and Isthmus in one ClusterSet. The tests are in the order of one story. First our leader
 * has an Antrea member. Then there is an Antrea leader: its CRDs, and its writes made by hand.
 * Finally our leader takes over.
 */
let fleet: RealFleet;
/** An Antrea member: its writes to the leader, and nothing else. */
let south: AntreaMember;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const httpOnly = [{ name: 'http', port: 80, protocol: 'TCP' }] as const;
const subsetOf = (...ips: readonly string[]) => ({ addresses: ips.map((ip) => ({ ip })), ports: httpOnly });
const cart = { namespace: 'shop', name: 'cart' };
const stock = { namespace: 'shop', name: 'stock' };
const derived = ({ namespace, name }: NamespacedRef) => ({ namespace, name: `antrea-mc-${name}` });
const inArea = (name: string) => ({ namespace: leaderNamespace, name });

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { east: 'member', west: 'member', north: 'leader' },
    kubeControllers: [
      'serviceaccount-controller',
      'serviceaccount-token-controller',
      'namespace-controller',
      'garbage-collector-controller',
      'endpointslice-controller',
      'endpointslice-mirroring-controller',
    ],
  });
  const spec = {
    clusterID: 'south',
    namespace: leaderNamespace,
    clusterSetID: clusterSetName,
    leaderClusterID: 'north',
  };
  south = await createAntreaMember(north(), spec);
  await Promise.all([east().user.namespace('shop'), west().user.namespace('shop')]);
});
afterAll(async () => {
  south?.[Symbol.dispose]();
  await fleet?.[Symbol.asyncDispose]();
});

describe('an Antrea member under our leader', () => {
  it('announces itself and is counted; its heartbeats leave the finalizer of the leader alone', async () => {
    await south.beat();
    const ready = async () => await north().view.clusterSet({ namespace: leaderNamespace, name: clusterSetName });
    await fleet.eventually('ready', ready, 'True AllClustersReady');
    await south.beat();
    const list = `kubectl get clusterset ${clusterSetName} -n ${leaderNamespace} -o jsonpath='{.status.clusterStatuses[*].clusterID}'`;
    await fleet.eventually('counted', async () => (await north().shell(list)).stdout, 'east south west');
  });

  it('exports: our members import its endpoints as those of its cluster', async () => {
    await south.export({ ...cart, ports: http, subsets: [subsetOf('10.99.0.1')] });
    for (const cluster of [east(), west()]) {
      await fleet.eventually('imported', () => cluster.view.slices(cart), ['south: 10.99.0.1 http:80']);
      await fleet.eventually('ports', () => cluster.view.importedPorts(cart), ['http TCP 80']);
    }
  });

  it('changes its export: the news reaches our members', async () => {
    await south.export({ ...cart, ports: http, subsets: [subsetOf('10.99.0.2')] });
    await fleet.eventually('imported', () => west().view.slices(cart), ['south: 10.99.0.2 http:80']);
  });

  it('imports what our member exports too: by imports in the shape it knows, each with its payload, whose generation counts every change', async () => {
    const before = await south.client.get(ResourceImport, inArea('shop-cart-endpoints'));
    await west().user.exportService(cart, http, '10.20.0.1');
    const ip = await west().view.clusterIP(cart);
    const endpoints = () => south.client.get(ResourceImport, inArea('shop-cart-endpoints'));
    await fleet.eventually('merged', async () => (await endpoints()).spec?.endpoints?.subsets, [
      subsetOf('10.99.0.2'),
      subsetOf(ip ?? ''),
    ]);
    const after = await endpoints();
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.metadata.generation ?? 0).toBeGreaterThan(before.metadata.generation ?? 0);
    const { items } = await south.client.list(ResourceImport, { namespace: leaderNamespace });
    for (const { metadata, spec } of items) {
      // Antrea members read these without checking if they exist.
      if (spec?.kind === 'ServiceImport') expect(spec.serviceImport?.spec?.ports, metadata.name).toBeDefined();
      if (spec?.kind === 'Endpoints') expect(spec.endpoints?.subsets, metadata.name).toBeDefined();
    }
    await fleet.eventually('our members', () => east().view.slices(cart), [
      'south: 10.99.0.2 http:80',
      `west: ${ip} http:80`,
    ]);
  });

  it('of Isthmus 0.1.0 withdraws one Service without a mark: its import goes, the other one stays, and nothing is held', async () => {
    const ids = { clusterID: 'elder', clusterSetID: clusterSetName, leaderClusterID: 'north' };
    using elder = await createAntreaMember(north(), { ...ids, namespace: leaderNamespace });
    await elder.beat();
    // That version adds this to the writes of an Antrea member.
    const announced = { [Annotation.version]: '0.1.0', [Annotation.wire]: '1' };
    const mark = (annotations: object) => ({ type: 'merge', body: { metadata: { annotations } } }) as const;
    await elder.client.patch(MemberClusterAnnounce, inArea(memberAnnounceName('elder')), mark(announced));
    const [one, other] = [
      { namespace: 'shop', name: 'elder-one' },
      { namespace: 'shop', name: 'elder-other' },
    ] as const;
    for (const ref of [one, other]) {
      await elder.export({ ...ref, ports: http, subsets: [subsetOf('10.98.0.1')] });
      const body = { metadata: { labels: { [Label.managedBy]: managedByIsthmus } } };
      for (const kind of ['service', 'endpoints'])
        await elder.client.patch(ResourceExport, inArea(`elder-shop-${ref.name}-${kind}`), { type: 'merge', body });
      await fleet.eventually('imported', () => east().view.slices(ref), ['elder: 10.98.0.1 http:80']);
    }
    // Every hold, however short, causes an Event.
    const held = async () => {
      const name = clusterSetName;
      const found = await Promise.all([
        north().view.events({ kind: 'ClusterSet', namespace: leaderNamespace, name }),
        east().view.events({ kind: 'ClusterSet', namespace: memberNamespace, name }),
      ]);
      return found.flat().filter((line) => line.startsWith('WithdrawalHeld'));
    };
    const before = await held();
    await elder.unexport(one);
    await fleet.eventually('it is gone', () => east().view.importedIP(one), undefined);
    expect(await held()).toEqual(before);
    expect(await east().view.slices(other)).toEqual(['elder: 10.98.0.1 http:80']);
    await elder.unexport(other);
    await elder.leave();
    await fleet.eventually('the other is gone', () => east().view.importedIP(other), undefined);
  });

  it('withdraws, and leaves: nothing of it remains', async () => {
    await south.unexport(cart);
    const ip = await west().view.clusterIP(cart);
    await fleet.eventually('imported', () => east().view.slices(cart), [`west: ${ip} http:80`]);
    await south.export({ ...stock, ports: http, subsets: [subsetOf('10.99.0.3')] });
    await fleet.until('stock', () => east().view.importedIP(stock));
    await south.leave();
    await fleet.eventually('stock is gone', () => east().view.importedIP(stock), undefined);
    const names = async () => (await north().view.commonArea()).exports.filter((name) => name.startsWith('south-'));
    await fleet.eventually('its exports', names, []);
  });
});

/**
 * Removes our additions from the CRDs of the Common Area, or restores them: under an Antrea leader
 * the API server prunes them.
 */
async function serveDefinitions(of: 'antrea' | 'isthmus'): Promise<void> {
  for (const plural of ['resourceexports', 'resourceimports']) {
    const yaml = await north().manifest(`deploy/crds/${plural}.multicluster.crd.antrea.io.yaml`);
    await north().shell('kubectl apply --server-side --force-conflicts -f -', yaml);
    if (of === 'isthmus') continue;
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/endpointSlices';
    const ref = { name: `${plural}.multicluster.crd.antrea.io` };
    await north().admin.patch(CustomResourceDefinition, ref, { type: 'json', body: [{ op: 'remove', path }] });
  }
  // An API server takes a moment to apply a changed CRD.
  await fleet.eventually(`the definitions of ${of} are in force`, servesSlices, of === 'isthmus');
}

/** Whether the API server of the leader keeps `spec.endpointSlices` of both kinds. */
async function servesSlices(): Promise<boolean> {
  const probe = { metadata: inArea('probe'), spec: { endpointSlices: [] } };
  const [ofExport, ofImport] = [
    await north().admin.create(ResourceExport, probe, { dryRun: true }),
    await north().admin.create(ResourceImport, probe, { dryRun: true }),
  ];
  return ofExport.spec?.endpointSlices !== undefined && ofImport.spec?.endpointSlices !== undefined;
}

/**
 * What an Antrea leader does with the exports of a Service: imports without our labels, and a
 * status on the exports (docs/spec/wire.md §7).
 */
async function mergeAsAntrea(ref: NamespacedRef, subsets: readonly EndpointSubset[]): Promise<void> {
  const { namespace, name } = ref;
  await north().user.put(ResourceImport, {
    metadata: inArea(`${namespace}-${name}-service`),
    spec: {
      kind: 'ServiceImport',
      namespace,
      name,
      serviceImport: { spec: { ports: httpOnly, type: 'ClusterSetIP' } },
    },
  });
  await north().user.put(ResourceImport, {
    metadata: inArea(`${namespace}-${name}-endpoints`),
    spec: { kind: 'Endpoints', namespace, name, endpoints: { subsets } },
  });
  const conditions = [{ type: 'Succeeded', status: 'True', lastTransitionTime: '2026-11-21T00:00:00Z' }] as const;
  for (const { metadata, spec } of (await north().admin.list(ResourceExport, { namespace: leaderNamespace })).items) {
    if (spec?.namespace !== namespace || spec.name !== name) continue;
    const body = { status: { conditions } };
    await north().admin.patch(
      ResourceExport,
      inArea(metadata.name),
      { type: 'merge', body },
      { subresource: 'status' },
    );
  }
}

/** As a leader releases an export that is being deleted. */
async function removeExport(name: string): Promise<void> {
  const body = { metadata: { finalizers: null } };
  await north().admin.patch(ResourceExport, inArea(name), { type: 'merge', body });
  await north().user.remove(ResourceExport, inArea(name));
}

describe('our members under an Antrea leader', () => {
  beforeAll(async () => {
    await Promise.all([north(), east(), west()].map((cluster) => cluster.stop()));
    const { exports, imports } = await north().view.commonArea();
    for (const name of exports) await removeExport(name);
    for (const name of imports) await north().user.remove(ResourceImport, inArea(name));
    await serveDefinitions('antrea');
    await Promise.all([east().start(), west().start()]);
  });

  it('export in the form that it understands, and take its word', async () => {
    const endpointsRef = inArea('west-shop-cart-endpoints');
    const written = await fleet.until('exported', () => north().user.find(ResourceExport, endpointsRef));
    const ip = (await west().view.clusterIP(cart)) ?? '';
    expect(written.spec).toEqual({
      clusterID: 'west',
      kind: 'Endpoints',
      ...cart,
      endpoints: { subsets: [subsetOf(ip)] },
    });
    await mergeAsAntrea(cart, [subsetOf(ip)]);
    await fleet.eventually('told', () => west().view.exported(cart, 'Ready'), 'True Exported');
  });

  it('import the merged endpoints as they are; the exporter itself reaches its own Pods, never its own ClusterIP', async () => {
    const ip = (await west().view.clusterIP(cart)) ?? '';
    await mergeAsAntrea(cart, [subsetOf(ip), subsetOf('10.99.0.1')]);
    await fleet.eventually('east', () => east().view.slices(cart), [
      `?: ${[ip, '10.99.0.1'].toSorted().join(',')} http:80`,
    ]);
    await fleet.eventually('west', () => west().view.slices(cart), [
      '?: 10.99.0.1 http:80',
      'west: 10.20.0.1 http:8080',
    ]);
    for (const cluster of [east(), west()]) expect(await cluster.view.imported(cart)).toBe('True Ready');
  });

  it('write nothing more when nothing changes, though the leader has pruned what only ours knows', async () => {
    const user = `system:serviceaccount:${leaderNamespace}:member-west`;
    const writes = auditedWrites(north().server, user).length;
    expect(writes).toBeGreaterThan(0);
    const looked = { metadata: { labels: { looked: 'at' } } };
    await west().admin.patch(Service, cart, { type: 'merge', body: looked });
    const other = { namespace: 'shop', name: 'other' };
    await west().user.exportService(other, http, '10.20.0.9');
    await fleet.until('the other is exported', () =>
      north().user.find(ResourceExport, inArea('west-shop-other-endpoints')),
    );
    const news = auditedWrites(north().server, user).slice(writes);
    expect(news.map((line) => line.split(' ')[0])).toEqual(['create', 'create']);
    await west().user.unexport(other);
    await fleet.eventually(
      'withdrawn',
      async () => {
        const found = await north().user.find(ResourceExport, inArea('west-shop-other-endpoints'));
        return found?.metadata.deletionTimestamp === undefined;
      },
      false,
    );
    for (const kind of ['service', 'endpoints']) await removeExport(`west-shop-other-${kind}`);
  });

  it('follow a refusal of that leader: the ServiceExport reports that it was not accepted', async () => {
    const conditions = [
      { type: 'Failure', status: 'False', reason: 'ConvergeFailure', message: "don't match existing" },
    ];
    const body = { status: { conditions } };
    await north().admin.patch(
      ResourceExport,
      inArea('west-shop-cart-service'),
      { type: 'merge', body },
      { subresource: 'status' },
    );
    await fleet.eventually('told', () => west().view.exported(cart, 'Ready'), 'False Failed');
    expect(await west().view.exportMessage(cart, 'Ready')).toBe(
      "Leader north rejected the export: don't match existing",
    );
    const ip = (await west().view.clusterIP(cart)) ?? '';
    await mergeAsAntrea(cart, [subsetOf(ip), subsetOf('10.99.0.1')]);
    await fleet.eventually('told', () => west().view.exported(cart, 'Ready'), 'True Exported');
  });
});

describe('our member in the place of an Antrea member', () => {
  const legacy = { namespace: 'shop', name: 'legacy' };

  it('keeps the ClusterIP of each imported Service; Antrea’s Endpoints go, its ServiceImport is taken over, and no endpoint is there twice', async () => {
    await west().stop('member');
    // The objects that an Antrea member created for an import.
    const annotations = { [Annotation.importedService]: 'true' };
    const { spec, metadata } = await west().admin.create(Service, {
      metadata: { ...derived(legacy), annotations },
      spec: { type: 'ClusterIP', ports: httpOnly },
    });
    const clusterIP = spec?.clusterIP ?? '';
    await west().admin.create(Endpoints, {
      metadata: { ...derived(legacy), annotations },
      subsets: [subsetOf('10.99.0.7', '10.99.0.8')],
    });
    await west().admin.create(ServiceImportV1alpha1, {
      metadata: { ...legacy },
      spec: { type: 'ClusterSetIP', ips: [clusterIP], ports: httpOnly },
    });
    const slices = async () => {
      const labelSelector = `${Label.serviceName}=antrea-mc-legacy`;
      const { items } = await west().admin.list(EndpointSlice, { namespace: 'shop', labelSelector });
      return items.map(({ metadata: { labels }, endpoints }) => [
        labels?.[Label.sliceManagedBy],
        (endpoints ?? []).flatMap(({ addresses }) => addresses).toSorted(),
      ]);
    };
    const addresses = ['10.99.0.7', '10.99.0.8'];
    await fleet.eventually('mirrored', slices, [['endpointslicemirroring-controller.k8s.io', addresses]]);
    await mergeAsAntrea(legacy, [subsetOf('10.99.0.7', '10.99.0.8')]);

    await west().start('member');
    await fleet.eventually('adopted', slices, [[sliceManagedByIsthmus, addresses]]);
    expect(await west().user.find(Endpoints, derived(legacy))).toBeUndefined();
    // Our label is written last.
    const label = async () => (await west().admin.get(Service, derived(legacy))).metadata.labels?.[Label.managedBy];
    await fleet.eventually('labelled', label, managedByIsthmus);
    const after = await west().admin.get(Service, derived(legacy));
    expect([after.spec?.clusterIP, after.metadata.uid]).toEqual([clusterIP, metadata.uid]);
    expect(after.metadata.annotations).toEqual(annotations);
    await fleet.eventually('the ServiceImport', () => west().view.imported(legacy), 'True Ready');
    const taken = await west().admin.get(ServiceImport, legacy);
    expect([taken.spec?.ips, taken.metadata.labels?.[Label.managedBy]]).toEqual([[clusterIP], managedByIsthmus]);
  });
});

describe('our leader in the place of an Antrea leader', () => {
  const service = () => north().admin.get(ResourceImport, inArea('shop-cart-service'));
  const ips = async () => Promise.all([east(), west()].map((cluster) => cluster.view.importedIP(cart)));
  let known: readonly (string | undefined)[];

  it('takes over its imports as they are; over its resource definitions too, where our members go on with the merged endpoints', async () => {
    const before = await service();
    known = await ips();
    expect(known.every((ip) => ip !== undefined)).toBe(true);
    const ip = await west().view.clusterIP(cart);
    await north().start('leader');
    await fleet.eventually(
      'labelled',
      async () => (await service()).metadata.labels?.[Label.managedBy],
      managedByIsthmus,
    );
    expect((await service()).metadata.uid).toBe(before.metadata.uid);
    // Only west exports. Endpoints that were merged by hand from other clusters are removed.
    await fleet.eventually('east', () => east().view.slices(cart), [`?: ${ip} http:80`]);
    await fleet.until('the import that lacks its payload', () =>
      north().user.find(ResourceImport, inArea('shop-cart-endpoints.west')),
    );
    await fleet.steadily('east keeps it', () => east().view.slices(cart), [`?: ${ip} http:80`], 500);
    await fleet.eventually('west', () => west().view.slices(cart), ['west: 10.20.0.1 http:8080']);
    expect(await ips()).toEqual(known);
    const told = north()
      .log.entries.filter(({ level }) => level === 'warn')
      .map(({ message }) => message);
    expect(told.filter((message) => message.includes('apply the current resource definitions'))).toHaveLength(1);
  });

  it('serves endpoints by their source once the definitions are its own and all have looked again; the members’ Services keep their addresses', async () => {
    const all = [north(), east(), west()];
    await Promise.all(all.map((cluster) => cluster.stop()));
    await serveDefinitions('isthmus');
    // The members restart too. A watch that was open when a CRD changed uses the old CRD as long as
    // it lives. An object that it delivered without payload is not delivered again before it
    // changes.
    await Promise.all(all.map((cluster) => cluster.start()));
    const ip = await west().view.clusterIP(cart);
    await fleet.eventually('east', () => east().view.slices(cart), [`west: ${ip} http:80`]);
    await fleet.eventually('west', () => west().view.slices(cart), ['west: 10.20.0.1 http:8080']);
    expect(await ips()).toEqual(known);
    // No cluster exports this one. Its imports were written by hand, and stay.
    expect(await north().user.find(ResourceImport, inArea('shop-legacy-service'))).toBeDefined();
  });

  it('gets from our members what its predecessor had pruned', async () => {
    const slices = async () =>
      (await north().admin.get(ResourceExport, inArea('west-shop-cart-endpoints'))).spec?.endpointSlices?.length;
    await fleet.eventually('written again', slices, 1);
  });
});

it('no reconcile of any controller has failed', () => {
  expect(unexpectedFailures(fleet)).toEqual([]);
});
