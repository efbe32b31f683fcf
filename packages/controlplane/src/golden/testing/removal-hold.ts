import { ClusterSet, ResourceExport, ResourceImport } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { rfc3339 } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  exportService,
  leaderNamespace,
  memberNamespace,
  putService,
  westPorts,
} from '@isthmus/fleet-sim';
import type { Scenario } from './record.ts';

/** One more than ten: the smallest number for which a removal is held. */
const names = Array.from({ length: 11 }, (_, index) => `cart-${index}`);

/**
 * The leader's API server loses objects while no controller watches, for example after a restored
 * backup.
 */
async function lose(fleet: VirtualFleet, type: ResourceType<KubernetesObject>): Promise<void> {
  const { admin } = fleet.leader.server;
  const links = ['east-member', 'north-leader'].map((controller) => fleet.link(controller, 'north'));
  for (const link of links) link.cut('refuse');
  for (const { metadata } of admin.list(type, leaderNamespace)) admin.remove(type, metadata);
  admin.compact();
  await fleet.clock.advance(5_000);
  for (const link of links) link.heal();
}

function allow(fleet: VirtualFleet, cluster: string, namespace: string): void {
  const until = rfc3339(fleet.clock.now() + 300_000);
  const annotations = { 'isthmus.dev/allow-removals-until': until };
  fleet
    .cluster(cluster)
    .server.admin.patch(ClusterSet, { namespace, name: clusterSetName }, { metadata: { annotations } });
}

/** Objects that are lost all at once are held, and released when a user allows it. */
export const removalHold: Scenario = {
  name: 'removal-hold',
  fleet: { clusters: { north: 'leader', east: 'member', west: 'member' } },
  kinds: [ClusterSet],
  chapters: [
    {
      title: 'east imports eleven Services of west',
      async act(fleet) {
        for (const name of names) {
          putService(fleet.cluster('west'), westPorts.slice(0, 1), { namespace: 'shop', name });
          exportService(fleet.cluster('west'), { namespace: 'shop', name });
        }
        putService(fleet.cluster('east'), westPorts, { namespace: 'shop', name: 'other' });
      },
    },
    {
      title: 'the leader loses all exports while west is away, and holds what it published',
      async act(fleet) {
        fleet.cluster('west').kill();
        await lose(fleet, ResourceExport);
      },
      forMs: 40_000,
    },
    {
      title: 'the exporter is back in time',
      act: (fleet) => fleet.cluster('west').start(),
      forMs: 60_000,
    },
    {
      title: 'the imports are lost while no leader runs, and east holds them',
      async act(fleet) {
        fleet.leader.kill();
        await lose(fleet, ResourceImport);
      },
      forMs: 60_000,
    },
    {
      title: 'a person lets them go',
      act: (fleet) => allow(fleet, 'east', memberNamespace),
    },
    {
      title: 'a new leader publishes them again',
      act: (fleet) => fleet.leader.start(),
    },
    {
      title: 'the leader loses all exports once more, with a person who lets go what it published',
      async act(fleet) {
        fleet.cluster('west').kill();
        await lose(fleet, ResourceExport);
        await fleet.clock.advance(10_000);
        allow(fleet, 'north', leaderNamespace);
      },
    },
  ],
};
