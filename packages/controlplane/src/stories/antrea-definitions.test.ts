import type { ServicePort } from '@isthmus/api';
import {
  ApiGroup,
  CustomResourceDefinition,
  ServiceExportV1alpha1,
  ServiceImportV1alpha1,
  customResources,
} from '@isthmus/api';
import { createClient } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterAdmin,
  clusterSetCondition,
  createVirtualFleet,
  exportCart,
  importedSlices,
  putPod,
  putService,
} from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { crdOf } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import { storeIn } from '../handover/store-in.ts';

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const mcs = customResources.filter(({ group }) => group === ApiGroup.mcs).map(crdOf);

/**
 * Serves ServiceExports and ServiceImports as in Antrea's manifest, in one version, or as in ours.
 */
async function serve({ clock }: VirtualFleet, { server }: VirtualCluster, whose: 'antrea' | 'isthmus') {
  const { admin } = server;
  const client = createClient({ transport: server.transport(clusterAdmin), clock });
  const { signal } = new AbortController();
  for (const crd of mcs) {
    const definition = admin.get(CustomResourceDefinition, crd.metadata);
    if (definition === undefined) throw new Error(`${crd.metadata.name} is not there`);
    const versions = crd.spec.versions
      .filter(({ name }) => whose === 'isthmus' || name === 'v1alpha1')
      .map((version) => (whose === 'isthmus' ? version : { ...version, storage: true }));
    if (whose === 'antrea') {
      let done = false;
      void storeIn({ kind: 'store', definition, version: 'v1alpha1' }, { client, clock, signal }).then(
        () => (done = true),
      );
      await clock.runUntil(() => done, { limitMs: 60_000, what: 'all objects are stored as v1alpha1' });
    }
    admin.patch(CustomResourceDefinition, crd.metadata, { spec: { versions } });
  }
  await clock.settle();
}

const fleetOfTwo = () =>
  createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' }, endpointIPType: 'PodIP' });

describe('a member whose cluster has the definitions of Antrea', () => {
  it('exports, imports and reports, in the version that is served, and its ClusterSet names what is missing', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', east: 'member', west: 'member' },
      endpointIPType: 'PodIP',
      join: false,
    });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    for (const member of [east, west]) await serve(fleet, member, 'antrea');
    for (const cluster of fleet.clusters) cluster.start();
    fleet.join();
    await fleet.until('both are joined', () =>
      [east, west].every((member) => clusterSetCondition(member) === 'True OutdatedManifests'),
    );
    putService(east, http, { namespace: 'shop', name: 'other' });
    putService(west, http);
    putPod(west, 'cart-1', '10.20.1.1');
    west.server.admin.put(ServiceExportV1alpha1, { metadata: { ...cart } });
    await fleet.until('east imports', () => importedSlices(east).join() === 'west: 10.20.1.1 http:8080');
    const ready = () =>
      conditionOf(west.server.admin.get(ServiceExportV1alpha1, cart)?.status?.conditions, 'Ready')?.reason;
    await fleet.until('the exporter knows', () => ready() === 'Exported');
    const imported = east.server.admin.get(ServiceImportV1alpha1, cart);
    expect(imported?.spec?.ips).toHaveLength(1);
    west.server.admin.delete(ServiceExportV1alpha1, cart);
    await fleet.until('it is gone', () => importedSlices(east).length === 0);
  });

  it.runIf(checksAllPoints())(
    'goes on when they come and go while it runs, with every endpoint at every moment',
    async () => {
      await using fleet = await fleetOfTwo();
      const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
      putService(east, http, { namespace: 'shop', name: 'other' });
      exportCart(west, '10.20.1.1', http);
      await fleet.until('east imports', () => importedSlices(east).length === 1);
      const gaps: string[] = [];
      east.server.admin.onChange(({ resource }) => {
        if (resource.endsWith('/endpointslices') && importedSlices(east).length === 0) gaps.push('empty');
      });
      for (const member of [east, west]) await serve(fleet, member, 'antrea');
      putPod(west, 'cart-1', '10.20.1.2');
      await fleet.until('the new Pod serves', () => importedSlices(east).join() === 'west: 10.20.1.2 http:8080');
      await fleet.until('it is reported', () => clusterSetCondition(east) === 'True OutdatedManifests', 11 * 60_000);
      for (const member of [east, west]) await serve(fleet, member, 'isthmus');
      putPod(west, 'cart-1', '10.20.1.3');
      await fleet.until('the next Pod serves', () => importedSlices(east).join() === 'west: 10.20.1.3 http:8080');
      await fleet.until('nothing is missing', () => clusterSetCondition(east) === 'True Connected', 11 * 60_000);
      expect(gaps).toEqual([]);
    },
  );
});
