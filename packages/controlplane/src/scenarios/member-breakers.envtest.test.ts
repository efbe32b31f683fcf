import { EndpointSlice, Label, ResourceExport, Service, ServiceExport, ServiceImport } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { leaderNamespace } from '@isthmus/fleet-sim';
import { readyOfImport, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Changes by users and backups in members, on real API servers: backups are restored, all imports
 * are deleted, most members are away. West exports, east and south import. The tests are in the
 * order of one story.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const south = () => fleet.cluster('south');

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const count = 8;
const backedUp = 4;
const refOf = (index: number) => ({ namespace: 'shop', name: `svc-${index}` });
const addressOf = (index: number) => `10.20.0.${index + 1}`;

/**
 * The ServiceImport, Service and endpoints of each imported Service, with their uids. Incomplete
 * ones are left out.
 */
async function imported({ admin }: RealCluster): Promise<ReadonlyMap<string, string>> {
  const inShop = { namespace: 'shop' };
  const [imports, services, slices] = await Promise.all([
    admin.list(ServiceImport, inShop),
    admin.list(Service, inShop),
    admin.list(EndpointSlice, inShop),
  ]);
  const found = new Map<string, string>();
  for (const serviceImport of imports.items) {
    const { metadata } = serviceImport;
    const derived = services.items.find((one) => one.metadata.name === `antrea-mc-${metadata.name}`);
    const addresses = slices.items
      .filter((one) => one.metadata.labels?.[Label.mcsServiceName] === metadata.name)
      .flatMap(({ endpoints }) => (endpoints ?? []).flatMap((endpoint) => endpoint.addresses));
    const isReady = readyOfImport(serviceImport) === 'True Ready';
    if (derived === undefined || addresses.length === 0 || !isReady) continue;
    const uids = [metadata.uid, derived.metadata.uid].join(' ');
    found.set(metadata.name, `${uids} ${derived.spec?.clusterIP ?? ''} ${addresses.toSorted().join()}`);
  }
  return found;
}

const namesIn = async (cluster: RealCluster) => [...(await imported(cluster)).keys()].toSorted();
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => refOf(from + index).name);

/** The entries with these names; undefined for a missing one. */
const partOf = (all: ReadonlyMap<string, string>, wanted: readonly string[]) => wanted.map((name) => all.get(name));

async function onDisk({ server, shell }: RealCluster, script: string): Promise<void> {
  await server.stop('kube-apiserver');
  await server.stop('etcd');
  await shell(`cd "$(dirname "$KUBECONFIG")" && ${script}`);
  await server.start('etcd');
  await server.start('kube-apiserver');
}
const backup = 'rm -rf backup && cp -r etcd backup';
const restore = 'rm -rf etcd && cp -r backup etcd';

async function exportFrom(from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) await west().user.exportService(refOf(index), http, addressOf(index));
}

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { north: 'leader', west: 'member', east: 'member', south: 'member' } });
  await Promise.all([west(), east(), south()].map((cluster) => cluster.user.namespace('shop')));
  await exportFrom(0, backedUp);
  for (const cluster of [west(), east(), south()])
    await fleet.eventually('the first are imported', () => namesIn(cluster), names(0, backedUp));
  await Promise.all([onDisk(west(), backup), onDisk(east(), backup)]);
  await exportFrom(backedUp, count);
  for (const cluster of [east(), south()])
    await fleet.eventually('all are imported', () => namesIn(cluster), names(0, count), 120_000);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('a member that is restored from an older backup', () => {
  it('imports again what the backup lacks, and keeps what it has', async () => {
    const before = partOf(await imported(east()), names(0, backedUp));
    const elsewhere = await imported(south());
    await onDisk(east(), restore);
    await fleet.eventually('all are imported again', () => namesIn(east()), names(0, count), 120_000);
    expect(partOf(await imported(east()), names(0, backedUp))).toEqual(before);
    await fleet.steadily(
      'nothing changes in others',
      async () => [...(await imported(south()))],
      [...elsewhere],
      2_000,
    );
  });

  it('withdraws what its own cluster does not have any more, and nothing else; created again, it is imported again', async () => {
    const before = partOf(await imported(south()), names(0, backedUp));
    await onDisk(west(), restore);
    for (const cluster of [east(), south()])
      await fleet.eventually('the rest is withdrawn', () => namesIn(cluster), names(0, backedUp), 120_000);
    expect(partOf(await imported(south()), names(0, backedUp))).toEqual(before);
    const left = async () =>
      (await fleet.leader.admin.list(ResourceExport, { namespace: leaderNamespace })).items.length;
    await fleet.eventually('the exports are withdrawn', left, 2 * backedUp, 60_000);
    await exportFrom(backedUp, count);
    for (const cluster of [east(), south()])
      await fleet.eventually('all are imported again', () => namesIn(cluster), names(0, count), 120_000);
    const exported = async () =>
      (await west().admin.list(ServiceExport, { namespace: 'shop' })).items.filter(
        ({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'True',
      ).length;
    await fleet.eventually('and the exporter knows', exported, count);
  });
});

describe('what somebody deletes in a member', () => {
  it.each([
    ['all ServiceImports', 'kubectl delete serviceimports -n shop --all', [1, 2, 3]],
    ['all imported EndpointSlices', 'kubectl delete endpointslices -n shop --all', [0, 1, 2, 3]],
    ['all imported Services', 'kubectl delete services -n shop --all', [0, 3]],
  ])('%s: all are there again, and the other objects of the imports stay', async (_, command, staying) => {
    const before = await imported(east());
    await east().shell(command);
    await fleet.eventually('all are imported again', () => namesIn(east()), names(0, count), 60_000);
    // ServiceImport, Service, ClusterIP, addresses.
    const parts = (all: ReadonlyMap<string, string>) =>
      [...all]
        .map(([name, text]) => [name, ...text.split(' ').filter((_part, index) => staying.includes(index))].join(' '))
        .toSorted();
    expect(parts(await imported(east()))).toEqual(parts(before));
  });
});

describe('two of three members that are away', () => {
  it('leave the third as it is; what it does meanwhile arrives when they are back, and nothing they have becomes another object', async () => {
    const before = new Map(
      await Promise.all([east(), south()].map(async (one) => [one.name, await imported(one)] as const)),
    );
    await Promise.all([west(), south()].map(({ server }) => server.stop('kube-apiserver')));
    await fleet.steadily(
      'east keeps all',
      async () => [...(await imported(east()))],
      [...(before.get('east') ?? [])],
      35_000,
    );
    await east().user.exportService({ namespace: 'shop', name: 'of-east' }, http, '10.30.0.1');
    await fleet.eventually('east has its own', async () => (await namesIn(east())).includes('of-east'), true);
    await Promise.all([west(), south()].map(({ server }) => server.start('kube-apiserver')));
    await fleet.eventually('south has it too', () => namesIn(south()), ['of-east', ...names(0, count)], 120_000);
    for (const cluster of [east(), south()])
      expect(partOf(await imported(cluster), names(0, count))).toEqual(
        partOf(before.get(cluster.name) ?? new Map(), names(0, count)),
      );
  });
});
