import {
  EndpointSlice,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { RealFleet } from '@isthmus/testkit';
import { leaderNamespace, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * What people and backups do to the Common Area of a leader, on real API servers: 30 imports keep uid, ClusterIP and endpoints, watched all the
 * time, and all is exported and published again afterwards. The tests stand in the order of one story.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const count = 30;
const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const refOf = (index: number) => ({ namespace: 'shop', name: `svc-${index}` });

async function standing(): Promise<readonly string[]> {
  const { admin } = east();
  const inShop = { namespace: 'shop' };
  const [imports, services, slices] = await Promise.all([
    admin.list(ServiceImport, inShop),
    admin.list(Service, inShop),
    admin.list(EndpointSlice, inShop),
  ]);
  return [
    ...imports.items.map(
      ({ metadata, spec }) => `import ${metadata.name} ${metadata.uid ?? ''} ${spec?.ips?.[0] ?? ''}`,
    ),
    ...services.items.map(
      ({ metadata, spec }) => `service ${metadata.name} ${metadata.uid ?? ''} ${spec?.clusterIP ?? ''}`,
    ),
    ...slices.items
      .filter(({ metadata }) => metadata.labels?.[Label.mcsServiceName] !== undefined)
      .map(({ metadata, endpoints, ports }) => `slice ${metadata.name} ${JSON.stringify([endpoints, ports])}`),
  ];
}

/** How much the Common Area has: exports, imports, announcements. */
async function area(): Promise<readonly number[]> {
  const { admin } = north();
  const where = { namespace: leaderNamespace };
  const live = (items: readonly { readonly metadata: { readonly deletionTimestamp?: string | undefined } }[]) =>
    items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
  return [
    live((await admin.list(ResourceExport, where)).items),
    live((await admin.list(ResourceImport, where)).items),
    live((await admin.list(MemberClusterAnnounce, where)).items),
  ];
}

const whole = [2 * count, 3 * count, 2];
let before: readonly string[] = [];

/** Until the Common Area is whole again nothing that a connection would notice may change, nor for a while afterwards. */
async function mended(): Promise<void> {
  const from = Date.now();
  for (;;) {
    expect(await standing()).toEqual(before);
    const found = await area().catch(() => []);
    if (JSON.stringify(found) === JSON.stringify(whole)) break;
    if (Date.now() - from > 180_000) expect(found).toEqual(whole);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await fleet.steadily('nothing changes afterwards', standing, before, 3_000);
}

const etcd = async (script: string) => {
  await north().server.stop('kube-apiserver');
  await north().server.stop('etcd');
  await north().shell(`cd "$(dirname "$KUBECONFIG")" && ${script}`);
  await north().server.start('etcd');
  await north().server.start('kube-apiserver');
};

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
  await Promise.all([east().user.namespace('shop'), west().user.namespace('shop')]);
  const exportFrom = async (from: number, to: number) => {
    for (let index = from; index < to; index++)
      await west().user.exportService(refOf(index), http, `10.20.0.${index + 1}`);
  };
  await exportFrom(0, 10);
  await fleet.eventually('ten are imported', async () => (await standing()).length, 30);
  await etcd('rm -rf backup && cp -r etcd backup');
  await exportFrom(10, count);
  await fleet.eventually('all are imported', async () => (await standing()).length, 3 * count, 60_000);
  await fleet.eventually('the Common Area is whole', area, whole, 60_000);
  before = await standing();
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

it('the announcement of the exporter is deleted', async () => {
  await north().shell(`kubectl delete memberclusterannounces -n ${leaderNamespace} member-announce-from-west`);
  await mended();
});

it('all ResourceImports are deleted while the leader is dead', async () => {
  await north().stop('leader');
  await north().shell(`kubectl delete resourceimports -n ${leaderNamespace} --all`);
  await fleet.steadily('all are kept', standing, before, 5_000);
  await north().start('leader');
  await mended();
});

it('the leader is restored from a backup of before most exports', async () => {
  await etcd('rm -rf etcd && cp -r backup etcd');
  await mended();
});

it('the leader is restored from a backup of before most exports, and the importer restarts', async () => {
  await etcd('rm -rf etcd && cp -r backup etcd');
  await east().stop('member');
  await east().start('member');
  await mended();
});

it('an empty etcd takes the place of the old one, and then a backup', async () => {
  await etcd('rm -rf etcd');
  await fleet.steadily('all are kept', standing, before, 20_000);
  await etcd('rm -rf etcd && cp -r backup etcd');
  await mended();
});

it('the resource definition of ResourceImports is deleted, and applied again', async () => {
  await north().shell('kubectl delete crd resourceimports.multicluster.crd.antrea.io');
  await fleet.steadily('all are kept', standing, before, 5_000);
  await north().shell('kubectl apply --server-side -f -', await north().manifest('deploy/leader-global.yaml'));
  await mended();
});

it('all ResourceExports are deleted', async () => {
  await north().shell(`kubectl delete resourceexports -n ${leaderNamespace} --all`);
  await mended();
});

it('the resource definition of ResourceExports is deleted, and applied again', async () => {
  await north().shell('kubectl delete crd resourceexports.multicluster.crd.antrea.io');
  await fleet.steadily('all are kept', standing, before, 5_000);
  await north().shell('kubectl apply --server-side -f -', await north().manifest('deploy/leader-global.yaml'));
  await mended();
});
