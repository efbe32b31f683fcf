import {
  Annotation,
  ClusterInfoImport,
  ClusterRole,
  ClusterSet,
  CustomResourceDefinition,
  EndpointSlice,
  Event,
  Gateway,
  Label,
  ResourceExport,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import { conditionOf, resourceNameOf, rfc3339 } from '@isthmus/machinery';
import type { ResourceType } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  exportService,
  leaderNamespace,
  memberNamespace,
  putPod,
  putService,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const names = ['cart', 'pay', 'search'].map((name) => ({ namespace: 'shop', name }));
const clusterSetRef = { namespace: memberNamespace, name: clusterSetName };

/** West exports three Services and its network; both clusters import. */
async function fleetOf(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  const west = fleet.cluster('west');
  putService(fleet.cluster('east'), westPorts, { namespace: 'shop', name: 'other' });
  for (const [index, ref] of names.entries()) {
    putService(west, westPorts, ref);
    putPod(west, ref.name, `10.20.1.${index + 1}`, { app: ref.name });
    exportService(west, ref);
  }
  west.server.admin.put(Gateway, {
    metadata: { namespace: memberNamespace, name: 'node-1' },
    gatewayIP: '192.0.2.1',
    serviceCIDR: '10.96.0.0/12',
  });
  await fleet.until('all is imported', () => existing(fleet).length === 19);
  await fleet.clock.advance(15_000);
  return fleet;
}

/**
 * The imports of both clusters, as a connection would notice them, and what east knows of the
 * network of west.
 */
function existing(fleet: VirtualFleet): readonly string[] {
  const imports = members(fleet).flatMap(({ admin }) => admin.list(ServiceImport));
  return [...imports.map(({ metadata, spec }) => `${metadata.uid ?? ''} ${spec?.ips?.[0] ?? ''}`), ...derived(fleet)];
}

/** The same without the ServiceImports themselves. */
function derived(fleet: VirtualFleet): readonly string[] {
  return members(fleet).flatMap(({ admin }) => [
    ...admin
      .list(Service, 'shop')
      .filter(({ metadata }) => metadata.name.startsWith('antrea-mc-'))
      .map(({ metadata, spec }) => `${metadata.uid ?? ''} ${spec?.clusterIP ?? ''}`),
    ...admin
      .list(EndpointSlice, 'shop')
      .filter(({ metadata }) => metadata.labels?.[Label.mcsServiceName] !== undefined)
      .map(({ metadata, endpoints, ports }) =>
        JSON.stringify([metadata.uid, metadata.generation, metadata.name, endpoints, ports]),
      ),
    ...admin.list(ClusterInfoImport).map(({ metadata, spec }) => `${metadata.uid ?? ''} ${JSON.stringify(spec)}`),
  ]);
}

const members = (fleet: VirtualFleet) => ['east', 'west'].map((name) => fleet.cluster(name).server);

/** Deletes the CRD with its objects. Returns a function that applies it again. */
function undefine({ server: { admin } }: VirtualCluster, type: ResourceType): () => void {
  const ref = { name: resourceNameOf(type) };
  const crd = admin.get(CustomResourceDefinition, ref);
  if (crd === undefined) throw new Error(`${ref.name} is not served`);
  admin.delete(CustomResourceDefinition, ref);
  const { name, labels, annotations } = crd.metadata;
  return () => void admin.put(CustomResourceDefinition, { ...crd, metadata: { name, labels, annotations } });
}

const heldAt = ({ server: { admin } }: VirtualCluster) =>
  conditionOf(admin.get(ClusterSet, clusterSetRef)?.status?.conditions, 'WithdrawalHeld')?.message ?? 'none';

describe('when a member loses the definition of ServiceExports', () => {
  const lostText =
    /^Objects held: 3\. CustomResourceDefinition serviceexports\.multicluster\.x-k8s\.io was deleted together with its objects\. Their exports are kept\. Apply the CustomResourceDefinition and the objects again\. /;

  it('importers keep uids, addresses and endpoints until the ServiceExports are there again', async () => {
    await using fleet = await fleetOf();
    const west = fleet.cluster('west');
    const before = existing(fleet);
    const apply = undefine(west, ServiceExport);
    for (let second = 0; second < 60; second++) {
      await fleet.clock.advance(1_000);
      expect(existing(fleet)).toEqual(before);
    }
    expect(heldAt(west)).toMatch(lostText);
    const events = west.server.admin.list(Event).filter(({ reason }) => reason === 'WithdrawalHeld');
    expect(events.map(({ message }) => message)).toEqual([
      expect.stringContaining('Apply the CustomResourceDefinition and the objects again.'),
    ]);
    apply();
    // A user may take a while to apply them again, and the controller may have restarted by then.
    await fleet.clock.advance(180_000);
    west.kill();
    west.start();
    await fleet.clock.advance(60_000);
    expect(existing(fleet)).toEqual(before);
    expect(heldAt(west)).toMatch(lostText);
    for (const ref of names) exportService(west, ref);
    await fleet.until('nothing is held', () => heldAt(west) === 'none', 60_000);
    expect(existing(fleet)).toEqual(before);
  });

  it.each([
    ['that another cluster created under its label and names', 'east', {}],
    ['that it had begun to withdraw', 'west', { annotations: { [Annotation.withdrawn]: 'true' } }],
    ['that is being deleted', 'west', { finalizers: ['shop.test/audit'] }],
  ])('an export %s is not held', async (_what, clusterID, more) => {
    await using fleet = await fleetOf();
    const west = fleet.cluster('west');
    undefine(west, ServiceExport);
    await fleet.until('its exports are held', () => heldAt(west) !== 'none', 5_000);
    const { admin } = fleet.leader.server;
    const ref = { namespace: leaderNamespace, name: 'west-shop-ghost-service' };
    admin.put(ResourceExport, {
      metadata: { ...ref, labels: { [Label.sourceClusterID]: 'west' }, ...more },
      spec: { clusterID, kind: 'Service', namespace: 'shop', name: 'ghost', service: { serviceSpec: {} } },
    });
    if ('finalizers' in more) admin.delete(ResourceExport, ref);
    await fleet.clock.advance(60_000);
    expect(heldAt(west)).toMatch(lostText);
  });

  it('a ServiceExport that is applied again and deleted then is withdrawn', async () => {
    await using fleet = await fleetOf();
    const west = fleet.cluster('west');
    const apply = undefine(west, ServiceExport);
    await fleet.clock.advance(1_000);
    apply();
    await fleet.clock.advance(60_000);
    for (const ref of names) exportService(west, ref);
    await fleet.until('nothing is held', () => heldAt(west) === 'none', 60_000);
    for (const ref of names) unexportService(west, ref);
    await fleet.until('all are gone', () => existing(fleet).length === 1, 2_000);
  });

  it('a person can withdraw what is held', async () => {
    await using fleet = await fleetOf();
    const west = fleet.cluster('west');
    undefine(west, ServiceExport);
    await fleet.until('it is held', () => lostText.test(heldAt(west)), 5_000);
    const until = rfc3339(fleet.clock.now() + 300_000);
    west.server.admin.patch(ClusterSet, clusterSetRef, {
      metadata: { annotations: { [Annotation.allowRemovalsUntil]: until } },
    });
    await fleet.until('all are gone', () => existing(fleet).length === 1, 2_000);
  });

  it.runIf(checksAllPoints())(
    'a member whose ClusterRole is of an older release, and has no right to read definitions, withdraws at once',
    async () => {
      await using fleet = await fleetOf();
      const west = fleet.cluster('west');
      for (const role of west.server.admin.list(ClusterRole)) {
        const rules = role.rules?.filter(({ resources }) => resources?.includes('customresourcedefinitions') !== true);
        west.server.admin.put(ClusterRole, { ...role, rules });
      }
      for (const ref of names) unexportService(west, ref);
      await fleet.until('all are gone', () => existing(fleet).length === 1, 2_000);
    },
  );
});

describe('when a member loses the definition of Gateways', () => {
  it('the others keep its network until its Gateways are there again', async () => {
    await using fleet = await fleetOf();
    const west = fleet.cluster('west');
    const before = existing(fleet);
    const [gateway] = west.server.admin.list(Gateway);
    const apply = undefine(west, Gateway);
    await fleet.clock.advance(60_000);
    expect(heldAt(west)).toContain('gateways.multicluster.crd.antrea.io');
    apply();
    await fleet.clock.advance(60_000);
    expect(existing(fleet)).toEqual(before);
    west.server.admin.put(Gateway, {
      metadata: { namespace: memberNamespace, name: 'node-1' },
      gatewayIP: gateway?.gatewayIP,
      serviceCIDR: gateway?.serviceCIDR,
    });
    await fleet.until('nothing is held', () => heldAt(west) === 'none', 60_000);
    west.server.admin.delete(Gateway, { namespace: memberNamespace, name: 'node-1' });
    await fleet.until('its network is withdrawn', () => existing(fleet).length === 18, 5_000);
  });
});

describe('when a member loses the definition of ServiceImports', () => {
  it('Services and endpoints stay, and the ServiceImports are made again', async () => {
    await using fleet = await fleetOf();
    const east = fleet.cluster('east');
    const before = derived(fleet);
    const apply = undefine(east, ServiceImport);
    for (let second = 0; second < 60; second++) {
      await fleet.clock.advance(1_000);
      expect(derived(fleet)).toEqual(before);
    }
    apply();
    await fleet.clock.settle();
    await fleet.until('they are made again', () => existing(fleet).length === 19, 60_000);
    expect(derived(fleet)).toEqual(before);
  });
});
