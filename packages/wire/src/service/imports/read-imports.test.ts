import type { EndpointSlicePayload, ResourceImport } from '@isthmus/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceImportKeys } from '../service-keys.ts';
import { readImports } from './read-imports.ts';

const http = [{ name: 'http', port: 80, protocol: 'TCP' }];

const serviceImport = (spec: object = {}): ResourceImport => ({
  metadata: { name: 'shop-cart-service' },
  spec: {
    kind: 'ServiceImport',
    namespace: 'shop',
    name: 'cart',
    serviceImport: { spec: { type: 'ClusterSetIP', ports: http, ...spec } },
  },
});
const merged = (subsets: NonNullable<NonNullable<ResourceImport['spec']>['endpoints']>['subsets']): ResourceImport => ({
  metadata: { name: 'shop-cart-endpoints' },
  spec: { kind: 'Endpoints', namespace: 'shop', name: 'cart', endpoints: { subsets } },
});
const perCluster = (clusterID: string, endpointSlices?: readonly EndpointSlicePayload[]): ResourceImport => ({
  metadata: { name: `shop-cart-endpoints.${clusterID}`, labels: { sourceClusterID: clusterID } },
  spec: { kind: 'EndpointSlices', namespace: 'shop', name: 'cart', endpointSlices },
});
const slice = (addresses: readonly string[], more: Partial<EndpointSlicePayload> = {}): EndpointSlicePayload => ({
  addressType: 'IPv4',
  ports: http,
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ...more,
});

describe('the Service that an import belongs to', () => {
  it.each([
    ['a Service', serviceImport()],
    ['merged endpoints', merged([])],
    ['the endpoints of a cluster', perCluster('east')],
    [
      'the endpoints of a cluster without their labels',
      { ...perCluster('east'), metadata: { name: 'shop-cart-endpoints.east' } },
    ],
    ['a Service, with a dot', { ...serviceImport(), metadata: { name: 'shop.cart-service' } }],
    ['merged endpoints, with a dot', { ...merged([]), metadata: { name: 'shop.cart-endpoints' } }],
    [
      'the endpoints of a cluster, with a dot',
      { ...perCluster('east'), metadata: { name: 'shop.cart-endpoints.east' } },
    ],
  ])('is recognised by the name of %s', (_, object) => {
    expect(serviceImportKeys(object)).toEqual(['shop/cart']);
  });

  it.each([
    ['no spec', { metadata: { name: 'shop-cart-service' } }],
    ['another kind', { metadata: { name: 'x' }, spec: { kind: 'LabelIdentity' } }],
    ['a name that is not its own', { ...serviceImport(), metadata: { name: 'other-service' } }],
    ['a name with a dot elsewhere', { ...serviceImport(), metadata: { name: 'shop-cart.service' } }],
    ['the name of the other half', { ...merged([]), metadata: { name: 'shop-cart-service' } }],
    [
      'a Namespace that is none',
      { ...serviceImport(), spec: { ...serviceImport().spec, namespace: '../kube-system' } },
    ],
    ['a name that is none', { ...serviceImport(), spec: { ...serviceImport().spec, name: 'cart/../x' } }],
    ['the name of no cluster', { ...perCluster('east'), metadata: { name: 'shop-cart-endpoints.', labels: {} } }],
  ])('does not exist with %s', (_, object) => {
    expect(serviceImportKeys(object)).toEqual([]);
  });
});

