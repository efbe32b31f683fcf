import { EndpointSlice, ResourceExport, ResourceImport, Service, ServiceExport, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCart,
  fleetState,
  importedPorts,
  importedSlices,
  isClean,
  leaderNamespace,
  putService,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;

async function fleetWithCarts(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
  exportCart(fleet.cluster('west'), '10.20.1.5', westPorts.slice(0, 1));
  exportCart(fleet.cluster('east'), '10.10.3.4', westPorts.slice(0, 1));
  await fleet.until('both have imported both', () =>
    ['east', 'west'].every((name) => importedSlices(fleet.cluster(name)).length === 2),
  );
  // From its second write on, an export contains the leader's record of its first creation. A
  // restored export has it at once.
  putService(fleet.cluster('west'), westPorts);
  await fleet.until('both have its ports', () =>
    ['east', 'west'].every((name) => importedPorts(fleet.cluster(name)).length === westPorts.length),
  );
  await fleet.clock.advance(5_000);
  return fleet;
}

// One fleet for all: each test restores its state, or fails.
let fleet: VirtualFleet;
beforeAll(async () => {
  fleet = await fleetWithCarts();
});
afterAll(() => fleet[Symbol.asyncDispose]());

/** After `disturb`, the former state is restored. */
async function expectRepaired(disturb: () => void): Promise<void> {
  const before = fleetState(fleet);
  disturb();
  expect(fleetState(fleet)).not.toEqual(before);
  await fleet.clock.advance(10_000);
  expect(fleetState(fleet)).toEqual(before);
}

const area = (name: string) => ({ namespace: leaderNamespace, name });
const imports = ['shop-cart-service', 'shop-cart-endpoints', 'shop-cart-endpoints.east', 'shop-cart-endpoints.west'];
const exported = ['west-shop-cart-service', 'west-shop-cart-endpoints'];

describe('what the leader made', () => {
  it.each(imports)('comes back when somebody deleted ResourceImport %s', (name) =>
    expectRepaired(() => fleet.leader.server.admin.delete(ResourceImport, area(name))),
  );

  it.each(imports)('comes back when somebody emptied ResourceImport %s', (name) =>
    expectRepaired(() =>
      fleet.leader.server.admin.patch(ResourceImport, area(name), {
        spec: { serviceImport: null, endpoints: null, endpointSlices: null },
      }),
    ),
  );

  it('comes back when somebody changed the labels of a ResourceImport', () =>
    expectRepaired(() =>
      fleet.leader.server.admin.patch(ResourceImport, area('shop-cart-endpoints.west'), {
        metadata: { labels: { sourceClusterID: 'east', sourceName: 'other' } },
      }),
    ));
});

describe('what a member wrote on the leader', () => {
  it.each(exported)('comes back when somebody deleted ResourceExport %s', (name) =>
    expectRepaired(() => fleet.leader.server.admin.remove(ResourceExport, area(name))),
  );

  it.each(exported)('comes back when somebody edited ResourceExport %s', (name) =>
    expectRepaired(() =>
      fleet.leader.server.admin.patch(ResourceExport, area(name), {
        spec: { service: { serviceSpec: { ports: [{ port: 6 }] } }, endpoints: { subsets: [] }, endpointSlices: [] },
      }),
    ),
  );

  it('comes back when somebody made it name another Service', () =>
    expectRepaired(() =>
      fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), { spec: { name: 'other' } }),
    ));

  it('comes back when somebody removed its finalizer', () =>
    expectRepaired(() =>
      fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), {
        metadata: { finalizers: null },
      }),
    ));

  it('comes back when somebody changed its conditions', () =>
    expectRepaired(() =>
      fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), {
        status: { conditions: [{ type: 'Failure', status: 'False', reason: 'Mine', message: 'mine' }] },
      }),
    ));
});

it('a Service that lost its annotation while no controller ran is withdrawn with its import', async () => {
  await using other = await fleetWithCarts();
  const east = other.cluster('east');
  east.kill();
  east.server.admin.patch(Service, derivedCart, {
    metadata: { annotations: { 'multicluster.antrea.io/imported-service': null } },
  });
  for (const name of ['east', 'west']) unexportService(other.cluster(name));
  await other.clock.advance(5_000);
  east.start();
  await other.until('nothing of it is left', () => isClean(other), 90_000);
});

