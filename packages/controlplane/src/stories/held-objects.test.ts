import {
  ClusterInfoImport,
  ClusterNetworkPolicy,
  ClusterSet,
  Gateway,
  LabelIdentity,
  Namespace,
  Pod,
  ResourceExport,
  Service,
  ServiceImport,
  labelIdentityHash,
} from '@isthmus/api';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  eventsOf,
  exportCart,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  recordWrites,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { exportPolicy, putTier, servePolicies } from '../testing/policies.ts';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const finalizer = 'example.com/cleanup';
const clusterSetRef = { namespace: memberNamespace, name: clusterSetName };

/** As another controller does that cleans up after an object. */
function hold<T extends KubernetesObject>({ server }: VirtualCluster, type: ResourceType<T>, ref: ObjectRef): void {
  server.admin.patch(type, ref, { metadata: { finalizers: [finalizer] } });
}

function release<T extends KubernetesObject>({ server }: VirtualCluster, type: ResourceType<T>, ref: ObjectRef): void {
  const found = server.admin.get(type, ref);
  if (found === undefined) throw new Error(`${type.kind} ${ref.name} does not exist`);
  const { status: _, metadata, ...rest } = { status: undefined, ...found };
  server.admin.put(type, { ...rest, metadata: { ...metadata, finalizers: [] } } as unknown as T);
}

const condition = ({ server }: VirtualCluster, type: string) =>
  conditionOf(server.admin.get(ClusterSet, clusterSetRef)?.status?.conditions, type);
const ready = ({ server }: VirtualCluster) =>
  conditionOf(server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready');

/** The requests of the controllers of `cluster` to its own API server that change this kind. */
const writesTo = (writes: readonly string[], cluster: VirtualCluster, plural: string) =>
  writes.filter((write) => write.startsWith(`${cluster.name} `) && write.includes(`/${plural}`));

/** West exports a Service, which east imports. A finalizer holds the ServiceImport in east. */
async function heldCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  exportCart(west, '10.20.1.5');
  await fleet.until('east imports', () => importedSlices(east).length === 1);
  await fleet.clock.advance(20_000);
  hold(east, ServiceImport, cart);
  await fleet.clock.advance(5_000);
  return fleet;
}

describe('a ServiceImport that a finalizer holds', () => {
  it('is deleted once when it is withdrawn, and reports the finalizer as BeingDeleted', async () => {
    await using fleet = await heldCart();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const writes = recordWrites(fleet);
    unexportService(west);
    await fleet.clock.advance(600_000);
    expect(east.server.admin.get(Service, derivedCart)).toBeUndefined();
    expect(importedSlices(east)).toEqual([]);
    expect(writesTo(writes(), east, 'services/')).toHaveLength(1);
    expect(writesTo(writes(), east, 'serviceimports/').map((write) => write.split(' ')[1])).toEqual([
      'DELETE',
      'PATCH',
    ]);
    expect(ready(east)).toMatchObject({
      status: 'False',
      reason: 'BeingDeleted',
      message: `ServiceImport shop/cart is being deleted, and finalizer ${finalizer} holds it. It is not changed until it is gone. If the controller of the finalizer does not run any more, run: kubectl -n shop patch serviceimports.multicluster.x-k8s.io cart --type merge -p '{"metadata":{"finalizers":null}}'`,
    });
    expect(condition(east, 'WithdrawalHeld')).toBeUndefined();
    expect(eventsOf(east).filter((event) => event.startsWith('BeingDeleted '))).toHaveLength(1);
    release(east, ServiceImport, cart);
    await fleet.clock.advance(5_000);
    expect(east.server.admin.get(ServiceImport, cart)).toBeUndefined();
  });

  it('is not created again while removals are allowed, nor by a restarted member', async () => {
    await using fleet = await heldCart();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    unexportService(west);
    await fleet.until('its Service is gone', () => east.server.admin.get(Service, derivedCart) === undefined);
    const until = new Date(fleet.clock.now() + 3_600_000).toISOString();
    east.server.admin.patch(ClusterSet, clusterSetRef, {
      metadata: { annotations: { 'isthmus.dev/allow-removals-until': until } },
    });
    const writes = recordWrites(fleet);
    await fleet.clock.advance(60_000);
    east.kill();
    east.start();
    await fleet.clock.advance(60_000);
    expect(writesTo(writes(), east, 'services')).toEqual([]);
    expect(writesTo(writes(), east, 'serviceimports')).toEqual([]);
  });

  it('is not created again by a member that cannot read its leader', async () => {
    await using fleet = await heldCart();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    unexportService(west);
    await fleet.until('its Service is gone', () => east.server.admin.get(Service, derivedCart) === undefined);
    east.kill();
    fleet.link('east-member', 'north').add({ match: () => true, fault: { kind: 'refuse' } });
    east.start();
    await fleet.clock.advance(120_000);
    expect(east.server.admin.get(Service, derivedCart)).toBeUndefined();
    expect(ready(east)?.reason).toBe('BeingDeleted');
  });

  it('that a user deletes keeps its Service and follows its endpoints, and is created again when it is gone', async () => {
    await using fleet = await heldCart();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const ip = east.server.admin.get(Service, derivedCart)?.spec?.clusterIP;
    east.server.admin.delete(ServiceImport, cart);
    await fleet.until('it is reported', () => ready(east)?.reason === 'BeingDeleted', 2_000);
    west.server.admin.patch(Service, cart, { spec: { ports: [{ name: 'http', protocol: 'TCP', port: 8088 }] } });
    await fleet.until('the slices follow', () => importedSlices(east)[0]?.includes('8088') === true, 5_000);
    release(east, ServiceImport, cart);
    await fleet.until('it is Ready', () => ready(east)?.status === 'True', 2_000);
    expect(east.server.admin.get(Service, derivedCart)?.spec?.clusterIP).toBe(ip);
    expect(east.server.admin.get(ServiceImport, cart)?.spec?.ips).toEqual([ip]);
  });

  it('does not hold up a cluster that leaves, and is not Ready any more', async () => {
    await using fleet = await heldCart();
    const east = fleet.cluster('east');
    east.server.admin.delete(ClusterSet, clusterSetRef);
    await fleet.until('east has left', () => east.server.admin.get(ClusterSet, clusterSetRef) === undefined, 5_000);
    expect(east.server.admin.get(Service, derivedCart)).toBeUndefined();
    expect(ready(east)).toMatchObject({ status: 'False', reason: 'BeingDeleted' });
  });
});

