import {
  CustomResourceDefinition,
  EndpointSlice,
  Gateway,
  Label,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
} from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  exportCart,
  exportMessage,
  leaderNamespace,
  memberNamespace,
  putPod,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { serviceCIDROf } from '../testing/virtual-ranges-story.ts';

const four = { north: 'leader', east: 'member', south: 'member', west: 'member' } as const;

function announce(cluster: VirtualCluster, dataPlane: string): void {
  cluster.server.admin.put(Gateway, {
    metadata: { name: 'node-1', namespace: memberNamespace, annotations: { 'isthmus.dev/dataplane': dataPlane } },
    gatewayIP: `192.0.2.${cluster.name.length}`,
    serviceCIDR: serviceCIDROf(cluster),
  });
}

/**
 * `source: address…` of the slices for agents. With `serviceName`: of those that kube-proxy reads.
 */
function slicesOf({ server }: VirtualCluster, serviceName?: string): readonly string[] {
  return server.admin
    .list(EndpointSlice, cart.namespace)
    .filter(({ metadata: { labels = {} } }) => labels[Label.mcsServiceName] === cart.name)
    .filter(({ metadata: { labels = {} } }) => labels[Label.serviceName] === serviceName)
    .map(({ metadata: { labels = {} }, endpoints }) => {
      const addresses = (endpoints ?? []).flatMap((one) => one.addresses);
      return [`${labels[Label.mcsSourceCluster] ?? '?'}:`, ...addresses].join(' ');
    })
    .toSorted();
}
const used = (cluster: VirtualCluster) => slicesOf(cluster, 'antrea-mc-cart').join(' | ');
const forAgents = (cluster: VirtualCluster) => slicesOf(cluster).join(' | ');

const exportOfWest = ({ leader }: VirtualFleet) =>
  leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name: 'west-shop-cart-endpoints' })?.spec;
const clusterIP = ({ server }: VirtualCluster) => server.admin.get(Service, cart)?.spec?.clusterIP ?? '';

const exportsWritten = ({ leader }: VirtualFleet) =>
  leader.server.requestLog().filter((line) => /member-west (POST|PATCH).*resourceexports/.test(line)).length;

/** Serves ResourceExports as a release without this field defines them. */
function dropPods({ server }: VirtualCluster): void {
  const ref = { name: 'resourceexports.multicluster.crd.antrea.io' };
  const { versions } = server.admin.get(CustomResourceDefinition, ref)?.spec ?? {};
  const older = JSON.parse(JSON.stringify(versions), (key, value: unknown) =>
    key === 'pods' ? undefined : value,
  ) as typeof versions;
  server.admin.patch(CustomResourceDefinition, ref, { spec: { versions: older } });
}

/** West exports, and announces agents; east has agents, south has none. */
async function fleetWithAgents(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: four });
  const west = fleet.cluster('west');
  west.kill();
  west.start('member', { podCIDRs: ['10.20.0.0/16'] });
  for (const name of ['east', 'south'])
    fleet.cluster(name).server.admin.put(Namespace, { metadata: { name: cart.namespace } });
  announce(west, 'isthmus/gbp');
  announce(fleet.cluster('east'), 'isthmus/gbp');
  exportCart(west, '10.20.1.5');
  await fleet.until('east has the Pod', () => forAgents(fleet.cluster('east')) === 'west: 10.20.1.5');
  return fleet;
}