it('a label of an export that somebody changed or removed is repaired', async () => {
  for (const label of ['sourceName', 'sourceKind', 'sourceNamespace', 'sourceClusterID']) {
    for (const value of ['other', null]) {
      await expectRepaired(() =>
        fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), {
          metadata: { labels: { [label]: value } },
        }),
      );
    }
  }
});

describe('what a member made in its own cluster comes back:', () => {
  const east = () => fleet.cluster('east').server.admin;
  const sliceOf = (source: string) => {
    const found = east()
      .list(EndpointSlice, 'shop')
      .find(({ metadata }) => metadata.labels?.['multicluster.kubernetes.io/source-cluster'] === source);
    if (found === undefined) throw new Error(`no slice of ${source}`);
    return found.metadata;
  };

  it('the slice of another cluster, deleted', () =>
    expectRepaired(() => east().delete(EndpointSlice, sliceOf('west'))));

  it('the slice of the own cluster, deleted', () =>
    expectRepaired(() => east().delete(EndpointSlice, sliceOf('east'))));

  it('a slice with other endpoints and ports', () =>
    expectRepaired(() =>
      east().patch(EndpointSlice, sliceOf('west'), {
        endpoints: [{ addresses: ['10.9.9.9'] }],
        ports: [{ name: 'http', port: 1, protocol: 'TCP' }],
      }),
    ));

  it('a slice without endpoints', () =>
    expectRepaired(() => east().patch(EndpointSlice, sliceOf('west'), { endpoints: null })));

  const sliceLabels = [
    'kubernetes.io/service-name',
    'multicluster.kubernetes.io/service-name',
    'multicluster.kubernetes.io/source-cluster',
    'app.kubernetes.io/managed-by',
    'endpointslice.kubernetes.io/managed-by',
  ];
  it.each(sliceLabels.flatMap((label) => [[label, null] as const, [label, 'other'] as const]))(
    'a slice whose label %s somebody made %j',
    (label, value) =>
      expectRepaired(() => east().patch(EndpointSlice, sliceOf('west'), { metadata: { labels: { [label]: value } } })),
  );

  it('a slice that lost all its labels, or all but the one that attaches it to the Service', async () => {
    const none = Object.fromEntries(sliceLabels.map((label) => [label, null]));
    await expectRepaired(() => east().patch(EndpointSlice, sliceOf('west'), { metadata: { labels: none } }));
    const { 'kubernetes.io/service-name': _, ...allButOne } = none;
    await expectRepaired(() => east().patch(EndpointSlice, sliceOf('west'), { metadata: { labels: allButOne } }));
  });

  it('a slice that belongs to nobody', () =>
    expectRepaired(() => east().patch(EndpointSlice, sliceOf('west'), { metadata: { ownerReferences: null } })));

  it('the ServiceImport, deleted', () => expectRepaired(() => east().delete(ServiceImport, cart)));

  it('the ServiceImport with other ports and addresses', () =>
    expectRepaired(() => east().patch(ServiceImport, cart, { spec: { ips: ['10.9.9.9'], ports: [{ port: 4 }] } })));

  it('the status of the ServiceImport', () =>
    expectRepaired(() => east().patch(ServiceImport, cart, { status: { clusters: [], conditions: [] } })));

  it('the Service with other ports and a selector, in the same address', () =>
    expectRepaired(() =>
      east().patch(Service, derivedCart, { spec: { ports: [{ name: 'x', port: 4 }], selector: { app: 'mine' } } }),
    ));

  it('the Service that selected Pods for a while, without their endpoints', async () => {
    const before = fleetState(fleet);
    const made: unknown[] = [];
    const stop = east().onChange(({ key, after }) => {
      if (after?.metadata.generateName === `${derivedCart.name}-`) made.push(key);
    });
    east().patch(Service, derivedCart, { spec: { selector: { app: 'cart' } } });
    await fleet.clock.advance(10_000);
    stop();
    expect(made).not.toEqual([]);
    expect(fleetState(fleet)).toEqual(before);
  });

  it.each<[string, NonNullable<Service['spec']>]>([
    ['given a load balancer', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }],
    ['given node ports', { type: 'NodePort' }],
    ['given external addresses', { externalIPs: ['192.0.2.1'] }],
    ['that published endpoints which are not ready', { publishNotReadyAddresses: true }],
    ['given another affinity', { sessionAffinity: 'ClientIP' }],
    ['given another traffic policy', { internalTrafficPolicy: 'Local' }],
  ])('the Service %s', (_, spec) => expectRepaired(() => east().patch(Service, derivedCart, { spec })));

  it('the Service that was made an alias of a DNS name, under the same uid', async () => {
    const before = east().get(Service, derivedCart);
    east().patch(Service, derivedCart, { spec: { type: 'ExternalName', externalName: 'evil.example' } });
    await fleet.until('it has an address', () => east().get(Service, derivedCart)?.spec?.type === 'ClusterIP');
    await fleet.clock.advance(5_000);
    const after = east().get(Service, derivedCart);
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.spec?.externalName).toBeUndefined();
    expect(after?.spec?.clusterIP).toMatch(/^10\./);
    expect(east().get(ServiceImport, cart)?.spec?.ips).toEqual([after?.spec?.clusterIP]);
    expect(importedSlices(fleet.cluster('east'))).toHaveLength(2);
  });

  it('the Service that lost its annotation', () =>
    expectRepaired(() =>
      east().patch(Service, derivedCart, {
        metadata: { annotations: { 'multicluster.antrea.io/imported-service': null } },
      }),
    ));

  it('the Service that lost our label', () =>
    expectRepaired(() =>
      east().patch(Service, derivedCart, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } }),
    ));

  it('the Service, deleted: with its slices, under the address that the ServiceImport shows', async () => {
    const before = east().get(Service, derivedCart);
    east().delete(Service, derivedCart);
    await fleet.until('it is back', () => {
      const found = east().get(Service, derivedCart);
      return found !== undefined && found.metadata.uid !== before?.metadata.uid;
    });
    await fleet.until('with its slices', () => importedSlices(fleet.cluster('east')).length === 2);
    await fleet.clock.advance(5_000);
    const service = east().get(Service, derivedCart);
    expect(east().get(ServiceImport, cart)?.spec?.ips).toEqual([service?.spec?.clusterIP]);
    const owners = east()
      .list(EndpointSlice, 'shop')
      .filter(({ metadata }) => metadata.name.startsWith('antrea-mc-cart'))
      .flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid));
    expect(owners).toEqual([service?.metadata.uid, service?.metadata.uid]);
  });

  it('the status of the ServiceExport', () =>
    expectRepaired(() => east().patch(ServiceExport, cart, { status: { conditions: [] } })));
});