it('a derived Service that a finalizer holds is BeingDeleted, with its address, until it is created again', async () => {
  await using fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  exportCart(west, '10.20.1.5');
  await fleet.until('east imports', () => importedSlices(east).length === 1);
  hold(east, Service, derivedCart);
  const uid = east.server.admin.get(Service, derivedCart)?.metadata.uid;
  const ips = east.server.admin.get(ServiceImport, cart)?.spec?.ips;
  unexportService(west);
  await fleet.until('its ServiceImport is gone', () => east.server.admin.get(ServiceImport, cart) === undefined);
  const reported = () => eventsOf(east).filter((event) => event.startsWith('BeingDeleted ClusterSet/'));
  await fleet.until('it is reported', () => reported().length === 1, 2_000);
  expect(reported()[0]).toContain('Service shop/antrea-mc-cart is being deleted');
  exportCart(west, '10.20.1.5');
  await fleet.until('it is imported', () => ready(east) !== undefined, 5_000);
  expect(ready(east)).toMatchObject({ status: 'False', reason: 'BeingDeleted' });
  expect(east.server.admin.get(Service, derivedCart)?.metadata.uid).toBe(uid);
  expect(east.server.admin.get(ServiceImport, cart)?.spec?.ips).toEqual(ips);
  release(east, Service, derivedCart);
  await fleet.until('it is Ready', () => ready(east)?.status === 'True', 5_000);
  expect(east.server.admin.get(Service, derivedCart)?.metadata.uid).not.toBe(uid);
});

it('a ClusterInfoImport that a finalizer holds is deleted once, and reported as BeingDeleted', async () => {
  await using fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  const ref = { namespace: memberNamespace, name: 'west-clusterinfo' };
  const gateway = { metadata: { name: 'node-1', namespace: memberNamespace }, gatewayIP: '192.0.2.10' };
  west.server.admin.put(Gateway, { ...gateway, serviceCIDR: '10.96.0.0/12' });
  await fleet.until('east imports', () => east.server.admin.get(ClusterInfoImport, ref) !== undefined);
  hold(east, ClusterInfoImport, ref);
  await fleet.clock.advance(20_000);
  const writes = recordWrites(fleet);
  west.server.admin.delete(Gateway, gateway.metadata);
  await fleet.clock.advance(600_000);
  expect(writesTo(writes(), east, 'clusterinfoimports/').map((write) => write.split(' ')[1])).toEqual(['DELETE']);
  expect(eventsOf(east)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^BeingDeleted ClusterInfoImport\/west-clusterinfo: .*example\.com/),
    ]),
  );
  expect(condition(east, 'WithdrawalHeld')).toBeUndefined();
  release(east, ClusterInfoImport, ref);
  await fleet.clock.advance(2_000);
  expect(east.server.admin.get(ClusterInfoImport, ref)).toBeUndefined();
});

