import { EndpointSlice, Namespace, ResourceImport, Service, ServiceExport, ServiceImport } from '@isthmus/api';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import {
  cart,
  derivedCart,
  eastPorts,
  exportService,
  leaderNamespace,
  putPod,
  putService,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import type { Scenario } from './record.ts';

const db = { namespace: 'shop', name: 'db' } as const;
const dbPorts = [{ name: 'sql', protocol: 'TCP', port: 5432, targetPort: 5432, appProtocol: 'example.com/sql' }];
const area = (name: string) => ({ namespace: leaderNamespace, name });

function putWith(cluster: VirtualCluster, ref: typeof cart | typeof db, spec: object): void {
  cluster.server.admin.put(Service, { metadata: { ...ref }, spec: { selector: { app: ref.name }, ...spec } });
}

/**
 * A Service from its first export to its last withdrawal, with every kind of conflict between
 * clusters.
 */
export const serviceLife: Scenario = {
  name: 'service-life',
  fleet: { clusters: { north: 'leader', east: 'member', west: 'member' } },
  chapters: [
    { title: 'east and west have joined' },
    {
      title: 'west exports a Service into whose Namespace east cannot import it',
      act(fleet) {
        const west = fleet.cluster('west');
        west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
        putWith(west, cart, { clusterIP: '10.98.0.10', ports: westPorts });
        putPod(west, 'cart-1', '10.20.1.5');
        exportService(west);
      },
    },
    {
      title: 'east creates the Namespace',
      act: (fleet) => fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } }),
    },
    {
      title: 'a second Pod of west gets ready, the first one does not stay so',
      act(fleet) {
        putPod(fleet.cluster('west'), 'cart-1', '10.20.1.5', { ready: false });
        putPod(fleet.cluster('west'), 'cart-2', '10.20.2.7');
      },
    },
    {
      title: 'east exports it with other ports',
      act(fleet) {
        const east = fleet.cluster('east');
        putWith(east, cart, { clusterIP: '10.97.0.20', ports: eastPorts });
        putPod(east, 'cart-1', '10.10.3.4');
        exportService(east);
      },
    },
    {
      title: 'east takes the ports of west, and differs in all other fields',
      act(fleet) {
        const session = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } } };
        const traffic = { internalTrafficPolicy: 'Local', trafficDistribution: 'PreferClose' };
        putWith(fleet.cluster('east'), cart, { clusterIP: '10.97.0.20', ports: westPorts, ...session, ...traffic });
      },
    },
    {
      title: 'west has the same fields, and another time-out',
      act(fleet) {
        const session = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 30 } } };
        const traffic = { internalTrafficPolicy: 'Local', trafficDistribution: 'PreferClose' };
        putWith(fleet.cluster('west'), cart, { clusterIP: '10.98.0.10', ports: westPorts, ...session, ...traffic });
      },
    },
    {
      title: 'all agree again',
      act(fleet) {
        putWith(fleet.cluster('east'), cart, { clusterIP: '10.97.0.20', ports: westPorts });
        putWith(fleet.cluster('west'), cart, { clusterIP: '10.98.0.10', ports: westPorts });
      },
    },
    {
      title: 'the last endpoint of west goes',
      act: (fleet) => putPod(fleet.cluster('west'), 'cart-2', '10.20.2.7', { ready: false }),
    },
    {
      title: 'the endpoint is back, and the Service of west has one port less',
      act(fleet) {
        putPod(fleet.cluster('west'), 'cart-2', '10.20.2.7');
        putWith(fleet.cluster('west'), cart, { clusterIP: '10.98.0.10', ports: westPorts.slice(0, 1) });
      },
    },
    {
      title: 'somebody damages or deletes what the controllers wrote',
      act(fleet) {
        const [leader, east] = [fleet.leader.server.admin, fleet.cluster('east').server.admin];
        leader.delete(ResourceImport, area('shop-cart-endpoints'));
        leader.patch(ResourceImport, area('shop-cart-service'), {
          spec: { serviceImport: { spec: { sessionAffinity: 'ClientIP' } } },
        });
        east.patch(Service, derivedCart, { spec: { ports: [{ name: 'x', port: 4 }], selector: { app: 'mine' } } });
        east.patch(ServiceImport, cart, { metadata: { labels: null }, status: { clusters: [], conditions: [] } });
        east.patch(ServiceExport, cart, { status: { conditions: [] } });
        for (const { metadata } of east.list(EndpointSlice, 'shop'))
          if (metadata.name.startsWith('antrea-mc-cart-west')) east.delete(EndpointSlice, metadata);
      },
    },
    {
      title: 'all controllers restart',
      act(fleet) {
        for (const cluster of fleet.clusters) cluster.kill();
        for (const cluster of fleet.clusters) cluster.start();
      },
    },
    {
      title: 'west exports a headless Service, and east one of that name with an address',
      async act(fleet) {
        const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
        putWith(west, db, { clusterIP: 'None', ports: dbPorts });
        putPod(west, 'db-1', '10.20.1.8', { app: 'db' });
        exportService(west, db);
        await fleet.clock.advance(2_000);
        putWith(east, db, { clusterIP: '10.97.0.21', ports: dbPorts });
        putPod(east, 'db-1', '10.10.3.8', { app: 'db' });
        exportService(east, db);
      },
    },
    {
      title: 'both export it headless',
      act(fleet) {
        const east = fleet.cluster('east');
        east.server.admin.delete(Service, db);
        putWith(east, db, { clusterIP: 'None', ports: dbPorts });
      },
    },
    {
      title: 'west restarts, and exports Pods',
      act(fleet) {
        fleet.cluster('west').kill();
        fleet.cluster('west').start('member', { endpointIPType: 'PodIP' });
      },
    },
    { title: 'west withdraws the first Service', act: (fleet) => unexportService(fleet.cluster('west')) },
    {
      title: 'east deletes the exported Service, and withdraws the headless one',
      act(fleet) {
        fleet.cluster('east').server.admin.delete(Service, cart);
        unexportService(fleet.cluster('east'), db);
      },
    },
    {
      title: 'the Service is back, and the ServiceExport goes',
      async act(fleet) {
        putService(fleet.cluster('east'), westPorts);
        await fleet.clock.advance(5_000);
        unexportService(fleet.cluster('east'));
        unexportService(fleet.cluster('west'), db);
      },
    },
  ],
};
