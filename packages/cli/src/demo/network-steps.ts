import { Pod, Service } from '@isthmus/api';
import type { NetworkFleet, ObjectLine, Story } from './demo-fleet.ts';
import {
  cart,
  deployCart,
  derived,
  exportCart,
  find,
  podIPs,
  prepare,
  putCart,
  setReady,
  unexportCart,
} from './objects.ts';
import { readyAre } from './steps.ts';

const client = { namespace: cart.namespace, name: 'client' } as const;
const ports = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }] as const;

/**
 * Namespace `shop` in both members, a Pod that calls in each, and in west a Deployment of one Pod
 * with its Service.
 */
async function prepareShop(fleet: NetworkFleet): Promise<void> {
  for (const name of ['east', 'west']) {
    const cluster = fleet.cluster(name);
    await prepare(fleet, cluster);
    const containers = [{ name: 'client', image: 'client:1', command: ['sleep', 'infinity'] }];
    await cluster.admin.create(Pod, { metadata: { ...client }, spec: { containers } });
  }
  await putCart(fleet.cluster('west'), ports);
  await deployCart(fleet.cluster('west'), 1);
  await readyAre(fleet, 'west', '1/1');
  for (const name of ['east', 'west']) {
    await fleet.until(`Pod client of ${name} runs`, async () => {
      const { code } = await fleet.exec(name, client.name, ['true']);
      return code === 0;
    });
  }
}

/**
 * Calls from Pod `client` of a cluster. Resolves to the answer in one line, or to the reason of its
 * absence.
 */
async function call(fleet: NetworkFleet, from: string, url: string): Promise<{ ok: boolean; line: ObjectLine }> {
  const command = ['curl', '-sS', '--max-time', '5', url];
  const { code, stdout, stderr } = await fleet.exec(from, client.name, command);
  const says = (code === 0 ? stdout : stderr).trim().replaceAll('\n', ', ');
  return { ok: code === 0, line: { cluster: from, object: `curl ${url}`, says } };
}

/** Calls until an answer comes from each of so many Pods; gives their answers. */
async function answersOf(fleet: NetworkFleet, from: string, url: string, pods: number): Promise<readonly ObjectLine[]> {
  const seen = new Map<string, ObjectLine>();
  await fleet.until(`${pods} Pods answer Pod client of ${from} at ${url}`, async () => {
    const { ok, line } = await call(fleet, from, url);
    if (!ok) throw new Error(line.says);
    seen.set(line.says.split(',')[0] ?? '', line);
    return seen.size === pods;
  });
  return [...seen.values()];
}

/** The URL of the imported Service in a cluster. */
async function importedUrl(fleet: NetworkFleet, name: string): Promise<string> {
  const ip = await fleet.until(`${name} imports Service shop/cart`, async () => {
    const service = await find(fleet.cluster(name).admin, Service, derived);
    return service?.spec?.clusterIP;
  });
  return `http://${ip}/`;
}

/** The story of one Service with packets: who answers whom. */
export const networkStory: Story<NetworkFleet> = {
  preparation: {
    name: 'create Deployment and Service shop/cart in west, and a Pod that calls in each member',
    run: prepareShop,
  },
  steps: [
    {
      name: 'west exports Service shop/cart: a Pod of east calls it, through the gateways of both clusters',
      async run(fleet) {
        await exportCart(fleet.cluster('west'));
        return answersOf(fleet, 'east', await importedUrl(fleet, 'east'), 1);
      },
    },
    {
      name: 'a second Pod becomes ready in west, on another Node: both answer',
      async run(fleet) {
        await deployCart(fleet.cluster('west'), 2);
        await readyAre(fleet, 'west', '2/2');
        return answersOf(fleet, 'east', await importedUrl(fleet, 'east'), 2);
      },
    },
    {
      name: 'the same Pods answer in west, and a Pod of east that calls them directly: they see its own address',
      async run(fleet) {
        const local = await answersOf(fleet, 'west', await importedUrl(fleet, 'west'), 2);
        const direct: ObjectLine[] = [];
        for (const ip of await podIPs(fleet.cluster('west')))
          direct.push(...(await answersOf(fleet, 'east', `http://${ip}:8080/`, 1)));
        return [...local, ...direct];
      },
    },
    {
      name: 'no Pod is ready: connections are rejected at once, and the import keeps its address',
      async run(fleet) {
        await setReady(fleet.cluster('west'), false);
        await readyAre(fleet, 'west', '0/2');
        const url = await importedUrl(fleet, 'east');
        return fleet.until(`calls of ${url} are rejected`, async () => {
          const { ok, line } = await call(fleet, 'east', url);
          return !ok && line.says.includes('(7)') && [line];
        });
      },
    },
    {
      name: 'the Pods of west are ready again: they answer',
      async run(fleet) {
        await setReady(fleet.cluster('west'), true);
        await readyAre(fleet, 'west', '2/2');
        return answersOf(fleet, 'east', await importedUrl(fleet, 'east'), 2);
      },
    },
    {
      clearsUp: true,
      name: 'west withdraws its export: the Service is removed from east',
      async run(fleet) {
        await unexportCart(fleet.cluster('west'));
        const { admin } = fleet.cluster('east');
        await fleet.until(
          'east has dropped the import',
          async () => (await find(admin, Service, derived)) === undefined,
        );
      },
    },
  ],
};
