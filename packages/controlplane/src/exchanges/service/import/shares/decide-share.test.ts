import type { EndpointSlicePayload } from '@isthmus/api';
import type { Grant, RemoteService } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { ImportedOf, ShareInput } from './decide-share.ts';
import { decideShare } from './decide-share.ts';

const slice = (count: number, at = 0): EndpointSlicePayload => ({
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  endpoints: Array.from({ length: count }, (_, n) => ({ addresses: [`10.20.${at}.${n + 1}`] })),
});
const remoteOf = (perCluster: Readonly<Record<string, readonly EndpointSlicePayload[]>>): RemoteService => ({
  spec: { type: 'ClusterSetIP', ports: [] },
  perCluster: new Map(Object.entries(perCluster)),
  merged: undefined,
  problems: [],
  unusable: undefined,
});
const nothing: ImportedOf = { services: 0, withAddress: 0, slices: 0, endpoints: 0 };

function decide({
  grants = {},
  imported = {},
  ...input
}: Partial<ShareInput> & {
  readonly grants?: Readonly<Record<string, Pick<Grant, 'namespaces' | 'quotas'>>>;
  readonly imported?: Readonly<Record<string, Partial<ImportedOf>>>;
}) {
  return decideShare({
    namespace: 'shop',
    name: 'cart',
    ownNamespace: 'kube-system',
    remote: remoteOf({ west: [slice(1)] }),
    ownClusterID: 'east',
    isImported: false,
    inUseOf: () => ({ slices: 0, endpoints: 0 }),
    grantOf: (clusterID) => grants[clusterID] ?? {},
    defaults: { isHardened: false, ofControllers: ['kube-system'] },
    importedOf: (clusterID) => ({ ...nothing, ...imported[clusterID] }),
    total: nothing,
    addresses: { imported: 0, free: 240 },
    ...input,
  });
}
const partsOf = ({ remote }: ReturnType<typeof decide>) =>
  [...remote.perCluster].map(
    ([clusterID, slices]) => `${clusterID} ${slices.map(({ endpoints }) => endpoints.length).join()}`,
  );

