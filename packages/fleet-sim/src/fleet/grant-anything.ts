import { KnownCluster } from '@isthmus/api';
import type { VirtualFleet } from './fleet.ts';
import { leaderNamespace } from './fleet-names.ts';

/** An administrator of the leader lets clusters announce any private ranges, and change them. */
export function grantAnything(fleet: VirtualFleet, ...clusterIDs: readonly string[]): void {
  for (const clusterID of clusterIDs)
    fleet.leader.server.admin.put(KnownCluster, {
      metadata: { name: clusterID, namespace: leaderNamespace },
      spec: { clusterID, origin: 'Granted', state: 'Accepted' },
    });
}
