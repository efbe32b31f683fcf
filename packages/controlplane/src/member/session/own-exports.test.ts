import { ResourceExport } from '@isthmus/api';
import { createClient, isReduced, memoryLog, noMetrics } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import {
  clusterAdmin,
  clusterSetName,
  createVirtualFleet,
  exportCart,
  exportCondition,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { exportLimits } from '../../common-area/limits.ts';
import { exchanges } from '../../exchanges/index.ts';
import { createLeaderSession } from './create-leader-session.ts';

it('a member holds its own exports whole, and of what others put under its label no more than a leader accepts', async () => {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
  const west = fleet.cluster('west');
  exportCart(west, '10.20.1.5');
  await fleet.until('exported', () => exportCondition(west, 'Ready') === 'True Exported');
  west.kill();
  for (let index = 0; index < 7; index++) {
    fleet.leader.server.admin.put(ResourceExport, {
      metadata: { namespace: leaderNamespace, name: `filler-${index}`, labels: { sourceClusterID: 'west' } },
      spec: { clusterID: 'west', kind: 'Raw', service: { serviceSpec: { externalName: 'a'.repeat(120_000) } } },
    });
  }
  const { clock } = fleet;
  const session = createLeaderSession({
    client: createClient({ transport: fleet.leader.server.transport(clusterAdmin), clock }),
    spec: {
      namespace: memberNamespace,
      clusterSet: clusterSetName,
      clusterID: 'west',
      leaderClusterID: 'north',
      server: 'https://north.test',
      leaderNamespace,
      secret: 'leader-token',
      caPem: '',
      token: '',
    },
    token: () => '',
    version: '0.1.0',
    exchanges,
    // A hundredth of a leader's limits, so that its large exports are small.
    exportLimits: { ...exportLimits, bytes: exportLimits.bytes / 100, allBytes: exportLimits.allBytes / 100 },
    clusterUID: () => Promise.resolve(''),
    settings: () => ({ endpointIPType: 'ClusterIP', enableStretchedNetworkPolicy: false }),
    world: { clock, random: seededRandom(1), log: memoryLog(), metrics: noMetrics },
  });
  const end = new AbortController();
  const run = session.run(end.signal);
  await fleet.until('it has been read', () => session.exports.cache.synced);
  const isWhole = ({ metadata }: { readonly metadata: { readonly name: string } }) => {
    const found = session.exports.cache.get({ namespace: leaderNamespace, name: metadata.name });
    return found !== undefined && !isReduced(found);
  };
  const all = session.exports.cache.list();
  expect(all).toHaveLength(9);
  expect(all.filter(isWhole).map(({ metadata }) => metadata.name)).toEqual([
    'filler-0',
    'filler-1',
    'filler-2',
    'filler-3',
    'filler-4',
    'west-shop-cart-endpoints',
    'west-shop-cart-service',
  ]);
  end.abort();
  await run.catch(() => undefined);
});