describe('a Service of another cluster', () => {
  it.each<[string, Parameters<typeof decide>[0], string | undefined]>([
    ['is imported', {}, undefined],
    ['is not imported out of a Namespace that is denied', { namespace: 'openshift-dns' }, 'NamespaceDenied'],
    [
      'is imported out of it if an administrator allows it',
      { namespace: 'openshift-dns', grants: { west: { namespaces: { deny: [] } } } },
      undefined,
    ],
    ['is imported if it was before', { namespace: 'openshift-dns', isImported: true }, undefined],
    ['is not imported above the quota', { imported: { west: { services: 10_000 } } }, 'OverQuota'],
    [
      'is not imported above the quota of its grant',
      { imported: { west: { services: 5 } }, grants: { west: { quotas: { services: 5 } } } },
      'OverQuota',
    ],
    [
      'is not imported if its cluster has a quarter of the free addresses',
      { imported: { west: { services: 60, withAddress: 60 } } },
      'OverQuota',
    ],
    ['is not imported if all clusters have half of them', { addresses: { imported: 120, free: 240 } }, 'OverQuota'],
    [
      'of clusters that an Antrea leader merged is imported up to the half',
      { remote: { ...remoteOf({}), merged: [] }, imported: { '': { services: 60, withAddress: 60 } } },
      undefined,
    ],
    [
      'of clusters that an Antrea leader merged is not imported above the quota of one',
      { remote: { ...remoteOf({}), merged: [] }, imported: { '': { services: 10_000 } } },
      'OverQuota',
    ],
    ['is not imported if all clusters have very many', { total: { ...nothing, services: 50_000 } }, 'OverQuota'],
    [
      'is not imported if all clusters have very many endpoints',
      { total: { ...nothing, endpoints: 1_000_000 }, remote: remoteOf({ invented: [slice(1)] }) },
      'OverQuota',
    ],
    [
      'is imported beyond that if an administrator set its quota',
      { addresses: { imported: 120, free: 240 }, grants: { west: { quotas: { services: 500 } } } },
      undefined,
    ],
    [
      'is imported without an address of its own',
      {
        addresses: { imported: 120, free: 240 },
        remote: { ...remoteOf({ west: [] }), spec: { type: 'Headless', ports: [] } },
      },
      undefined,
    ],
    [
      'is imported where the Service range is not known',
      { addresses: undefined, imported: { west: { services: 60, withAddress: 60 } } },
      undefined,
    ],
    [
      'is imported if one of its clusters may have it',
      { remote: remoteOf({ west: [], south: [] }), imported: { west: { services: 10_000 } } },
      undefined,
    ],
    [
      'is imported beside an own export',
      { remote: remoteOf({ west: [], east: [] }), imported: { west: { services: 10_000 } } },
      undefined,
    ],
    [
      'of an unknown cluster has the default Namespaces',
      { namespace: 'kube-public', remote: { ...remoteOf({}), merged: [] } },
      'NamespaceDenied',
    ],
  ])('%s', (_, input, expected) => {
    expect(decide(input).problem?.reason).toBe(expected);
  });

  it('has no part of a cluster to which the Namespace is denied, unless that part is in use', () => {
    const input = {
      remote: remoteOf({ west: [slice(1)], south: [slice(2)] }),
      grants: { west: { namespaces: { deny: ['shop'] } } },
    };
    const fresh = decide(input);
    expect([partsOf(fresh), fresh.problem, fresh.omission?.reason]).toEqual([
      ['south 2'],
      undefined,
      'NamespaceDenied',
    ]);
    const used = decide({ ...input, isImported: true, inUseOf: () => ({ slices: 1, endpoints: 1 }) });
    expect([partsOf(used), used.omission?.reason]).toEqual([['west 1', 'south 2'], 'NamespaceDenied']);
  });

  it.each([
    ['endpoints', { endpoints: 5 }, { west: { endpoints: 1 } }, ['west 2,2']],
    ['slices', { endpointSlices: 3 }, { west: { slices: 2 } }, ['west 2']],
  ])('has as many %s as the quota of its cluster leaves', (_, quotas, imported, expected) => {
    const remote = remoteOf({ west: [slice(2), slice(3, 1)] });
    const found = decide({ remote, isImported: true, imported, grants: { west: { quotas } } });
    expect([partsOf(found), found.omission?.reason]).toEqual([expected, 'OverQuota']);
  });

  it('has as many endpoints as all clusters together leave', () => {
    const remote = remoteOf({ west: [slice(2), slice(3, 1)] });
    const total = { services: 1, slices: 1, endpoints: 999_998 };
    const found = decide({ remote, isImported: true, total, inUseOf: () => ({ slices: 1, endpoints: 1 }) });
    expect(partsOf(found)).toEqual(['west 2,1']);
  });

  it('keeps what is in use of it, whatever the quota is', () => {
    const remote = remoteOf({ west: [slice(2), slice(3, 1)] });
    const inUseOf = () => ({ slices: 1, endpoints: 2 });
    const grants = { west: { quotas: { endpoints: 0, endpointSlices: 0 } } };
    expect(partsOf(decide({ remote, isImported: true, grants, inUseOf }))).toEqual(['west 2']);
  });

  it('has no part of another cluster that is denied beside an own export, and the own part as it is', () => {
    const remote = remoteOf({ west: [slice(1)], east: [slice(2)] });
    const found = decide({ remote, grants: { west: { namespaces: { deny: ['shop'] } } } });
    expect([partsOf(found), found.problem, found.omission?.reason]).toEqual([['east 2'], undefined, 'NamespaceDenied']);
  });

  it('is the same object if nothing is left out', () => {
    const remote = remoteOf({ west: [slice(2)] });
    expect(decide({ remote }).remote).toBe(remote);
  });

  it('is refused with the count, the limit and where to raise it', () => {
    expect(decide({ imported: { west: { services: 60, withAddress: 60 } } }).problem?.message).toBe(
      'Cluster west has 60 Services in this cluster, which is a quarter of the 240 addresses for them. Further ones are not imported. To import more, raise spec.quotas.services of KnownCluster west in Namespace kube-system.',
    );
  });
});
