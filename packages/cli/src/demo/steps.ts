import {
  ClusterSet,
  FixedName,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { DemoFleet, DemoStep, Story } from './demo-fleet.ts';
import {
  cart,
  deployCart,
  derived,
  exportCart,
  exportVerdict,
  find,
  importedPorts,
  importedSlices,
  podIPs,
  prepare,
  putCart,
  readyPods,
  setReady,
  unexportCart,
  untilNextExportIsYounger,
} from './objects.ts';

const westPorts: readonly ServicePort[] = [
  { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 },
  { name: 'metrics', protocol: 'TCP', port: 9090, targetPort: 9090 },
];
const eastPorts: readonly ServicePort[] = [
  { name: 'http', protocol: 'TCP', port: 8081, targetPort: 8080 },
  { name: 'admin', protocol: 'TCP', port: 9000, targetPort: 9000 },
];

const members = ['east', 'west'] as const;

/** Waits until every member has imported the Service with these ports. */
async function bothImport(fleet: DemoFleet, ports: string): Promise<void> {
  for (const name of members) {
    await fleet.until(
      `${name} imports ports ${ports}`,
      async () => (await importedPorts(fleet.cluster(name))) === ports,
    );
  }
}

/** The addresses in a cluster. */
interface Addresses {
  /** The ClusterIP of Service `cart`. */
  readonly ip: string;
  /** The addresses of its Pods, as one text. */
  readonly pods: string;
}

async function slicesAre(
  fleet: DemoFleet,
  name: string,
  expected: (of: Readonly<Record<(typeof members)[number], Addresses>>) => readonly string[],
): Promise<void> {
  const addressesOf = async (member: string): Promise<Addresses> => {
    const cluster = fleet.cluster(member);
    const ip = (await find(cluster.admin, Service, cart))?.spec?.clusterIP ?? '';
    return { ip, pods: (await podIPs(cluster)).join(',') };
  };
  const wanted = expected({ east: await addressesOf('east'), west: await addressesOf('west') }).join(' | ');
  await fleet.until(
    `the slices in ${name} are ${wanted}`,
    async () => (await importedSlices(fleet.cluster(name))).join(' | ') === wanted,
  );
}

/** Waits until so many Pods of `cart` are ready. */
export async function readyAre(fleet: DemoFleet, name: string, ready: string): Promise<void> {
  const what = `${ready} Pods of ${name} are ready`;
  await fleet.until(what, async () => (await readyPods(fleet.cluster(name))) === ready);
}

async function verdictIs(
  fleet: DemoFleet,
  names: readonly string[],
  type: 'Ready' | 'Conflict',
  verdict: string,
): Promise<void> {
  for (const name of names) {
    await fleet.until(
      `ServiceExport in ${name}: ${type} ${verdict}`,
      async () => (await exportVerdict(fleet.cluster(name), type)) === verdict,
    );
  }
}

/**
 * Prepares the story: Namespace `shop` in both members, and in west a Deployment of one Pod with
 * its Service.
 */
async function deployShop(fleet: DemoFleet): Promise<void> {
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  await Promise.all([prepare(fleet, east), prepare(fleet, west)]);
  await putCart(west, westPorts);
  await deployCart(west, 1);
  await readyAre(fleet, 'west', '1/1');
}

/** The story of one Service, from its first export to the last withdrawal. */
export const demoSteps: readonly DemoStep[] = [
  {
    name: 'west exports Service shop/cart; east imports it',
    async run(fleet) {
      await exportCart(fleet.cluster('west'));
      await bothImport(fleet, 'http:80,metrics:9090');
      await slicesAre(fleet, 'east', ({ west }) => [`west=${west.ip} http:80,metrics:9090`]);
      await verdictIs(fleet, ['west'], 'Ready', 'True Exported');
    },
  },
  {
    name: 'a second Pod becomes ready in west: west reaches its own Pods directly',
    async run(fleet) {
      await deployCart(fleet.cluster('west'), 2);
      await readyAre(fleet, 'west', '2/2');
      await slicesAre(fleet, 'west', ({ west }) => [`west=${west.pods} http:8080,metrics:9090`]);
    },
  },
  {
    name: 'no Pod is ready: the endpoints are removed, the import keeps its address',
    async run(fleet) {
      const { admin } = fleet.cluster('east');
      const before = (await find(admin, Service, derived))?.spec?.clusterIP;
      await setReady(fleet.cluster('west'), false);
      await readyAre(fleet, 'west', '0/2');
      await slicesAre(fleet, 'east', () => []);
      if ((await find(admin, Service, derived))?.spec?.clusterIP !== before)
        throw new Error('the address of the import has changed');
    },
  },
  {
    name: 'the Pods of west are ready again: the endpoints are back',
    async run(fleet) {
      await setReady(fleet.cluster('west'), true);
      await readyAre(fleet, 'west', '2/2');
      await slicesAre(fleet, 'east', ({ west }) => [`west=${west.ip} http:80,metrics:9090`]);
    },
  },
  {
    name: 'east exports the same Service with another http port: both exports report the conflict',
    async run(fleet) {
      const east = fleet.cluster('east');
      await putCart(east, eastPorts);
      await deployCart(east, 1);
      await readyAre(fleet, 'east', '1/1');
      await untilNextExportIsYounger(fleet, 'west');
      await exportCart(east);
      await bothImport(fleet, 'http:80,metrics:9090,admin:9000');
      await verdictIs(fleet, members, 'Conflict', 'True PortConflict');
      await slicesAre(fleet, 'east', ({ east, west }) => [
        `east=${east.pods} admin:9000`,
        `west=${west.ip} http:80,metrics:9090`,
      ]);
      await slicesAre(fleet, 'west', ({ east, west }) => [
        `east=${east.ip} admin:9000`,
        `west=${west.pods} http:8080,metrics:9090`,
      ]);
    },
  },
  {
    name: 'east changes its ports to match west: the conflict is resolved',
    async run(fleet) {
      await putCart(fleet.cluster('east'), westPorts);
      await bothImport(fleet, 'http:80,metrics:9090');
      await verdictIs(fleet, members, 'Conflict', 'False NoConflicts');
      await slicesAre(fleet, 'west', ({ east, west }) => [
        `east=${east.ip} http:80,metrics:9090`,
        `west=${west.pods} http:8080,metrics:9090`,
      ]);
    },
  },
  {
    clearsUp: true,
    name: 'west withdraws its export: the import stays, with the endpoints of east only',
    async run(fleet) {
      await unexportCart(fleet.cluster('west'));
      await fleet.until('the exports of west are gone', async () => {
        const { items } = await fleet.leader.admin.list(ResourceExport);
        return items.every(({ spec }) => spec?.clusterID !== 'west');
      });
      await slicesAre(fleet, 'west', ({ east }) => [`east=${east.ip} http:80,metrics:9090`]);
      await slicesAre(fleet, 'east', ({ east }) => [`east=${east.pods} http:8080,metrics:9090`]);
    },
  },
  {
    clearsUp: true,
    name: 'east withdraws its export: the Service is removed everywhere',
    async run(fleet) {
      await unexportCart(fleet.cluster('east'));
      for (const name of members) {
        const { admin } = fleet.cluster(name);
        await fleet.until(
          `${name} has dropped the import`,
          async () =>
            (await find(admin, ServiceImport, cart)) === undefined &&
            (await find(admin, Service, derived)) === undefined,
        );
      }
      const { admin } = fleet.leader;
      await fleet.until(
        'the Common Area is empty',
        async () =>
          (await admin.list(ResourceExport)).items.length + (await admin.list(ResourceImport)).items.length === 0,
      );
    },
  },
  {
    clearsUp: true,
    name: 'both members leave the ClusterSet',
    async run(fleet) {
      const ref = { namespace: FixedName.memberNamespace, name: 'fleet' };
      for (const name of members) await fleet.cluster(name).admin.delete(ClusterSet, ref);
      for (const name of members) {
        const { admin } = fleet.cluster(name);
        await fleet.until(`${name} has left`, async () => (await find(admin, ClusterSet, ref)) === undefined);
      }
      const { admin } = fleet.leader;
      await fleet.until(
        'the leader has forgotten them',
        async () => (await admin.list(MemberClusterAnnounce)).items.length === 0,
      );
    },
  },
];

/** One Service between three clusters, shown by its objects. */
export const serviceStory: Story = {
  preparation: { name: 'create Deployment and Service shop/cart in west', run: deployShop },
  steps: demoSteps,
};