describe('the imports of one Service', () => {
  it('are read in whatever order they come, unnamed ports included', () => {
    const unnamed = [{ port: 80, protocol: 'TCP' }];
    const objects = [perCluster('east', [slice(['10.1.0.1'], { ports: unnamed })]), merged([]), serviceImport()];
    for (const order of [objects, objects.toReversed()]) {
      const { spec, problems, perCluster: found } = readImports(order);
      expect(spec?.type).toBe('ClusterSetIP');
      expect(problems).toEqual([]);
      expect(found.get('east')?.[0]?.ports).toMatchObject(unnamed);
    }
  });

  it('have the slices of the only exporter on the merged endpoints', () => {
    const sole = merged([{ addresses: [{ ip: '10.2.0.1' }], ports: http }]);
    const west = [slice(['10.2.0.1', '10.2.0.2'])];
    const object = { ...sole, spec: { ...sole.spec, clusterID: ['west'], endpointSlices: west } };
    const { perCluster: found, merged: listed, incomplete } = readImports([serviceImport(), object]);
    expect([...found.keys()]).toEqual(['west']);
    expect(found.get('west')?.[0]?.endpoints).toHaveLength(2);
    expect([listed, incomplete]).toEqual([undefined, false]);
    // While the form changes, the younger import is used.
    const both = readImports([
      serviceImport(),
      object,
      perCluster('west', [slice(['10.2.0.3'])]),
      perCluster('east', []),
    ]);
    expect([...both.perCluster.keys()].toSorted()).toEqual(['east', 'west']);
    expect(both.perCluster.get('west')?.[0]?.endpoints).toMatchObject([{ addresses: ['10.2.0.3'] }]);
    // With several exporters the slices are empty: the imports of the clusters are what the leader
    // published, whatever the list lacks.
    const shared = { ...sole, spec: { ...sole.spec, endpointSlices: [] } };
    const several = readImports([
      serviceImport(),
      shared,
      perCluster('west', west),
      perCluster('evil', [slice(['10.6.6.6'])]),
    ]);
    expect([...several.perCluster.keys()].toSorted()).toEqual(['evil', 'west']);
    // Another leader has written the list since, and dropped the slices.
    const { endpointSlices: _, ...spec } = object.spec;
    expect(readImports([serviceImport(), { ...object, spec }])).toMatchObject({
      perCluster: new Map(),
      merged: [{ addresses: [{ ip: '10.2.0.1' }] }],
    });
    const existing = new Map([['west', west]]);
    expect(readImports([serviceImport(), { ...object, spec }], { existing }).merged).toHaveLength(1);
  });

  it('are read whole', () => {
    const remote = readImports([
      serviceImport(),
      merged([{ addresses: [{ ip: '10.1.0.1' }], ports: http }]),
      perCluster('east', [slice(['10.1.0.1'])]),
      perCluster('west', []),
    ]);
    expect(remote).toMatchObject({
      spec: { type: 'ClusterSetIP', ports: http },
      merged: undefined,
      problems: [],
      unusable: undefined,
    });
    expect([...remote.perCluster.keys()]).toEqual(['east', 'west']);
    expect(remote.perCluster.get('east')).toMatchObject([{ endpoints: [{ addresses: ['10.1.0.1'] }] }]);
  });

  it('are the merged ones where the API server of the leader has dropped the slices of a cluster', () => {
    const subset = { addresses: [{ ip: '10.1.0.1' }], ports: http };
    const remote = readImports([
      serviceImport(),
      merged([subset]),
      perCluster('east', [slice(['10.1.0.1'])]),
      perCluster('west'),
    ]);
    expect(remote.perCluster.size).toBe(0);
    expect(remote.merged).toEqual([subset]);
  });

  it('are nothing where there are none', () => {
    expect(readImports([])).toEqual({
      spec: undefined,
      perCluster: new Map(),
      merged: undefined,
      incomplete: false,
      arriving: false,
      problems: [],
      unusable: undefined,
    });
  });

  it.each([
    [
      'no spec',
      { metadata: { name: 'shop-cart-service' }, spec: { kind: 'ServiceImport' } },
      'has no spec.serviceImport.spec',
    ],
    ['an unknown type', serviceImport({ type: 'Nonsense' }), 'has the unknown type "Nonsense"'],
    ['no port', serviceImport({ ports: [] }), 'has no port'],
    ['no list of ports', serviceImport({ ports: undefined }), 'has no port'],
    ['ports that are no list', serviceImport({ ports: 'http' }), 'has no port'],
    ['a port number of 0', serviceImport({ ports: [{ name: 'http', port: 0 }] }), /port "http" \(0\) has no number/],
    [
      'a port number too high',
      serviceImport({ ports: [{ name: 'http', port: 65_536 }] }),
      /port "http" \(65536\) has no number/,
    ],
    ['a port name that is none', serviceImport({ ports: [{ name: 'Http', port: 80 }] }), /port "Http" \(80\) /],
    [
      'an unknown protocol',
      serviceImport({ ports: [{ name: 'http', port: 80, protocol: 'ICMP' }] }),
      /has the unknown protocol "ICMP"/,
    ],
    ['a name twice', serviceImport({ ports: [...http, { name: 'http', port: 81 }] }), /occurs twice/],
    ['a number twice', serviceImport({ ports: [...http, { name: 'web', port: 80 }] }), /occurs twice/],
  ])('cannot be used with %s, and report it', (_, object, why) => {
    const { spec, unusable } = readImports([object]);
    expect(spec).toBeUndefined();
    expect(unusable).toMatch(why instanceof RegExp ? why : `ResourceImport shop-cart-service ${why}`);
  });

  it('may be headless without ports', () => {
    expect(readImports([serviceImport({ type: 'Headless', ports: [] })])).toMatchObject({
      spec: { type: 'Headless', ports: [] },
      unusable: undefined,
    });
  });

  it('may have one number for two protocols', () => {
    const ports = [
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'dns-tcp', port: 53, protocol: 'TCP' },
    ];
    expect(readImports([serviceImport({ ports })]).unusable).toBeUndefined();
  });

  it.each([
    ['sessionAffinity', { sessionAffinity: 'Nonsense' }],
    ['internalTrafficPolicy', { internalTrafficPolicy: 'Nonsense' }],
    ['trafficDistribution', { trafficDistribution: 'PreferTheMoon' }],
    ['timeoutSeconds', { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } }],
    ['appProtocol', { ports: [{ name: 'http', port: 80, appProtocol: 'not a name' }] }],
  ])('lose a wish that this cluster would reject the Service for, and report it: %s', (field, spec) => {
    const remote = readImports([serviceImport(spec)]);
    expect(remote.unusable).toBeUndefined();
    expect(JSON.stringify(remote.spec)).not.toContain('Nonsense');
    expect(remote.problems).toEqual([
      expect.stringMatching(new RegExp(`^shop-cart-service: ${field} .* is not supported$`)),
    ]);
  });

  it.each([
    { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
    { internalTrafficPolicy: 'Local' },
    { trafficDistribution: 'PreferSameZone' },
    { ports: [{ name: 'http', port: 80, appProtocol: 'kubernetes.io/h2c' }] },
  ])('keep every wish that can be had: %j', (spec) => {
    const remote = readImports([serviceImport(spec)]);
    expect(remote.problems).toEqual([]);
    expect(remote.spec).toMatchObject(spec);
  });
});

