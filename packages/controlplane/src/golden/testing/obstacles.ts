import { Namespace, ResourceExport, ResourceImport, Service, ServiceExport, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { exportService, leaderNamespace, putAntreaExports, putService, unexportService } from '@isthmus/fleet-sim';
import type { Scenario } from './record.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const shop = (name: string) => ({ namespace: 'shop', name });
const area = (name: string) => ({ namespace: leaderNamespace, name });
const longName = 'a-service-whose-name-is-so-long-that-none-can-import-it';

function serve(fleet: VirtualFleet, cluster: string, ref: { readonly namespace: string; readonly name: string }): void {
  putService(fleet.cluster(cluster), http, ref);
  exportService(fleet.cluster(cluster), ref);
}

/**
 * Exports that cannot be served, imports that cannot be created, and the reports on their objects.
 */
export const obstacles: Scenario = {
  name: 'obstacles',
  fleet: { clusters: { north: 'leader', east: 'member', west: 'member' } },
  chapters: [
    { title: 'east and west have joined' },
    {
      title: 'west exports Services that cannot be exported',
      act(fleet) {
        const west = fleet.cluster('west');
        const { admin } = west.server;
        admin.put(Namespace, { metadata: { name: 'shop' } });
        exportService(west, shop('missing'));
        admin.put(Service, { metadata: shop('external'), spec: { type: 'ExternalName', externalName: 'example.com' } });
        exportService(west, shop('external'));
        admin.put(Service, {
          metadata: { ...shop('imported'), annotations: { 'multicluster.antrea.io/imported-service': 'true' } },
          spec: { ports: http },
        });
        exportService(west, shop('imported'));
        serve(fleet, 'west', shop(longName));
      },
    },
    {
      title: 'the missing Service is created',
      act: (fleet) => putService(fleet.cluster('west'), http, shop('missing')),
    },
    {
      title: 'west exports Services whose local names are taken in east',
      act(fleet) {
        const { admin } = fleet.cluster('east').server;
        admin.put(Namespace, { metadata: { name: 'shop' } });
        admin.put(Service, { metadata: shop('antrea-mc-taken'), spec: { clusterIP: '10.97.0.9', ports: http } });
        admin.put(ServiceImport, {
          metadata: shop('foreign'),
          spec: { type: 'ClusterSetIP', ips: ['10.97.0.8'], ports: [{ name: 'http', protocol: 'TCP', port: 80 }] },
        });
        serve(fleet, 'west', shop('taken'));
        serve(fleet, 'west', shop('foreign'));
      },
    },
    {
      title: 'the names are free',
      act(fleet) {
        const { admin } = fleet.cluster('east').server;
        admin.delete(Service, shop('antrea-mc-taken'));
        admin.delete(ServiceImport, shop('foreign'));
      },
    },
    {
      title: 'two Services of one cluster meet in one name, and two of two clusters',
      async act(fleet) {
        for (const cluster of fleet.clusters.slice(1)) {
          for (const name of ['prod', 'prod-web', 'test', 'test-web'])
            cluster.server.admin.put(Namespace, { metadata: { name } });
        }
        serve(fleet, 'west', { namespace: 'prod', name: 'web-api' });
        serve(fleet, 'east', { namespace: 'test', name: 'web-api' });
        await fleet.clock.advance(1_000);
        serve(fleet, 'west', { namespace: 'prod-web', name: 'api' });
        serve(fleet, 'west', { namespace: 'test-web', name: 'api' });
      },
    },
    {
      title: 'the older ones are withdrawn',
      act(fleet) {
        unexportService(fleet.cluster('west'), { namespace: 'prod', name: 'web-api' });
        unexportService(fleet.cluster('east'), { namespace: 'test', name: 'web-api' });
      },
    },
    {
      title: 'imports on the leader are damaged while it is down',
      act(fleet) {
        fleet.leader.kill();
        const { admin } = fleet.leader.server;
        const port = (name: string, port: number) => ({ name, protocol: 'TCP', port });
        const spec = (ports: readonly object[]) => ({ spec: { serviceImport: { spec: { ports } } } });
        admin.patch(ResourceImport, area('shop-taken-service'), { spec: { serviceImport: null } });
        admin.patch(ResourceImport, area('shop-foreign-service'), spec([port('http', 80), port('HTTP', 99_999)]));
      },
    },
    { title: 'the leader is back', act: (fleet) => fleet.leader.start() },
    {
      title: 'somebody else exports into the Common Area, well and badly',
      act(fleet) {
        const { admin } = fleet.leader.server;
        const subsets = [{ addresses: [{ ip: '10.99.0.1' }], ports: [{ name: 'http', protocol: 'TCP', port: 80 }] }];
        const service = (name: string) => ({ namespace: 'shop', name, ports: http, subsets });
        putAntreaExports(fleet, 'antrea', service('peer'));
        putAntreaExports(fleet, 'antrea', service('empty'));
        admin.patch(ResourceExport, area('antrea-shop-empty-service'), { spec: { service: null } });
        admin.patch(ResourceExport, area('antrea-shop-empty-endpoints'), { spec: { endpoints: null } });
        const local = [{ addresses: [{ ip: '127.0.0.1' }, { ip: 'localhost' }, { ip: '10.99.0.2' }], ports: http }];
        putAntreaExports(fleet, 'antrea', { ...service('partly'), subsets: local });
        const put = (name: string, spec: object | undefined, labels?: Readonly<Record<string, string>>) =>
          admin.put(ResourceExport, {
            metadata: { ...area(name), labels, finalizers: ['resourceexport.antrea.io/finalizer'] },
            spec,
          });
        put('no-spec', undefined);
        put('no-kind', {
          clusterID: 'evil',
          namespace: 'shop',
          name: 'cart',
          service: { serviceSpec: { ports: http } },
        });
        put('unknown-kind', { clusterID: 'evil', kind: 'Nonsense', namespace: 'shop', name: 'cart' });
        put('no-namespace', {
          clusterID: 'evil',
          kind: 'Service',
          name: 'cart',
          service: { serviceSpec: { ports: http } },
        });
        put('no-cluster', {
          kind: 'Service',
          namespace: 'shop',
          name: 'cart',
          service: { serviceSpec: { ports: http } },
        });
        put('bad-name', {
          clusterID: 'evil',
          kind: 'Service',
          namespace: 'shop',
          name: '../cart',
          service: { serviceSpec: {} },
        });
        put('west-shop-stolen-service', {
          clusterID: 'evil',
          kind: 'Service',
          namespace: 'shop',
          name: 'stolen',
          service: { serviceSpec: { ports: http } },
        });
        put('antrea-shop-peer-again', {
          clusterID: 'antrea',
          kind: 'Endpoints',
          namespace: 'shop',
          name: 'peer',
          endpoints: { subsets },
        });
        const lonely = {
          clusterID: 'antrea',
          kind: 'Endpoints',
          namespace: 'shop',
          name: 'lonely',
          endpoints: { subsets },
        };
        put('antrea-shop-lonely-endpoints', lonely, { sourceClusterID: 'antrea' });
        put('antrea-clusterinfo', {
          clusterID: 'antrea',
          kind: 'ClusterInfo',
          name: 'antrea',
          namespace: 'kube-system',
          clusterInfo: { clusterID: 'antrea', serviceCIDR: '10.99.0.0/16' },
        });
        put('antrea-policy', { clusterID: 'antrea', kind: 'AntreaClusterNetworkPolicy', name: 'deny' });
        put('antrea-label', {
          clusterID: 'antrea',
          kind: 'LabelIdentity',
          labelIdentity: { normalizedLabel: 'ns:a&pod:b' },
        });
      },
    },
    {
      title: 'a ResourceImport that nobody exported is in the way of a new export',
      act(fleet) {
        fleet.leader.server.admin.put(ResourceImport, {
          metadata: area('shop-blocked-service'),
          spec: { kind: 'ServiceImport', namespace: 'other', name: 'thing' },
        });
        serve(fleet, 'west', shop('blocked'));
      },
    },
    {
      title: 'it goes, and all that was put there by hand is deleted',
      act(fleet) {
        const { admin } = fleet.leader.server;
        admin.delete(ResourceImport, area('shop-blocked-service'));
        const ours = new Set(['east', 'west']);
        for (const { metadata, spec } of admin.list(ResourceExport))
          if (!ours.has(spec?.clusterID ?? '')) admin.delete(ResourceExport, metadata);
      },
    },
    {
      title: 'west withdraws everything',
      act(fleet) {
        const { admin } = fleet.cluster('west').server;
        for (const { metadata } of admin.list(ServiceExport)) admin.delete(ServiceExport, metadata);
      },
    },
  ],
};
