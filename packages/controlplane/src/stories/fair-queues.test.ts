import { ResourceImport } from '@isthmus/api';
import {
  createVirtualFleet,
  exportService,
  leaderNamespace,
  putAntreaExports,
  putService,
  westPorts,
} from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { expect, it } from 'vitest';

const http = [{ name: 'http', protocol: 'TCP', port: 80 }];

it.runIf(checksAllPoints())('the export of one cluster is published while those of another wait', async () => {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
  const slow = { kind: 'latency', ms: 400 } as const;
  fleet.link('north-leader', 'north').add({ match: ({ method }) => method !== 'GET', fault: slow });
  const flood = Array.from({ length: 40 }, (_, index) => `flood-${index}`);
  for (const name of flood) {
    const subsets = [{ addresses: [{ ip: '10.96.7.7' }], ports: http }];
    putAntreaExports(fleet, 'greedy', { namespace: 'shop', name, ports: http, subsets });
  }
  await fleet.clock.advance(500);
  const ref = { namespace: 'shop', name: 'quiet' };
  putService(fleet.cluster('west'), westPorts, ref);
  exportService(fleet.cluster('west'), ref);
  const isPublished = (name: string) => {
    const published = { namespace: leaderNamespace, name: `shop-${name}-service` };
    return fleet.leader.server.admin.get(ResourceImport, published) !== undefined;
  };
  await fleet.until('the one is published', () => isPublished('quiet'), 5_000);
  expect(flood.filter((name) => !isPublished(name)).length).toBeGreaterThan(15);
  await fleet.until('all are published', () => flood.every(isPublished), 60_000);
});

it('a new export is published before a restarted leader has gone through the changes of all other exports of the cluster', async () => {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
  const known = Array.from({ length: 40 }, (_, index) => `known-${index}`);
  const put = (name: string, port: number) => {
    const ports = [{ name: 'http', protocol: 'TCP', port }];
    const subsets = [{ addresses: [{ ip: '10.96.7.7' }], ports }];
    putAntreaExports(fleet, 'west', { namespace: 'shop', name, ports, subsets });
  };
  const portOf = (name: string) => {
    const published = { namespace: leaderNamespace, name: `shop-${name}-service` };
    return fleet.leader.server.admin.get(ResourceImport, published)?.spec?.serviceImport?.spec?.ports?.[0]?.port;
  };
  for (const name of known) put(name, 80);
  await fleet.until('all are published', () => known.every((name) => portOf(name) === 80), 30_000);
  fleet.leader.kill();
  for (const name of known) put(name, 81);
  put('new', 80);
  fleet.link('north-leader', 'north').add({
    match: ({ method }) => method !== 'GET',
    fault: { kind: 'latency', ms: 400 },
  });
  fleet.leader.start();
  await fleet.until('the new one is published', () => portOf('new') === 80, 60_000);
  expect(known.filter((name) => portOf(name) === 80).length).toBeGreaterThan(15);
});
