import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { SourceKind, perClusterImportName } from '@isthmus/api';
import { readGrant } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { grantedEndpoints } from './granted-exports.ts';

const ports = [{ name: 'http', protocol: 'TCP', port: 8080 }];
const endpointsOf = (...addresses: readonly string[]) => addresses.map((one) => ({ addresses: [one] }));
const payload = (addresses: readonly string[], pods?: readonly string[]) => ({
  endpoints: { subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }] },
  endpointSlices: [
    {
      addressType: 'IPv4' as const,
      endpoints: endpointsOf(...addresses),
      ports,
      ...(pods && { pods: [{ endpoints: endpointsOf(...pods), ports }] }),
    },
  ],
});
const exportOf = (addresses: readonly string[], pods?: readonly string[]): ResourceExport => ({
  metadata: { name: 'west-shop-cart-endpoints', namespace: 'antrea-multicluster' },
  spec: { clusterID: 'west', kind: 'Endpoints', namespace: 'shop', name: 'cart', ...payload(addresses, pods) },
});
const grantOf = (spec: object) => readGrant({ spec: { clusterID: 'west', ...spec } });
const usual = { pods: ['10.20.0.0/16'], services: ['10.98.0.0/16'], gateways: ['192.0.2.0/28'] };

function granted(object: ResourceExport, grant = grantOf(usual), published: readonly ResourceImport[] = []) {
  const read = { kind: 'Endpoints', clusterID: 'west', namespace: 'shop', name: 'cart', object } as const;
  const { subsets = [], endpointSlices = [], note } = grantedEndpoints(read, grant, published);
  const addresses = ({ endpoints }: { readonly endpoints: readonly { readonly addresses: readonly string[] }[] }) =>
    endpoints.flatMap((one) => one.addresses);
  return {
    subsets: subsets.flatMap((one) => one.addresses?.map(({ ip }) => ip) ?? []),
    slices: endpointSlices.map(addresses),
    pods: endpointSlices.map(({ pods = [] }) => pods.flatMap(addresses)),
    note,
  };
}

describe('the endpoints of an export that are published', () => {
  it.each([
    ['are all without a KnownCluster', undefined],
    ['are all if the KnownCluster is a record of the controller', grantOf({ ...usual, origin: 'Observed' })],
    ['are all if the grant leaves Pod CIDRs open', grantOf({ services: usual.services })],
    ['are all if the grant leaves Service CIDRs open', grantOf({ pods: usual.pods })],
  ])('%s', (_, grant) => {
    const read = { kind: 'Endpoints', clusterID: 'west', namespace: 'shop', name: 'cart' } as const;
    const object = exportOf(['8.8.8.8']);
    expect(grantedEndpoints({ ...read, object }, grant, [])).toEqual({
      subsets: object.spec?.endpoints?.subsets,
      endpointSlices: object.spec?.endpointSlices,
      note: undefined,
    });
  });

  it('are those in granted Pod and Service CIDRs, and Nodes among granted gateways, in both forms', () => {
    const own = ['10.20.1.1', '10.98.0.9', '192.0.2.3'];
    expect(granted(exportOf([...own, '8.8.8.8', '10.21.0.1']))).toEqual({
      subsets: own,
      slices: [own],
      pods: [[]],
      note: 'Endpoints that are not granted to cluster west are left out: 8.8.8.8, 10.21.0.1. To grant them, name their ranges on the leader: kubectl -n antrea-multicluster edit knowncluster west',
    });
  });

  it('are none of the Pods behind a ClusterIP that are not granted, and granted Pods without the ClusterIP', () => {
    expect(granted(exportOf(['10.98.0.9'], ['10.20.1.1', '10.21.0.1'])).pods).toEqual([['10.20.1.1']]);
    expect(granted(exportOf(['10.97.0.9'], ['10.20.1.1']))).toMatchObject({ slices: [[]], pods: [['10.20.1.1']] });
    expect(granted(exportOf(['10.97.0.9'], ['10.21.0.1'])).slices).toEqual([]);
  });

  it('stay while they are published, by this cluster or by all, and are reported', () => {
    const published = (clusterID?: string): ResourceImport => ({
      metadata: {
        name: clusterID === undefined ? 'shop-cart-endpoints' : perClusterImportName('shop', 'cart', clusterID),
      },
      spec: {
        kind: clusterID === undefined ? SourceKind.endpoints : SourceKind.endpointSlices,
        namespace: 'shop',
        name: 'cart',
        ...payload(['10.21.0.1']),
      },
    });
    const kept = 'kept because they are in use: 10.21.0.1';
    const object = exportOf(['10.20.1.1', '10.21.0.1', '10.21.0.2']);
    const found = granted(object, grantOf(usual), [published()]);
    expect(found).toMatchObject({ subsets: ['10.20.1.1', '10.21.0.1'], slices: [['10.20.1.1', '10.21.0.1']] });
    expect(found.note).toContain(`left out: 10.21.0.2, and ${kept}`);
    expect(granted(object, grantOf(usual), [published('west')]).note).toContain(kept);
    expect(granted(object, grantOf(usual), [published('south')]).note).not.toContain(kept);
    // The list of all has the endpoints of south.
    expect(granted(object, grantOf(usual), [published(), published('south')]).note).not.toContain(kept);
  });

  it('keep texts that are not addresses, which the merge reports', () => {
    expect(granted(exportOf(['10.20.1.1; reboot'])).note).toBeUndefined();
  });
});