it('a replicated policy that a finalizer holds is deleted once, and reported as BeingDeleted', async () => {
  await using fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
  const east = fleet.cluster('east');
  const ref = { name: 'antrea-mc-strict' };
  servePolicies(east);
  await fleet.clock.settle();
  putTier(east, 'securityops');
  exportPolicy(fleet, 'strict');
  await fleet.until('east imports', () => east.server.admin.get(ClusterNetworkPolicy, ref) !== undefined, 600_000);
  hold(east, ClusterNetworkPolicy, ref);
  await fleet.clock.advance(40_000);
  const writes = recordWrites(fleet);
  fleet.leader.server.admin.delete(ResourceExport, { namespace: leaderNamespace, name: 'strict' });
  await fleet.clock.advance(600_000);
  expect(writesTo(writes(), east, 'clusternetworkpolicies/').map((write) => write.split(' ')[1])).toEqual(['DELETE']);
  const found = condition(east, 'PoliciesNotImported');
  expect(found?.reason).toBe('BeingDeleted');
  expect(found?.message).toContain('"strict": ClusterNetworkPolicy antrea-mc-strict is being deleted');
  expect(found?.message).toContain('kubectl patch clusternetworkpolicies.crd.antrea.io antrea-mc-strict');
  release(east, ClusterNetworkPolicy, ref);
  await fleet.until('the report ends', () => condition(east, 'PoliciesNotImported') === undefined, 5_000);
});

it('a LabelIdentity that a finalizer holds is deleted once, and reported as BeingDeleted', async () => {
  await using fleet = await createVirtualFleet({ clusters: three, stretched: true });
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  const ref = { name: labelIdentityHash('ns:kubernetes.io/metadata.name=shop&pod:app=web') };
  const pod = { metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } } };
  west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  west.server.admin.put(Pod, { ...pod, spec: { containers: [{ name: 'c', image: 'c' }] } });
  await fleet.until('east imports', () => east.server.admin.get(LabelIdentity, ref) !== undefined);
  hold(east, LabelIdentity, ref);
  await fleet.clock.advance(20_000);
  const writes = recordWrites(fleet);
  west.server.admin.delete(Pod, pod.metadata);
  await fleet.clock.advance(600_000);
  expect(writesTo(writes(), east, 'labelidentities/').map((write) => write.split(' ')[1])).toEqual(['DELETE']);
  expect(condition(east, 'LabelIdentitiesIncomplete')?.reason).toBe('BeingDeleted');
  release(east, LabelIdentity, ref);
  await fleet.until('the report ends', () => condition(east, 'LabelIdentitiesIncomplete') === undefined, 5_000);
});

it('a number is not imported while a finalizer holds other labels that have it', async () => {
  await using fleet = await createVirtualFleet({ clusters: three, stretched: true });
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  const labels = (app: string) => `ns:kubernetes.io/metadata.name=shop&pod:app=${app}`;
  const other = { name: labelIdentityHash(labels('other')) };
  const web = { name: labelIdentityHash(labels('web')) };
  east.server.admin.put(LabelIdentity, {
    metadata: { ...other, labels: { 'app.kubernetes.io/managed-by': 'isthmus' }, finalizers: [finalizer] },
    spec: { label: labels('other'), id: 1 },
  });
  west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  west.server.admin.put(Pod, {
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'c' }] },
  });
  await fleet.until('it has a number', () => west.server.admin.get(LabelIdentity, web)?.spec?.id === 1);
  await fleet.clock.advance(60_000);
  expect(east.server.admin.get(LabelIdentity, web)).toBeUndefined();
  expect(condition(east, 'LabelIdentitiesIncomplete')?.message).toContain(other.name);
  release(east, LabelIdentity, other);
  await fleet.until('it is imported', () => east.server.admin.get(LabelIdentity, web)?.spec?.id === 1, 70_000);
});
