import { ResourceImport } from '@isthmus/api';
import {
  createVirtualFleet,
  exportService,
  leaderNamespace,
  putAntreaExports,
  putService,
  westPorts,
} from '@isthmus/testkit';
import { expect, it } from 'vitest';

const http = [{ name: 'http', protocol: 'TCP', port: 80 }];

it('the export of one cluster is published while those of another wait', async () => {
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
