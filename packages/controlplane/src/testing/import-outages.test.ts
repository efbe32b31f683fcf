import { EndpointSlice, Label, Namespace, managedByIsthmus } from '@isthmus/api';
import { cart, createVirtualFleet } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { watchOutages } from './import-outages.ts';

const slice = (name: string, addresses: readonly string[], source = 'east'): EndpointSlice => ({
  metadata: {
    name,
    namespace: cart.namespace,
    labels: {
      [Label.managedBy]: managedByIsthmus,
      [Label.mcsServiceName]: cart.name,
      [Label.mcsSourceCluster]: source,
    },
  },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
});

async function breachesOf(act: (put: (object: EndpointSlice) => void, remove: (name: string) => void) => void) {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
  const west = fleet.cluster('west');
  const { admin } = west.server;
  admin.put(Namespace, { metadata: { name: cart.namespace } });
  admin.put(EndpointSlice, slice('a', ['10.1.1.1', '10.1.1.2']));
  const breaches: string[] = [];
  watchOutages(
    west,
    (source) => source === 'gone',
    (what) => breaches.push(what),
  );
  act(
    (object) => void admin.put(EndpointSlice, object),
    (name) => admin.delete(EndpointSlice, { namespace: cart.namespace, name }),
  );
  return breaches;
}

describe('the watch for outages of an import', () => {
  it('takes a source that is left with nothing, and endpoints that come back, for a breach', async () => {
    const breaches = await breachesOf((put, remove) => {
      remove('a');
      put(slice('b', ['10.1.1.1', '10.1.1.2']));
    });
    expect(breaches).toEqual([
      'west: nothing of east serves any more',
      'west: 10.1.1.1 port http:80 of east was gone for a while',
      'west: 10.1.1.2 port http:80 of east was gone for a while',
    ]);
  });

  it('takes an endpoint that is gone for a while beside others for a breach', async () => {
    const breaches = await breachesOf((put) => {
      put(slice('a', ['10.1.1.2']));
      put(slice('a', ['10.1.1.1', '10.1.1.2']));
    });
    expect(breaches).toEqual(['west: 10.1.1.1 port http:80 of east was gone for a while']);
  });

  it('takes neither endpoints that move to another slice first, nor what may go, for one', async () => {
    const breaches = await breachesOf((put, remove) => {
      put(slice('b', ['10.1.1.1', '10.1.1.2']));
      remove('a');
      put(slice('c', ['10.1.1.3'], 'gone'));
      remove('c');
    });
    expect(breaches).toEqual([]);
  });
});