describe('Pods behind a ClusterIP, exported by a cluster with agents', () => {
  it('are where agents read them and kube-proxy does not, in clusters with agents alone', async () => {
    await using fleet = await fleetWithAgents();
    const [east, south, west] = ['east', 'south', 'west'].map((name) => fleet.cluster(name)) as [
      VirtualCluster,
      VirtualCluster,
      VirtualCluster,
    ];
    const ip = clusterIP(west);
    await fleet.until('south imports', () => used(south) === `west: ${ip}`);
    expect(used(east)).toBe(`west: ${ip}`);
    expect(used(west)).toBe('west: 10.20.1.5');
    expect([forAgents(south), forAgents(west)]).toEqual(['', '']);
    // What Antrea members read and write is the same as without agents.
    const subsets = [{ addresses: [{ ip }] }];
    expect(exportOfWest(fleet)?.endpoints).toMatchObject({ subsets });
    const merged = { namespace: leaderNamespace, name: 'shop-cart-endpoints' };
    expect(fleet.leader.server.admin.get(ResourceImport, merged)?.spec?.endpoints).toMatchObject({ subsets });
  });

  it('follow the Pods, and go with the last one, the export, or the agents', async () => {
    await using fleet = await fleetWithAgents();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    putPod(west, 'cart-2', '10.20.2.7');
    await fleet.until('both are there', () => forAgents(east) === 'west: 10.20.1.5 10.20.2.7');
    putPod(west, 'cart-1', '10.20.1.5', { ready: false });
    await fleet.until('one is left', () => forAgents(east) === 'west: 10.20.2.7');
    announce(east, 'antrea');
    await fleet.until('east has no agents', () => forAgents(east) === '');
    expect(used(east)).toBe(`west: ${clusterIP(west)}`);
    announce(east, 'isthmus/gbp');
    await fleet.until('it has them again', () => forAgents(east) === 'west: 10.20.2.7');
    announce(west, 'none');
    await fleet.until('west has none', () => forAgents(east) === '');
    expect(exportOfWest(fleet)?.endpointSlices).toEqual([
      expect.not.objectContaining({ pods: expect.anything() as unknown }),
    ]);
    announce(west, 'isthmus/vni');
    await fleet.until('west has them', () => forAgents(east) === 'west: 10.20.2.7');
    unexportService(west);
    await fleet.until('all is gone', () => forAgents(east) === '' && used(east) === '');
  });

  it('stay while a controller restarts, and while the leader is away', async () => {
    await using fleet = await fleetWithAgents();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const gaps = new Set<string>();
    east.server.admin.onChange(() => gaps.add(forAgents(east)));
    fleet.leader.server.admin.onChange(() =>
      gaps.add(`${exportOfWest(fleet)?.endpointSlices?.[0]?.pods?.length ?? 'none'}`),
    );
    for (const cluster of [east, west]) {
      cluster.kill();
      cluster.start();
    }
    await fleet.clock.advance(60_000);
    fleet.link('east-member', 'north').cut('refuse');
    east.kill();
    east.start();
    await fleet.clock.advance(120_000);
    expect(forAgents(east)).toBe('west: 10.20.1.5');
    expect([...gaps].filter((one) => one !== 'west: 10.20.1.5' && one !== '1')).toEqual([]);
  });

  it('in the network of Nodes are reported on the ServiceExport', async () => {
    await using fleet = await fleetWithAgents();
    const west = fleet.cluster('west');
    putPod(west, 'cart-2', '192.0.2.77');
    await fleet.until(
      'it is reported',
      () => exportMessage(west, 'Ready').includes('which are not in podCIDRs (10.20.0.0/16)'),
      5_000,
    );
    expect(forAgents(fleet.cluster('east'))).toBe('west: 10.20.1.5');
  });

  it('are reported as dropped by a leader with older definitions, and written once', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    dropPods(fleet.leader);
    const west = fleet.cluster('west');
    west.kill();
    west.start('member', { podCIDRs: ['10.20.0.0/16'] });
    announce(west, 'isthmus/gbp');
    exportCart(west, '10.20.1.5');
    await fleet.until(
      'it is reported',
      () => exportMessage(west, 'Ready').includes('are older and drop its Pods'),
      5_000,
    );
    const before = exportsWritten(fleet);
    for (let index = 2; index < 6; index++) putPod(west, `cart-${index}`, `10.20.2.${index}`);
    await fleet.clock.advance(60_000);
    expect(exportsWritten(fleet)).toBe(before);
    expect(exportOfWest(fleet)?.endpointSlices?.[0]?.endpoints[0]?.addresses).toEqual([clusterIP(west)]);
  });

  it('cost nothing where the cluster has no agents: another Pod causes no request to the leader', async () => {
    await using fleet = await createVirtualFleet({ clusters: four });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('it is exported', () => exportMessage(west, 'Ready') !== '');
    await fleet.clock.advance(5_000);
    const before = exportsWritten(fleet);
    for (let index = 2; index < 12; index++) putPod(west, `cart-${index}`, `10.20.2.${index}`);
    await fleet.clock.advance(5_000);
    expect(exportsWritten(fleet)).toBe(before);
  });
});
