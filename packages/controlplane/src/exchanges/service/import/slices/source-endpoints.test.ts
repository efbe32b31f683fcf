import type { EndpointSlice, EndpointSlicePayload } from '@isthmus/api';
import type { RemoteService } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { EndpointsInput, OwnService } from './source-endpoints.ts';
import { importedEndpoints } from './source-endpoints.ts';

const http = { name: 'http', port: 80, protocol: 'TCP' };
const admin = { name: 'admin', port: 9000, protocol: 'TCP' };
const podPorts = [
  { name: 'http', port: 8080, protocol: 'TCP' },
  { name: 'admin', port: 9001, protocol: 'TCP' },
];

const remoteOf = (remote: Partial<RemoteService>): RemoteService => ({
  spec: { type: 'ClusterSetIP', ports: [http] },
  perCluster: new Map(),
  merged: [],
  problems: [],
  unusable: undefined,
  ...remote,
});
const clusterIP = (ip: string, ...ports: readonly (typeof http)[]): EndpointSlicePayload => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: [ip], conditions: { ready: true } }],
  ports,
});
const ownSlice: EndpointSlice = {
  metadata: { name: 'cart-1' },
  addressType: 'IPv4',
  endpoints: [
    { addresses: ['10.20.1.5'], hostname: 'cart-0', zone: 'a', nodeName: 'node-1' },
    { addresses: ['10.20.1.6'], conditions: { ready: false } },
  ],
  ports: podPorts,
};

type OwnSpec = NonNullable<OwnService['service']['spec']>;
/** The own Service with these slices, on both ports unless `spec` has others. */
const ownWith = (
  slices: readonly EndpointSlice[],
  { spec, endpointIPType = 'ClusterIP' }: { spec?: OwnSpec; endpointIPType?: OwnService['endpointIPType'] } = {},
): OwnService => {
  const ports = [http, admin];
  const service = { metadata: { name: 'cart' }, spec: { clusterIPs: ['10.97.0.10'], ports, ...spec } };
  return { service, slices, endpointIPType };
};

/** `source: address,… port,…` of each slice. */
function imported(input: Partial<EndpointsInput>): readonly string[] {
  const all = { clusterID: 'west', remote: remoteOf({}), own: undefined, ...input };
  return importedEndpoints(all).flatMap(({ clusterID, slices }) =>
    slices.map(({ endpoints, ports }) => {
      const addresses = endpoints.flatMap((endpoint) => endpoint.addresses).join();
      return `${clusterID ?? '?'}: ${addresses} ${(ports ?? []).map((port) => `${port.name}:${port.port}`).join()}`;
    }),
  );
}

