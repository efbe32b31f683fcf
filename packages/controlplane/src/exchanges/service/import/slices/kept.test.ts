import type { EndpointSlice, Service, ServiceImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { fitsSlices, keptEndpoints, keptService } from './kept.ts';

const ours = { 'app.kubernetes.io/managed-by': 'isthmus' };
const http = { name: 'http', protocol: 'TCP', port: 80 };
const serviceImport = (
  spec: ServiceImport['spec'],
  labels: Readonly<Record<string, string>> | undefined = ours,
): ServiceImport => ({ metadata: { name: 'cart', labels }, spec });
const slice = (cluster: string | undefined, port: string, ...addresses: readonly string[]): EndpointSlice => ({
  metadata: {
    name: `${cluster ?? 'merged'}-0`,
    labels: cluster === undefined ? ours : { ...ours, 'multicluster.kubernetes.io/source-cluster': cluster },
  },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: port, port: 8080, protocol: 'TCP' }],
});

describe('the import as a ServiceImport remembers it', () => {
  it('is its spec without the addresses, which are those of the Service', () => {
    const kept = keptService(
      serviceImport({
        type: 'ClusterSetIP',
        ports: [http],
        ips: ['10.0.0.1'],
        ipFamilies: ['IPv4'],
        sessionAffinity: 'ClientIP',
      }),
    );
    expect(kept?.spec).toEqual({ type: 'ClusterSetIP', ports: [http], sessionAffinity: 'ClientIP' });
  });

  it.each([
    ['a ServiceImport that is not ours', serviceImport({ type: 'ClusterSetIP', ports: [http] }, {})],
    ['one without ports, which no Service could have', serviceImport({ type: 'ClusterSetIP', ports: [] })],
    ['one without a spec', serviceImport(undefined)],
    ['none', undefined],
  ])('is not known from %s', (_, object) => {
    expect(keptService(object)).toBeUndefined();
  });

  it('is known of a headless one without ports', () => {
    expect(keptService(serviceImport({ type: 'Headless', ports: [] }))?.spec).toEqual({ type: 'Headless', ports: [] });
  });
});

it.each([
  ['every port of a slice is a port of it', [slice('east', 'http', '10.1.0.1')], true],
  ['there is no slice', [], true],
  ['a slice has a port that it does not have', [slice('east', 'http'), slice('west', 'web')], false],
])('the ServiceImport is what the slices were made for where %s: %s', (_, slices, expected) => {
  const kept = keptService(serviceImport({ type: 'ClusterSetIP', ports: [http] }));
  expect(kept === undefined ? undefined : fitsSlices(kept, slices)).toBe(expected);
});

describe('the endpoints of an import while the leader cannot be read', () => {
  const remote = keptService(serviceImport({ type: 'ClusterSetIP', ports: [http] }));
  if (remote === undefined) throw new Error('it is known');
  const service: Service = { metadata: { name: 'cart' }, spec: { clusterIP: '10.0.0.9', ports: [http] } };
  const own = { service, slices: [slice(undefined, 'http', '10.20.1.5')], endpointIPType: 'ClusterIP' } as const;
  const of = (clusters: readonly string[], current: readonly EndpointSlice[], exported = true, clusterID?: string) =>
    keptEndpoints({ clusterID, remote, clusters, own, exported, current }).map((source) => [
      source.clusterID,
      source.slices === 'kept'
        ? 'kept'
        : source.slices.flatMap(({ endpoints }) => endpoints.flatMap((e) => e.addresses)),
    ]);

  it.each<[string, readonly string[], readonly EndpointSlice[], boolean, string | undefined, unknown]>([
    [
      'those of others are kept, the own are the Pods of now',
      ['east', 'west'],
      [slice('east', 'http', '10.1.0.1'), slice('west', 'http', '10.20.1.4')],
      true,
      'west',
      [
        ['east', 'kept'],
        ['west', ['10.20.1.5']],
      ],
    ],
    ['the own serve again where the import knows the cluster', ['west'], [], true, 'west', [['west', ['10.20.1.5']]]],
    ['an export that the leader had not taken waits', ['east'], [], true, 'west', []],
    ['an export that was withdrawn does not begin to serve again', ['west'], [], false, 'west', []],
    [
      'those that an Antrea leader merged are kept',
      [],
      [slice(undefined, 'http', '10.1.0.1'), slice('west', 'http', '10.20.1.4')],
      true,
      'west',
      [
        [undefined, 'kept'],
        ['west', ['10.20.1.5']],
      ],
    ],
    [
      'all are kept where the ID of this cluster is not known',
      ['west'],
      [slice('west', 'http', '10.20.1.4')],
      true,
      undefined,
      [['west', 'kept']],
    ],
  ])('%s', (_, clusters, current, exported, clusterID, expected) => {
    expect(of(clusters, current, exported, clusterID)).toEqual(expected);
  });
});
