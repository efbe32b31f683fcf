import { ClusterInfoImport, Namespace } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { cart, createVirtualFleet, exportCart, importedSlices, putPod } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { announce } from '../testing/virtual-ranges-story.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const slicesOf = (fleet: VirtualFleet) => importedSlices(fleet.cluster('east')).join();

it('slices of other clusters stay until the virtual ranges are read, and follow then, although there are none', async () => {
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    endpointIPType: 'PodIP',
  });
  const east = fleet.cluster('east');
  east.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
  exportCart(fleet.cluster('west'), '10.20.1.1', http);
  announce(east, ['10.10.0.0/16']);
  await fleet.until(`east imports ${cart.name}`, () => slicesOf(fleet).includes('10.20.1.1'));

  east.kill();
  fleet.link('east-member', 'east').add({
    match: ({ path }) => path.includes(`/${ClusterInfoImport.plural}`),
    fault: { kind: 'latency', ms: 6_000 },
  });
  east.start('member', { podCIDRs: ['10.10.0.0/16'] });
  putPod(fleet.cluster('west'), 'cart-2', '10.20.1.2');
  await fleet.clock.advance(4_000);
  expect(slicesOf(fleet)).not.toContain('10.20.1.2');

  await fleet.until('the new endpoint is imported', () => slicesOf(fleet).includes('10.20.1.2'), 20_000);
});
