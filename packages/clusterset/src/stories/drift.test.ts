import { EndpointSlice, ResourceExport, ResourceImport, Service, ServiceExport, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/testkit';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCart,
  fleetState,
  importedSlices,
  leaderNamespace,
} from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;

async function fleetWithCarts(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  exportCart(fleet.cluster('east'), '10.10.3.4');
  await fleet.until('both have imported both', () =>
    ['east', 'west'].every((name) => importedSlices(fleet.cluster(name)).length === 2),
  );
  await fleet.clock.advance(5_000);
  return fleet;
}

/** After `disturb` everything comes to be as it was. */
async function expectRepaired(disturb: (fleet: VirtualFleet) => void): Promise<void> {
  await using fleet = await fleetWithCarts();
  const before = fleetState(fleet);
  disturb(fleet);
  expect(fleetState(fleet)).not.toEqual(before);
  await fleet.clock.advance(10_000);
  expect(fleetState(fleet)).toEqual(before);
}

const area = (name: string) => ({ namespace: leaderNamespace, name });
const imports = ['shop-cart-service', 'shop-cart-endpoints', 'shop-cart-endpoints.east', 'shop-cart-endpoints.west'];
const exported = ['west-shop-cart-service', 'west-shop-cart-endpoints'];

describe('B5b: a ResourceImport comes back', () => {
  it.each(imports)('that somebody deleted: %s', (name) =>
    expectRepaired((fleet) => fleet.leader.server.admin.delete(ResourceImport, area(name))),
  );

  it.each(imports)('that somebody emptied: %s', (name) =>
    expectRepaired((fleet) =>
      fleet.leader.server.admin.patch(ResourceImport, area(name), {
        spec: { serviceImport: null, endpoints: null, endpointSlices: null },
      }),
    ),
  );

  it('whose labels somebody changed', () =>
    expectRepaired((fleet) =>
      fleet.leader.server.admin.patch(ResourceImport, area('shop-cart-endpoints.west'), {
        metadata: { labels: { sourceClusterID: 'east', sourceName: 'other' } },
      }),
    ));
});

describe('B5a: a ResourceExport comes back', () => {
  it.each(exported)('that somebody deleted: %s', (name) =>
    expectRepaired((fleet) => fleet.leader.server.admin.remove(ResourceExport, area(name))),
  );

  it.each(exported)('that somebody edited: %s', (name) =>
    expectRepaired((fleet) =>
      fleet.leader.server.admin.patch(ResourceExport, area(name), {
        spec: { service: { serviceSpec: { ports: [{ port: 6 }] } }, endpoints: { subsets: [] }, endpointSlices: [] },
      }),
    ),
  );

  it('that somebody made to speak of another Service', () =>
    expectRepaired((fleet) =>
      fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), { spec: { name: 'other' } }),
    ));

  it('whose finalizer somebody removed', () =>
    expectRepaired((fleet) =>
      fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), {
        metadata: { finalizers: null },
      }),
    ));

  it('whose condition somebody changed', () =>
    expectRepaired((fleet) =>
      fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), {
        status: { conditions: [{ type: 'Failure', status: 'False', reason: 'Mine', message: 'mine' }] },
      }),
    ));
});

it('B27a: a label of an export that somebody changed or removed is noticed and repaired', async () => {
  for (const label of ['sourceName', 'sourceKind', 'sourceNamespace', 'sourceClusterID']) {
    for (const value of ['other', null]) {
      await expectRepaired((fleet) =>
        fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), {
          metadata: { labels: { [label]: value } },
        }),
      );
    }
  }
});

describe('what a member made comes back', () => {
  const east = (fleet: VirtualFleet) => fleet.cluster('east').server.admin;
  const sliceOf = (fleet: VirtualFleet, source: string) => {
    const found = east(fleet)
      .list(EndpointSlice, 'shop')
      .find(({ metadata }) => metadata.labels?.['multicluster.kubernetes.io/source-cluster'] === source);
    if (found === undefined) throw new Error(`no slice of ${source}`);
    return found.metadata;
  };

  it('the slice of another cluster, deleted', () =>
    expectRepaired((fleet) => east(fleet).delete(EndpointSlice, sliceOf(fleet, 'west'))));

  it('the slice of the own cluster, deleted', () =>
    expectRepaired((fleet) => east(fleet).delete(EndpointSlice, sliceOf(fleet, 'east'))));

  it('a slice with other endpoints and ports', () =>
    expectRepaired((fleet) =>
      east(fleet).patch(EndpointSlice, sliceOf(fleet, 'west'), {
        endpoints: [{ addresses: ['10.9.9.9'] }],
        ports: [{ name: 'http', port: 1, protocol: 'TCP' }],
      }),
    ));

  it('a slice without endpoints', () =>
    expectRepaired((fleet) => east(fleet).patch(EndpointSlice, sliceOf(fleet, 'west'), { endpoints: null })));

  it('a slice that belongs to nobody', () =>
    expectRepaired((fleet) =>
      east(fleet).patch(EndpointSlice, sliceOf(fleet, 'west'), { metadata: { ownerReferences: null } }),
    ));

  it('the ServiceImport, deleted', () => expectRepaired((fleet) => east(fleet).delete(ServiceImport, cart)));

  it('the ServiceImport with other ports and addresses', () =>
    expectRepaired((fleet) =>
      east(fleet).patch(ServiceImport, cart, { spec: { ips: ['10.9.9.9'], ports: [{ port: 4 }] } }),
    ));

  it('the status of the ServiceImport', () =>
    expectRepaired((fleet) => east(fleet).patch(ServiceImport, cart, { status: { clusters: [], conditions: [] } })));

  it('the Service with other ports and a selector, in the same address', () =>
    expectRepaired((fleet) =>
      east(fleet).patch(Service, derivedCart, { spec: { ports: [{ name: 'x', port: 4 }], selector: { app: 'mine' } } }),
    ));

  it('the Service that lost our label', () =>
    expectRepaired((fleet) =>
      east(fleet).patch(Service, derivedCart, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } }),
    ));

  it('the Service, deleted: with a new address, which the ServiceImport tells', async () => {
    await using fleet = await fleetWithCarts();
    const before = east(fleet).get(Service, derivedCart);
    east(fleet).delete(Service, derivedCart);
    await fleet.until('it is back', () => {
      const found = east(fleet).get(Service, derivedCart);
      return found !== undefined && found.metadata.uid !== before?.metadata.uid;
    });
    await fleet.until('with its slices', () => importedSlices(fleet.cluster('east')).length === 2);
    await fleet.clock.advance(5_000);
    const service = east(fleet).get(Service, derivedCart);
    expect(east(fleet).get(ServiceImport, cart)?.spec?.ips).toEqual([service?.spec?.clusterIP]);
    const owners = east(fleet)
      .list(EndpointSlice, 'shop')
      .filter(({ metadata }) => metadata.name.startsWith('antrea-mc-cart'))
      .flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid));
    expect(owners).toEqual([service?.metadata.uid, service?.metadata.uid]);
  });

  it('the status of the ServiceExport', () =>
    expectRepaired((fleet) => east(fleet).patch(ServiceExport, cart, { status: { conditions: [] } })));
});
