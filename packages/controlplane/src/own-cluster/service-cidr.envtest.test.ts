import { Service } from '@isthmus/api';
import { createClient, systemClock } from '@isthmus/kube';
import { withFaults } from '@isthmus/fleet-sim';
import { adminTransport, startApiServer } from '@isthmus/testkit';
import { expect, it } from 'vitest';
import { findServiceCIDR } from './service-cidr.ts';

it('the Service CIDR of a cluster is that of ServiceCIDR kubernetes, and the same where only the older way is left', async () => {
  await using server = await startApiServer({ name: 'range' });
  const clock = systemClock();
  const transport = withFaults(adminTransport(server, 'test'), clock);
  const client = createClient({ transport, clock, server: server.url });
  const find = () => findServiceCIDR(client, { namespace: 'kube-system', signal: new AbortController().signal });
  const found = await find();
  expect(found).toMatch(/^10\.\d+\.0\.0\/\d+$/);
  transport.add({ match: ({ path }) => path.includes('/servicecidrs'), fault: { kind: 'status', code: 404 } });
  expect(await find()).toBe(found);
  const { items } = await client.list(Service, { namespace: 'kube-system' });
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('isthmus-service-range');
});
