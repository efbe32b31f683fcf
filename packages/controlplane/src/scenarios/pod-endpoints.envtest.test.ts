import { EndpointSlice, Gateway, Label, ResourceExport, ResourceImport, Service } from '@isthmus/api';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

/** West exports. East and west have agents, south has none. All use ClusterIPs. */
let fleet: RealFleet;
const east = () => fleet.cluster('east');
const south = () => fleet.cluster('south');
const west = () => fleet.cluster('west');
const cart = { namespace: 'shop', name: 'cart' };
const imported = { ...cart, name: `antrea-mc-${cart.name}` };
const pod = (name: string) => ({ ...cart, name });
const serviceCIDRs: Readonly<Record<string, string>> = {
  east: '10.96.0.0/16',
  south: '10.97.0.0/16',
  west: '10.98.0.0/16',
};

async function announce({ name, user }: RealCluster, dataPlane: string): Promise<void> {
  await user.put(Gateway, {
    metadata: { name: 'node-1', namespace: memberNamespace, annotations: { 'isthmus.dev/dataplane': dataPlane } },
    gatewayIP: `192.0.2.${Object.keys(serviceCIDRs).indexOf(name) + 1}`,
    serviceCIDR: serviceCIDRs[name],
  });
}

const addressesOf = (endpoints: EndpointSlice['endpoints']) =>
  (endpoints ?? []).flatMap(({ addresses }) => addresses).toSorted();

/**
 * `source: address…` of the slices of the Service: those that kube-proxy reads, or those for
 * agents.
 */
async function slicesOf({ admin }: RealCluster, reader: 'kube-proxy' | 'agents'): Promise<string> {
  const labelSelector = `${Label.mcsServiceName}=${cart.name}`;
  const { items } = await admin.list(EndpointSlice, { namespace: cart.namespace, labelSelector });
  return items
    .filter(({ metadata: { labels = {} } }) => (labels[Label.serviceName] !== undefined) === (reader === 'kube-proxy'))
    .map(({ metadata: { labels = {} }, endpoints }) =>
      [`${labels[Label.mcsSourceCluster]}:`, ...addressesOf(endpoints)].join(' '),
    )
    .toSorted()
    .join(' | ');
}
const agentsRead = (cluster: RealCluster, expected: string) =>
  fleet.eventually(`agents of ${cluster.name}`, () => slicesOf(cluster, 'agents'), expected);

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { east: 'member', south: 'member', west: 'member', north: 'leader' },
    serviceCIDRs,
    podCIDRs: { west: ['10.20.0.0/16'] },
  });
  for (const cluster of [east(), south(), west()]) await cluster.user.namespace(cart.namespace);
  for (const cluster of [east(), west()]) await announce(cluster, 'isthmus/gbp');
  await west().user.service(cart, {
    selector: { app: 'cart' },
    ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }],
  });
  await west().user.pod(pod('cart-1'), { app: 'cart', ip: '10.20.1.5' });
  await west().user.export(cart);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('Pods behind a ClusterIP, on real API servers', () => {
  it('reach agents in slices that belong to no Service, and kube-proxy and members of Antrea read what they read before', async () => {
    await agentsRead(east(), 'west: 10.20.1.5');
    const ip = (await west().user.find(Service, cart))?.spec?.clusterIP;
    for (const cluster of [east(), south()])
      await fleet.eventually('kube-proxy', () => slicesOf(cluster, 'kube-proxy'), `west: ${ip}`);
    expect(await slicesOf(south(), 'agents')).toBe('');
    expect(await slicesOf(west(), 'agents')).toBe('');
    const subsets = [{ addresses: [{ ip }] }];
    const at = (name: string) => ({ namespace: leaderNamespace, name });
    const exported = await fleet.leader.user.find(ResourceExport, at('west-shop-cart-endpoints'));
    expect(exported?.spec?.endpoints).toMatchObject({ subsets });
    const merged = await fleet.leader.user.find(ResourceImport, at('shop-cart-endpoints'));
    expect(merged?.spec?.endpoints).toMatchObject({ subsets });
  });

  it('follow Pods as they come, are not ready, and go, while the imported Service stays the same object', async () => {
    const service = async () => (await east().user.find(Service, imported))?.metadata.uid;
    const before = await service();
    await west().user.pod(pod('cart-2'), { app: 'cart', ip: '10.20.2.7' });
    await agentsRead(east(), 'west: 10.20.1.5 10.20.2.7');
    await west().user.ready(pod('cart-1'), false);
    await agentsRead(east(), 'west: 10.20.2.7');
    await west().user.ready(pod('cart-1'), true);
    await agentsRead(east(), 'west: 10.20.1.5 10.20.2.7');
    expect(await service()).toBe(before);
  });

  it('stay while both controllers are replaced and the leader is away, and follow a change that was made meanwhile', async () => {
    await fleet.leader.stop();
    for (const cluster of [east(), west()]) await cluster.stop('member');
    for (const cluster of [east(), west()]) await cluster.start('member');
    await fleet.eventually('east knows', () => east().view.imported(cart), 'True Ready');
    expect(await slicesOf(east(), 'agents')).toBe('west: 10.20.1.5 10.20.2.7');
    await west().user.ready(pod('cart-1'), false);
    await fleet.leader.start();
    await agentsRead(east(), 'west: 10.20.2.7');
  });

  it('come and go with the agents of either side, and with the export', async () => {
    await announce(east(), 'antrea');
    await agentsRead(east(), '');
    await announce(south(), 'isthmus/gbp');
    await agentsRead(south(), 'west: 10.20.2.7');
    await announce(west(), 'none');
    await agentsRead(south(), '');
    await announce(west(), 'isthmus/vni');
    await agentsRead(south(), 'west: 10.20.2.7');
    await west().user.unexport(cart);
    await agentsRead(south(), '');
    await fleet.eventually('nothing is left', () => slicesOf(south(), 'kube-proxy'), '');
    expect(unexpectedFailures(fleet)).toEqual([]);
  });
});