describe('under our leader', () => {
  const perCluster = new Map([
    ['east', [clusterIP('10.96.0.20', http)]],
    ['west', [clusterIP('10.97.0.10', http)]],
  ]);

  it('each cluster has its own part; the own one is its ready Pods, on the ports that the leader accepted', () => {
    expect(imported({ remote: remoteOf({ perCluster }), own: ownWith([ownSlice]) })).toEqual([
      'east: 10.96.0.20 http:80',
      'west: 10.20.1.5 http:8080',
    ]);
  });

  it('the own ClusterIP is never an endpoint, whatever the leader publishes', () => {
    const found = imported({ remote: remoteOf({ perCluster }), own: ownWith([]) });
    expect(found).toEqual(['east: 10.96.0.20 http:80']);
  });

  it('the merged endpoints are not looked at', () => {
    const merged = [{ addresses: [{ ip: '10.99.0.1' }], ports: [http] }];
    expect(imported({ remote: remoteOf({ perCluster, merged }) })).toEqual(['east: 10.96.0.20 http:80']);
  });

  it.each([
    ['on the ports that the import has as they are', {}, ['west: 10.20.1.5 http:8080']],
    ['on none where the numbers differ', { spec: { ports: [{ ...http, port: 81 }] } }, []],
    ['on none where the protocols differ', { spec: { ports: [{ ...http, protocol: 'UDP' }] } }, []],
    ['on none where the names differ', { spec: { ports: [{ ...http, name: 'web' }] } }, []],
  ])('own Pods of which the leader knows nothing yet serve %s', (_, options, expected) => {
    const none = new Map([['west', []]]);
    expect(imported({ remote: remoteOf({ perCluster: none }), own: ownWith([ownSlice], options) })).toEqual(expected);
  });

  it.each([
    ['not with a ClusterIP, which is what it exports', {}, []],
    ['with Pod IPs', { endpointIPType: 'PodIP' as const }, ['west: 10.20.1.5 http:8080']],
    ['when headless itself', { spec: { clusterIP: 'None' } }, ['west: 10.20.1.5 http:8080']],
    ['when headless itself, without any port', { spec: { clusterIP: 'None', ports: [] } }, ['west: 10.20.1.6 ']],
  ])('a headless import is served by own Pods of which the leader knows nothing yet: %s', (_, options, expected) => {
    const remote = remoteOf({ spec: { type: 'Headless', ports: [http] }, perCluster: new Map([['west', []]]) });
    const portless = { ...ownSlice, endpoints: [{ addresses: ['10.20.1.6'] }], ports: null };
    expect(imported({ remote, own: ownWith([ownSlice, portless], options) })).toEqual(expected);
  });

  it('own endpoints carry hostname, zone and the Node, for traffic that is to stay on it', () => {
    const [, own] = importedEndpoints({
      clusterID: 'west',
      remote: remoteOf({ perCluster }),
      own: ownWith([ownSlice]),
    });
    expect(own?.slices[0]?.endpoints).toEqual([
      { addresses: ['10.20.1.5'], conditions: { ready: true }, hostname: 'cart-0', zone: 'a', nodeName: 'node-1' },
    ]);
  });

  it('own endpoints that end are kept for as long as they serve', () => {
    const endpoints = [
      { addresses: ['10.20.1.5'], conditions: { ready: false, serving: true, terminating: true } },
      { addresses: ['10.20.1.6'], conditions: { ready: false, serving: false, terminating: true } },
      { addresses: ['10.20.1.7'], conditions: { ready: false, serving: true } },
    ];
    const [, own] = importedEndpoints({
      clusterID: 'west',
      remote: remoteOf({ perCluster }),
      own: ownWith([{ ...ownSlice, endpoints }]),
    });
    expect(own?.slices[0]?.endpoints).toEqual(endpoints.slice(0, 1));
  });

  it.each<[string, { name: string; port: number; protocol?: string }, readonly string[]]>([
    ['under its old name while the import has it', { name: 'web', port: 80 }, ['west: 10.20.1.5 http:8080']],
    ['not where its number is another one', { name: 'web', port: 81 }, []],
    ['not where its protocol is another one', { name: 'web', port: 80, protocol: 'UDP' }, []],
  ])('a port of the own Service that was renamed serves %s', (_, { protocol = 'TCP', ...port }, expected) => {
    const spec = { ports: [{ ...port, protocol }, admin] };
    const slice = { ...ownSlice, ports: [{ name: 'web', port: 8080, protocol }] };
    const remote = remoteOf({ perCluster: new Map([['west', [clusterIP('10.97.0.10', http)]]]) });
    expect(imported({ remote, own: ownWith([slice], { spec }) })).toEqual(expected);
  });

  it.each([
    ['no endpoint, as the API server writes it', { ...ownSlice, endpoints: null }],
    ['no port, as the API server writes it', { ...ownSlice, ports: null }],
    ['names instead of addresses', { ...ownSlice, addressType: 'FQDN' as const }],
    ['only endpoints that are not ready', { ...ownSlice, endpoints: (ownSlice.endpoints ?? []).slice(1) }],
  ])('an own slice with %s serves nothing', (_, slice) => {
    expect(imported({ remote: remoteOf({ perCluster }), own: ownWith([slice]) })).toEqual(['east: 10.96.0.20 http:80']);
  });

  it('own endpoints without any port serve a headless Service that has none', () => {
    const portless = new Map([['west', [clusterIP('10.20.1.5')]]]);
    const remote = remoteOf({ spec: { type: 'Headless', ports: [] }, perCluster: portless });
    expect(imported({ remote, own: ownWith([{ ...ownSlice, ports: null }]) })).toEqual(['west: 10.20.1.5 ']);
    expect(imported({ remote, own: ownWith([ownSlice]) })).toEqual([]);
  });

  it('own endpoints without any port serve beside others where the leader accepted both', () => {
    const both = new Map([['west', [clusterIP('10.20.1.5', http), clusterIP('10.20.1.6')]]]);
    const remote = remoteOf({ spec: { type: 'Headless', ports: [http] }, perCluster: both });
    const portless = { ...ownSlice, endpoints: [{ addresses: ['10.20.1.6'] }], ports: null };
    expect(imported({ remote, own: ownWith([ownSlice, portless]) })).toEqual([
      'west: 10.20.1.5 http:8080',
      'west: 10.20.1.6 ',
    ]);
  });

  it('own endpoints without any port do not serve an import that has a ClusterIP', () => {
    const remote = remoteOf({ perCluster: new Map([['west', []]]) });
    const own = ownWith([{ ...ownSlice, ports: null }], { spec: { clusterIP: 'None', ports: [] } });
    expect(imported({ remote, own })).toEqual([]);
  });

  it('a port of an own slice without a number serves nothing', () => {
    const slice = { ...ownSlice, ports: [{ name: 'http', protocol: 'TCP' }] };
    expect(imported({ remote: remoteOf({ perCluster }), own: ownWith([slice]) })).toEqual(['east: 10.96.0.20 http:80']);
  });

  it('a cluster of which the leader still knows an export serves nothing once it has none', () => {
    const remote = remoteOf({ perCluster: new Map([['west', []]]) });
    expect(imported({ remote, own: undefined })).toEqual([]);
  });

  it('own endpoints of both families are in slices of their own', () => {
    const six: EndpointSlice = { ...ownSlice, addressType: 'IPv6', endpoints: [{ addresses: ['fd00::5'] }] };
    const found = imported({ remote: remoteOf({ perCluster }), own: ownWith([ownSlice, six]) });
    expect(found).toEqual(['east: 10.96.0.20 http:80', 'west: 10.20.1.5 http:8080', 'west: fd00::5 http:8080']);
  });
});