describe('hostile endpoints', () => {
  const hostile = [
    'nonsense',
    '',
    '0.0.0.0',
    '127.0.0.1',
    '127.255.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '239.1.1.1',
    '10.1.0.256',
  ];

  it.each(hostile)('address %j is left out of both forms, and named', (address) => {
    const list = readImports([
      serviceImport(),
      merged([{ addresses: [{ ip: address }, { ip: '10.1.0.1' }], ports: http }]),
    ]);
    const parts = readImports([serviceImport(), perCluster('east', [slice([address, '10.1.0.1'])])]);
    expect(list.merged?.[0]?.addresses).toEqual([{ ip: '10.1.0.1' }]);
    expect(parts.perCluster.get('east')?.[0]?.endpoints.map(({ addresses }) => addresses)).toEqual([['10.1.0.1']]);
    for (const { problems } of [list, parts]) expect(problems).toEqual([expect.stringContaining(address)]);
  });

  it.each(['::', '::1', 'fe80::1', 'ff02::1', '10.1.0.1', 'nonsense'])('IPv6 address %j is left out', (address) => {
    const { perCluster: found } = readImports([
      perCluster('east', [slice([address, 'fd00::1'], { addressType: 'IPv6' })]),
    ]);
    expect(found.get('east')?.[0]?.endpoints.map(({ addresses }) => addresses)).toEqual([['fd00::1']]);
  });

  it.each([
    ['a number that is none', { name: 'x', port: 0 }],
    ['no number', { name: 'x' }],
    ['a name that is none', { name: 'X!', port: 81 }],
    ['an unknown protocol', { name: 'x', port: 81, protocol: 'ICMP' }],
    ['a name that stands there already', { name: 'http', port: 81 }],
  ])('a port with %s is left out of both forms', (_, port) => {
    const list = readImports([merged([{ addresses: [{ ip: '10.1.0.1' }], ports: [...http, { port: 0, ...port }] }])]);
    const parts = readImports([perCluster('east', [slice(['10.1.0.1'], { ports: [...http, port] })])]);
    expect(list.merged?.[0]?.ports).toEqual(http);
    expect(parts.perCluster.get('east')?.[0]?.ports).toEqual(http);
    for (const { problems } of [list, parts]) expect(problems).toHaveLength(1);
  });

  it('an address of the other family is left out', () => {
    const list = readImports([merged([{ addresses: [{ ip: 'fd00::1' }, { ip: '10.1.0.1' }], ports: http }])]);
    const parts = readImports([perCluster('east', [slice(['fd00::1', '10.1.0.1'])])]);
    expect(list.merged?.[0]?.addresses).toEqual([{ ip: '10.1.0.1' }]);
    expect(parts.perCluster.get('east')?.[0]?.endpoints.map(({ addresses }) => addresses)).toEqual([['10.1.0.1']]);
  });

  it('neither Node nor Pod of another cluster is taken over', () => {
    const endpoint = { addresses: ['10.1.0.1'], nodeName: 'node-1', targetRef: { kind: 'Pod', name: 'x' }, zone: 'a' };
    const [found] =
      readImports([perCluster('east', [slice([], { endpoints: [endpoint] })])]).perCluster.get('east') ?? [];
    expect(found?.endpoints).toEqual([{ addresses: ['10.1.0.1'], zone: 'a' }]);
  });

  it('an appProtocol or a hostname that cannot be is left out alone', () => {
    const bad = slice([], {
      ports: [{ name: 'http', port: 80, appProtocol: 'not a name' }],
      endpoints: [{ addresses: ['10.1.0.1'], hostname: 'Not A Name' }],
    });
    const [found] = readImports([perCluster('east', [bad])]).perCluster.get('east') ?? [];
    expect(found).toMatchObject({ endpoints: [{ addresses: ['10.1.0.1'] }], ports: [{ name: 'http', port: 80 }] });
    expect(found?.ports?.[0]?.appProtocol).toBeUndefined();
    expect(found?.endpoints[0]?.hostname).toBeUndefined();
  });

  it('a slice of names is left out', () => {
    const remote = readImports([
      perCluster('east', [slice(['example.com'], { addressType: 'FQDN' }), slice(['10.1.0.1'])]),
    ]);
    expect(remote.perCluster.get('east')).toHaveLength(1);
    expect(remote.problems).toEqual([
      'shop-cart-endpoints.east: endpointSlices[0]: addressType "FQDN" is neither IPv4 nor IPv6; left out',
    ]);
  });

  it('the endpoints of a cluster with an invalid ID belong to no cluster', () => {
    expect(readImports([perCluster('Not An ID', [slice(['10.1.0.1'])])]).perCluster.size).toBe(0);
  });
});

it('whatever another cluster writes is read without an error', () => {
  const junk = fc.object({
    key: fc.constantFrom(
      'spec',
      'ports',
      'type',
      'subsets',
      'addresses',
      'ip',
      'port',
      'name',
      'endpoints',
      'clientIP',
    ),
    values: [fc.constant(null), fc.string(), fc.integer(), fc.boolean()],
    maxDepth: 4,
  });
  fc.assert(
    fc.property(fc.constantFrom('ServiceImport', 'Endpoints', 'EndpointSlices'), junk, junk, (kind, a, b) => {
      const object = {
        metadata: { name: 'shop-cart-service', labels: { sourceClusterID: 'east' } },
        spec: { kind, namespace: 'shop', name: 'cart', serviceImport: a, endpoints: b, endpointSlices: [a, b] },
      } as unknown as ResourceImport;
      serviceImportKeys(object);
      const { spec, unusable } = readImports([object]);
      if (kind === 'ServiceImport') expect(spec === undefined).toBe(unusable !== undefined);
    }),
  );
});
