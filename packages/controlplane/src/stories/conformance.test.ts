import { Namespace, Service, ServiceImport } from '@isthmus/api';
import type { ServiceImportSpec, ServiceSpec } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCondition,
  exportService,
  isClean,
  unexportService,
} from '@isthmus/fleet-sim';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCart } from '../testing/served-cart.ts';

const ports = [
  { name: 'tcp', protocol: 'TCP', port: 42, targetPort: 4242 },
  { name: 'udp', protocol: 'UDP', port: 42, targetPort: 4242 },
];

// One fleet for all: each test leaves no export behind.
let fleet: VirtualFleet;
let clusters: readonly VirtualCluster[];
beforeAll(async () => {
  fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  clusters = [fleet.cluster('west'), fleet.cluster('east')];
  for (const { server } of clusters) server.admin.put(Namespace, { metadata: { name: cart.namespace } });
});
afterAll(() => fleet[Symbol.asyncDispose]());

const serve = (cluster: VirtualCluster, spec: Partial<ServiceSpec>) => serveCart(cluster, { ports, ...spec });

const imported = ({ server }: VirtualCluster) => server.admin.get(ServiceImport, cart)?.spec;
const hasImport = (cluster: VirtualCluster) => imported(cluster) !== undefined;

async function withdraw(...exporters: readonly VirtualCluster[]): Promise<void> {
  for (const cluster of exporters) unexportService(cluster);
  await fleet.until('every cluster has lost the import', () => !clusters.some(hasImport), 10_000);
  await fleet.until('nothing is left', () => isClean(fleet), 10_000);
}

describe('what the conformance suite of the MCS API requires (docs/spec/mcs-api.md §5)', () => {
  it('a Service that is not exported has no import anywhere', async () => {
    const [west] = clusters as readonly [VirtualCluster];
    serve(west, {});
    await fleet.clock.advance(10_000);
    expect(clusters.map(hasImport)).toEqual([false, false]);
  });

  it.each([
    ['the type', {}, { type: 'ClusterSetIP' }],
    ['session affinity', { sessionAffinity: 'ClientIP' }, { sessionAffinity: 'ClientIP' }],
    [
      'the time-out of session affinity',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } } },
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } } },
    ],
    ['the policy of internal traffic', { internalTrafficPolicy: 'Local' }, { internalTrafficPolicy: 'Local' }],
    ['the distribution of traffic', { trafficDistribution: 'PreferClose' }, { trafficDistribution: 'PreferClose' }],
    [
      'the ports',
      {},
      {
        ports: [
          { name: 'tcp', protocol: 'TCP', port: 42 },
          { name: 'udp', protocol: 'UDP', port: 42 },
        ],
      },
    ],
    ['type Headless where the Service is headless', { clusterIP: 'None' }, { type: 'Headless' }],
  ] satisfies readonly (readonly [string, Partial<ServiceSpec>, Partial<ServiceImportSpec>])[])(
    'the import shows %s in every cluster, as long as the Service is exported',
    async (_, spec, expected) => {
      const [west] = clusters as readonly [VirtualCluster];
      serve(west, spec);
      exportService(west);
      await fleet.until('every cluster imports it', () => clusters.every(hasImport), 10_000);
      for (const cluster of clusters) expect(imported(cluster)).toMatchObject(expected);
      await withdraw(west);
    },
  );

  it('an import has an IP of the importing cluster for each of its IP families, and a headless one has none', async () => {
    const [west] = clusters as readonly [VirtualCluster];
    for (const clusterIP of [undefined, 'None']) {
      serve(west, { clusterIP });
      exportService(west);
      // The endpoints of a headless one, which was exported several times before, follow.
      const hasFamilies = (cluster: VirtualCluster) => imported(cluster)?.ipFamilies !== undefined;
      await fleet.until('every cluster imports it', () => clusters.every(hasFamilies), 10_000);
      for (const cluster of clusters) {
        const { ips, ipFamilies } = imported(cluster) ?? {};
        const own = cluster.server.admin.get(Service, derivedCart)?.spec?.clusterIP;
        expect({ ips, ipFamilies }).toEqual({
          ips: clusterIP === 'None' ? undefined : [own],
          ipFamilies: ['IPv4'],
        });
      }
      await withdraw(west);
    }
  });

  it('an import stays until the last of its exporters withdraws', async () => {
    const [west, east] = clusters as readonly [VirtualCluster, VirtualCluster];
    for (const cluster of clusters) {
      serve(cluster, {});
      exportService(cluster);
    }
    const names = (of: VirtualCluster) =>
      of.server.admin.get(ServiceImport, cart)?.status?.clusters?.map(({ cluster }) => cluster);
    await fleet.until('both export it', () => clusters.every((each) => names(each)?.length === 2), 10_000);
    unexportService(west);
    await fleet.until('one is left', () => clusters.every((each) => names(each)?.join() === 'east'), 10_000);
    await fleet.clock.advance(10_000);
    expect(clusters.map(hasImport)).toEqual([true, true]);
    await withdraw(east);
  });

  it('two exports with different ports are imported with the ports of both, and both report the conflict', async () => {
    const [west, east] = clusters as readonly [VirtualCluster, VirtualCluster];
    serve(west, {});
    exportService(west);
    await fleet.until('exported', () => exportCondition(west, 'Ready') === 'True Exported', 10_000);
    await fleet.clock.advance(2_000);
    serve(east, { ports: [{ name: 'stcp', protocol: 'TCP', port: 142 }] });
    exportService(east);
    const named = (of: VirtualCluster) => imported(of)?.ports?.map(({ name }) => name);
    await fleet.until(
      'every cluster has the ports of both',
      () => clusters.every((each) => named(each)?.join() === 'tcp,udp,stcp'),
      10_000,
    );
    const inConflict = () =>
      clusters.every((each) => exportCondition(each, 'Conflict').startsWith('True PortConflict'));
    await fleet.until('both report it', inConflict, 5_000);
    await withdraw(west, east);
  });

  it('an ExternalName Service is not valid, and nothing is imported', async () => {
    const [west] = clusters as readonly [VirtualCluster];
    west.server.admin.delete(Service, cart);
    west.server.admin.put(Service, {
      metadata: { ...cart },
      spec: { type: 'ExternalName', externalName: 'example.com' },
    });
    exportService(west);
    const valid = () => exportCondition(west, 'Valid');
    await fleet.until('it is reported', () => valid().startsWith('False '), 5_000);
    expect(valid()).toBe('False InvalidServiceType');
    expect(clusters.map(hasImport)).toEqual([false, false]);
    unexportService(west);
  });
});