describe('under an Antrea leader, which merges all into one list', () => {
  const subset = (ip: string, ...ports: readonly (typeof http)[]) => ({ addresses: [{ ip }], ports });

  it('the list is imported without a source', () => {
    expect(imported({ remote: remoteOf({ merged: [subset('10.96.0.20', http)] }) })).toEqual(['?: 10.96.0.20 http:80']);
  });

  it('the own ClusterIP is taken out, and the own Pods come in its place', () => {
    const merged = [subset('10.96.0.20', http), subset('10.97.0.10', http)];
    const found = imported({ remote: remoteOf({ merged }), own: ownWith([ownSlice]) });
    expect(found).toEqual(['?: 10.96.0.20 http:80', 'west: 10.20.1.5 http:8080']);
  });

  it('own Pod addresses are recognised too', () => {
    const merged = [subset('10.96.0.20', http), subset('10.20.1.5', { ...http, port: 8080 })];
    expect(imported({ remote: remoteOf({ merged }), own: ownWith([ownSlice]) })).toEqual([
      '?: 10.96.0.20 http:80',
      'west: 10.20.1.5 http:8080',
    ]);
  });

  it('only the own ports that the leader lists are served', () => {
    const merged = [subset('10.97.0.10', admin)];
    const found = imported({ remote: remoteOf({ merged }), own: ownWith([ownSlice]) });
    expect(found).toEqual(['west: 10.20.1.5 admin:9001']);
  });

  it('ports of other clusters alone are not served by own Pods, and own ones listed beside others are', () => {
    const others = [subset('10.97.0.10', http), subset('10.96.0.20', admin)];
    expect(imported({ remote: remoteOf({ merged: others }), own: ownWith([ownSlice]) })).toEqual([
      '?: 10.96.0.20 admin:9000',
      'west: 10.20.1.5 http:8080',
    ]);
    const together = [{ addresses: [{ ip: '10.96.0.20' }, { ip: '10.97.0.10' }], ports: [http] }];
    expect(imported({ remote: remoteOf({ merged: together }), own: ownWith([ownSlice]) })).toEqual([
      '?: 10.96.0.20 http:80',
      'west: 10.20.1.5 http:8080',
    ]);
  });

  it('what is listed is ready, and who offers nothing is not a source', () => {
    const remote = remoteOf({ merged: [subset('10.96.0.20', http)] });
    expect(importedEndpoints({ clusterID: 'west', remote, own: undefined })).toEqual([
      { clusterID: undefined, slices: [clusterIP('10.96.0.20', http)] },
    ]);
    expect(importedEndpoints({ clusterID: 'west', remote: remoteOf({}), own: ownWith([]) })).toEqual([]);
  });

  it('a cluster that does not export has no own part', () => {
    const merged = [subset('10.96.0.20', http)];
    expect(imported({ remote: remoteOf({ merged }), own: undefined })).toEqual(['?: 10.96.0.20 http:80']);
  });

  it('slices of the own Service that are empty do not matter', () => {
    const merged = [subset('10.96.0.20', http)];
    const found = imported({ remote: remoteOf({ merged }), own: ownWith([{ ...ownSlice, endpoints: null }]) });
    expect(found).toEqual(['?: 10.96.0.20 http:80']);
  });
});
