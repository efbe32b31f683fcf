import type { ServiceSpec } from '@isthmus/api';
import { EndpointSlice, Label, Pod, Service, ServiceImport } from '@isthmus/api';
import type { NamespacedRef, RealCluster, RealFleet } from '@isthmus/testkit';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** East has only IPv4 Services, south only IPv6, west both. Each test has its own Namespace. */
let fleet: RealFleet;
const east = () => fleet.cluster('east');
const south = () => fleet.cluster('south');
const west = () => fleet.cluster('west');

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { east: 'member', south: 'member', west: 'member', north: 'leader' },
    serviceCIDRs: { south: 'fd00:110::/112', west: '10.111.0.0/16,fd00:111::/112' },
  });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

/**
 * Creates the Namespace everywhere, and exports the Service of `cluster` with one ready Pod that
 * has these addresses.
 */
async function exported(
  cluster: RealCluster,
  ref: NamespacedRef,
  { spec, ips }: { readonly spec: ServiceSpec; readonly ips: readonly string[] },
): Promise<void> {
  for (const one of [east(), south(), west()]) await one.user.namespace(ref.namespace);
  await cluster.user.service(ref, { selector: { app: 'web' }, ports: http, ...spec });
  const pod = { namespace: ref.namespace, name: 'web-1' };
  await cluster.user.pod(pod, { app: 'web', ip: ips[0] ?? '' });
  const status = { podIPs: ips.map((ip) => ({ ip })) };
  await cluster.admin.patch(Pod, pod, { type: 'merge', body: { status } }, { subresource: 'status' });
  await cluster.user.export(ref);
  await fleet.eventually('exported', () => cluster.view.exported(ref, 'Ready'), 'True Exported');
}

interface Families {
  readonly import: readonly string[] | undefined;
  readonly slices: readonly string[];
}
const ready = (cluster: RealCluster, ref: NamespacedRef) => cluster.view.imported(ref);
async function slicesOf({ admin }: RealCluster, { namespace, name }: NamespacedRef) {
  const labelSelector = `${Label.mcsServiceName}=${name}`;
  return (await admin.list(EndpointSlice, { namespace, labelSelector })).items;
}
const families = async (cluster: RealCluster, ref: NamespacedRef): Promise<Families> => ({
  import: (await cluster.user.find(ServiceImport, ref))?.spec?.ipFamilies,
  slices: (await slicesOf(cluster, ref)).map(({ addressType }) => addressType).toSorted(),
});

describe('imports in clusters of one IP family, of the other, and of both', () => {
  it('a Service of IPv6 alone works where there is IPv6, and the others report IPFamilyNotSupported', async () => {
    const ref = { namespace: 'v6', name: 'web' };
    await exported(west(), ref, { spec: { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' }, ips: ['fd00:20::5'] });
    for (const cluster of [south(), west()])
      await fleet.eventually('imported', () => ready(cluster, ref), 'True Ready');
    await fleet.eventually('reported', () => ready(east(), ref), 'False IPFamilyNotSupported');
    await fleet.eventually('south', () => families(south(), ref), { import: ['IPv6'], slices: ['IPv6'] });
    await fleet.eventually('west', () => families(west(), ref), { import: ['IPv6'], slices: ['IPv6'] });
  });

  it('a Service of IPv4 alone is reported by a cluster of IPv6 alone', async () => {
    const ref = { namespace: 'v4', name: 'web' };
    await exported(east(), ref, { spec: {}, ips: ['10.10.3.4'] });
    for (const cluster of [east(), west()]) await fleet.eventually('imported', () => ready(cluster, ref), 'True Ready');
    await fleet.eventually('reported', () => ready(south(), ref), 'False IPFamilyNotSupported');
    await fleet.eventually('west', () => families(west(), ref), { import: ['IPv4'], slices: ['IPv4'] });
  });

  it('a Service of both families has in each cluster the families that this has', async () => {
    const ref = { namespace: 'dual', name: 'web' };
    const spec = { ipFamilyPolicy: 'RequireDualStack' };
    await exported(west(), ref, { spec, ips: ['10.20.1.5', 'fd00:20::5'] });
    const slices = ['IPv4', 'IPv6'] as const;
    const expected = [
      [east(), ['IPv4']],
      [south(), ['IPv6']],
      [west(), ['IPv4', 'IPv6']],
    ] as const;
    for (const [cluster, served] of expected) {
      await fleet.eventually(cluster.name, () => families(cluster, ref), { import: served, slices });
      await fleet.eventually('imported', () => ready(cluster, ref), 'True Ready');
    }
  });

  it('a headless Service of both families names both in every cluster', async () => {
    const ref = { namespace: 'headless', name: 'web' };
    const spec = { clusterIP: 'None', ipFamilyPolicy: 'RequireDualStack' };
    await exported(west(), ref, { spec, ips: ['10.20.1.5', 'fd00:20::5'] });
    const both = ['IPv4', 'IPv6'] as const;
    for (const cluster of [east(), south(), west()]) {
      await fleet.eventually(cluster.name, () => families(cluster, ref), { import: both, slices: both });
      await fleet.eventually('imported', () => ready(cluster, ref), 'True Ready');
    }
  });
});

it('own endpoints keep their Node for traffic that stays on it, and those that end while they still serve', async () => {
  const ref = { namespace: 'local', name: 'web' };
  for (const cluster of [east(), west()]) await cluster.user.namespace(ref.namespace);
  await west().user.service(ref, { ports: http, internalTrafficPolicy: 'Local' });
  const ending = { ready: false, serving: true, terminating: true };
  await west().admin.create(EndpointSlice, {
    metadata: { name: 'by-hand', namespace: ref.namespace, labels: { [Label.serviceName]: ref.name } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.20.1.5'], conditions: { ready: true }, nodeName: 'west-node' },
      { addresses: ['10.20.1.6'], conditions: ending, nodeName: 'west-node' },
    ],
    ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
  });
  await west().user.export(ref);
  const own = async () =>
    (await slicesOf(west(), ref))
      .flatMap(({ endpoints }) => endpoints ?? [])
      .map(({ addresses, conditions, nodeName }) => ({ addresses, conditions, nodeName }));
  await fleet.eventually('the own part', own, [
    { addresses: ['10.20.1.5'], conditions: { ready: true }, nodeName: 'west-node' },
    { addresses: ['10.20.1.6'], conditions: ending, nodeName: 'west-node' },
  ]);
  for (const [cluster, isReady] of [
    [east(), 'False NodeLocalTraffic'],
    [west(), 'True Ready'],
  ] as const) {
    await fleet.eventually('imported', () => ready(cluster, ref), isReady);
    const service = await cluster.user.find(Service, { namespace: ref.namespace, name: `antrea-mc-${ref.name}` });
    expect(service?.spec?.internalTrafficPolicy).toBe('Local');
  }
  // One address represents all of west: it is on no Node of east.
  expect((await slicesOf(east(), ref)).flatMap(({ endpoints }) => endpoints ?? [])).toHaveLength(1);
});
