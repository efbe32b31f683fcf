import type { ResourceImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { importBases, isOwnImport } from './imports.ts';
import { antreaImport, decide, exportsOf, ours } from './testing/exports.ts';

describe('the imports of a Service', () => {
  it('carry labels that name their source, and never an empty payload', () => {
    const { wanted } = decide([
      ...exportsOf('east', 'shop/cart'),
      ...exportsOf('west', 'shop/cart', { ip: '10.2.0.1' }),
    ]);
    expect(wanted.map(({ metadata }) => metadata.labels)).toEqual([
      {
        sourceKind: 'EndpointSlices',
        sourceNamespace: 'shop',
        sourceName: 'cart',
        sourceClusterID: 'east',
        'app.kubernetes.io/managed-by': 'isthmus',
      },
      {
        sourceKind: 'EndpointSlices',
        sourceNamespace: 'shop',
        sourceName: 'cart',
        sourceClusterID: 'west',
        'app.kubernetes.io/managed-by': 'isthmus',
      },
      {
        sourceKind: 'Endpoints',
        sourceNamespace: 'shop',
        sourceName: 'cart',
        'app.kubernetes.io/managed-by': 'isthmus',
      },
      {
        sourceKind: 'ServiceImport',
        sourceNamespace: 'shop',
        sourceName: 'cart',
        'app.kubernetes.io/managed-by': 'isthmus',
      },
    ]);
    const payloads = wanted.map(({ spec }) => spec?.endpointSlices ?? spec?.endpoints ?? spec?.serviceImport);
    expect(payloads.every((payload) => payload !== undefined)).toBe(true);
  });

  it('stamp each cluster with its first export, which is kept', () => {
    const stamped = ours({
      metadata: {
        name: 'shop-cart-endpoints.east',
        annotations: { 'isthmus.dev/first-exported': '2020-01-01T00:00:00Z' },
      },
      spec: { kind: 'EndpointSlices', namespace: 'shop', name: 'cart' },
    });
    const { wanted } = decide([...exportsOf('east', 'shop/cart'), ...exportsOf('west', 'shop/cart')], [stamped]);
    const times = wanted.flatMap(({ metadata }) => metadata.annotations?.['isthmus.dev/first-exported'] ?? []);
    expect(times).toEqual(['2020-01-01T00:00:00Z', '2026-11-21T10:00:00Z']);
  });

  describe('with one exporter, where all members read it so', () => {
    const readers = { allReadMerged: true, unanswered: new Set<string>() };
    const exports = exportsOf('east', 'shop/cart', { annotations: { 'isthmus.dev/withdrawals': 'marked' } });

    it('have its slices on the merged endpoints, without the label by which members of 0.1.0 skip them', () => {
      const { wanted } = decide(exports, [], { readers });
      expect(wanted.map(({ metadata }) => metadata.name)).toEqual(['shop-cart-endpoints', 'shop-cart-service']);
      const [endpoints] = wanted;
      expect(endpoints?.metadata).toEqual({
        name: 'shop-cart-endpoints',
        labels: { sourceNamespace: 'shop', sourceName: 'cart', 'app.kubernetes.io/managed-by': 'isthmus' },
        annotations: {
          'isthmus.dev/first-exported': '2026-11-21T10:00:00Z',
          'isthmus.dev/source-withdrawals': 'marked',
        },
      });
      expect(endpoints?.spec).toMatchObject({
        kind: 'Endpoints',
        clusterID: ['east'],
        endpoints: { subsets: [{ addresses: [{ ip: '10.1.0.1' }] }] },
        endpointSlices: [{ addressType: 'IPv4' }],
      });
    });

    it.each([
      ['a member of an older version', { readers: { ...readers, allReadMerged: false } }],
      ['an API server that drops the slices', { readers, pruned: ['endpointSlices'] }],
    ])('have an import of the cluster alone for %s', (_, group) => {
      expect(decide(exports, [], group).wanted.map(({ metadata }) => metadata.name)).toEqual([
        'shop-cart-endpoints.east',
        'shop-cart-endpoints',
        'shop-cart-service',
      ]);
    });

    it.each([
      ['of the other family', { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] }],
      ['with a host name', { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.0.1'], hostname: 'cart-0' }] }],
    ] as const)('have an import of the cluster alone for endpoints %s, which the merged list lacks', (_, slice) => {
      const [service, endpoints] = exports;
      const slices = [{ ...slice, ports: [{ name: 'http', port: 80 }] }];
      const object = {
        ...endpoints,
        metadata: { name: '', ...endpoints?.metadata },
        spec: { ...endpoints?.spec, endpointSlices: slices },
      };
      const { wanted } = decide(service === undefined ? [] : [service, object], [], { readers });
      expect(wanted.map(({ metadata }) => metadata.name)).toContain('shop-cart-endpoints.east');
    });

    it.each([
      ['keep their form', ['shop-cart-endpoints', 'shop-cart-service'], true],
      [
        'have an import of each cluster',
        ['shop-cart-endpoints.east', 'shop-cart-endpoints', 'shop-cart-service'],
        false,
      ],
    ])('%s while no member is known', (_, names, isPublished) => {
      const published = isPublished ? decide(exports, [], { readers }).wanted : [];
      expect(decide(exports, published).wanted.map(({ metadata }) => metadata.name)).toEqual(names);
    });

    it('are those of the clusters where another one exported it alone before', () => {
      const before = decide(exportsOf('west', 'shop/cart'), [], { readers }).wanted;
      expect(decide(exports, before, { readers }).wanted.map(({ metadata }) => metadata.name)).toEqual([
        'shop-cart-endpoints.east',
        'shop-cart-endpoints',
        'shop-cart-service',
      ]);
    });

    it('keep their form where there is an import of a cluster alone', () => {
      const existing = ours({
        metadata: { name: 'shop-cart-endpoints.east' },
        spec: { kind: 'EndpointSlices', namespace: 'shop', name: 'cart' },
      });
      expect(decide(exports, [existing], { readers }).wanted).toHaveLength(3);
    });

    it('keep the time of its first export when a second one comes', () => {
      const [sole] = decide(exports, [], { readers }).wanted;
      const stamped = { 'isthmus.dev/first-exported': '2020-01-01T00:00:00Z' };
      const before = ours({ ...sole, metadata: { name: 'shop-cart-endpoints', annotations: stamped } });
      const { wanted } = decide([...exports, ...exportsOf('west', 'shop/cart')], [before], { readers });
      expect(wanted.map(({ metadata }) => metadata.annotations?.['isthmus.dev/first-exported'])).toEqual([
        '2020-01-01T00:00:00Z',
        '2026-11-21T10:00:00Z',
        undefined,
        undefined,
      ]);
    });
  });

  it('take the echo of a member where a rebuilt leader has no stamp', () => {
    const annotations = { 'isthmus.dev/first-exported': '2026-11-20T00:00:00Z' };
    const { wanted } = decide(exportsOf('east', 'shop/cart', { annotations }));
    expect(wanted[0]?.metadata.annotations).toEqual(annotations);
  });

  it('are the merged endpoints before the Service, so that a reader of the Service finds its endpoints', () => {
    const { wanted } = decide(exportsOf('east', 'shop/cart'));
    expect(wanted.map(({ spec }) => spec?.kind)).toEqual(['EndpointSlices', 'Endpoints', 'ServiceImport']);
  });
});

describe('the base under which an import is looked up', () => {
  const of = (spec: ResourceImport['spec']) => importBases({ metadata: { name: 'any' }, spec });

  it.each(['ServiceImport', 'Endpoints', 'EndpointSlices'])('is that of its Service for kind %s', (kind) => {
    expect(of({ kind, namespace: 'shop', name: 'cart' })).toEqual(['shop-cart']);
  });

  it.each([
    ['another kind', { kind: 'ClusterInfo', namespace: 'shop', name: 'cart' }],
    ['no kind', { namespace: 'shop', name: 'cart' }],
    ['no Namespace', { kind: 'ServiceImport', name: 'cart' }],
    ['no name', { kind: 'ServiceImport', namespace: 'shop' }],
    ['no spec', undefined],
  ])('does not exist for %s', (_, spec) => {
    expect(of(spec)).toEqual([]);
  });
});

describe('whether an import may be changed', () => {
  const exports = exportsOf('east', 'shop/cart');
  const antreas = antreaImport('shop-cart-service', 'shop/cart', 'ServiceImport');

  it.each([
    ['ours, exported or not', ours(antreas), [], true],
    ["Antrea's with an export", antreas, exports, true],
    ["Antrea's with an export that goes", antreas, exportsOf('east', 'shop/cart', { deleted: true }), true],
    ["Antrea's without an export", antreas, [], false],
    ["Antrea's with an export of another Service", antreas, exportsOf('east', 'shop/other'), false],
    ['one of another name', antreaImport('by-hand', 'shop/cart', 'ServiceImport'), exports, false],
    ['one for the endpoints of a cluster that lost our label', perCluster(), exports, true],
    ['one for the endpoints of a cluster that exports nothing', perCluster(), exportsOf('west', 'shop/cart'), false],
    ['one without spec', { metadata: { name: 'shop-cart-service' } }, exports, false],
  ])('%s', (_, object, existing, expected) => {
    expect(isOwnImport(object, existing)).toBe(expected);
  });
});

function perCluster(): ResourceImport {
  return {
    metadata: { name: 'shop-cart-endpoints.east' },
    spec: { kind: 'EndpointSlices', namespace: 'shop', name: 'cart' },
  };
}