describe('a derived Service that is deleted', () => {
  const ipOf = () => fleet.cluster('east').server.admin.get(Service, derivedCart)?.spec?.clusterIP;

  it('comes back with its address, and does so each time', async () => {
    const { admin } = fleet.cluster('east').server;
    const before = ipOf();
    for (let time = 0; time < 20; time++) {
      admin.delete(Service, derivedCart);
      await fleet.until('it is back', () => ipOf() !== undefined, 5_000);
      expect(ipOf()).toBe(before);
      await fleet.clock.advance(3_000);
    }
    expect(admin.get(ServiceImport, cart)?.spec?.ips).toEqual([before]);
  });

  it('comes back with another address if another Service has taken the former one', async () => {
    const { admin } = fleet.cluster('east').server;
    const before = ipOf() ?? '';
    fleet.cluster('east').kill();
    admin.delete(Service, derivedCart);
    const thief = { namespace: 'shop', name: 'thief' };
    admin.put(Service, { metadata: thief, spec: { clusterIP: before, ports: [{ port: 80 }] } });
    fleet.cluster('east').start();
    await fleet.until('it is back', () => ipOf() !== undefined, 20_000);
    expect(ipOf()).not.toBe(before);
    await fleet.until('callers find it', () => admin.get(ServiceImport, cart)?.spec?.ips?.[0] === ipOf(), 5_000);
    admin.delete(Service, thief);
  });
});
