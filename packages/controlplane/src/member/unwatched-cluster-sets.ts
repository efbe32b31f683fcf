import type { ClusterSet as ClusterSetObject, EventReason } from '@isthmus/api';
import { ClusterSet, memberClusterSetStatus } from '@isthmus/api';
import type { ReadCache, Reconciler } from '@isthmus/kube';
import { again, defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import type { ControllerAccess } from '../controller-access.ts';
import type { OwnCluster } from '../own-cluster/own-cluster.ts';

/**
 * How long the controller of a leader in this cluster may take to start: a user who applies its
 * manifests creates its ClusterSet at once.
 */
const leaderPatienceMs = 30_000;
/** How long a running controller may take to write the first status. */
const patienceMs = 3_000;
/** An API server keeps an Event for an hour. */
const repeatMs = 1_800_000;

/** The access that this controller needs. */
export const unwatchedClusterSetsAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ClusterSet, scope: 'all', verbs: ['get', 'list', 'watch'], optional: true },
];

/**
 * Reports ClusterSets in Namespaces that no controller watches: they have no status. Only the
 * member's controller looks at all Namespaces of a cluster. A leader may read only its own.
 */
export function unwatchedClusterSetsController(own: OwnCluster, everywhere: ReadCache<ClusterSetObject>): Reconciler {
  // Since when each has been seen, by the monotonic clock. A restart loses it, which costs half a
  // minute.
  const seenMs = new Map<string, number>();
  return defineReconciler({
    name: 'unwatched-cluster-sets',
    sources: [],
    // A cluster with an older manifest does not allow it to be read.
    optionalSources: [from(everywhere, (object) => [keyOfObject(object)])],
    access: unwatchedClusterSetsAccess,
    async reconcile(key) {
      const found = everywhere.getByKey(key);
      if (found === undefined || found.metadata.namespace === own.namespace || isWatched(found)) {
        seenMs.delete(key);
        return Promise.resolve(done);
      }
      const nowMs = own.world.clock.monotonic();
      const sinceMs = seenMs.get(key) ?? nowMs;
      seenMs.set(key, sinceMs);
      const leftMs = sinceMs + (isForMember(found) ? patienceMs : leaderPatienceMs) - nowMs;
      if (leftMs > 0) return Promise.resolve(again(leftMs, 'a controller may still start in its Namespace'));
      own.events.report(found, memberClusterSetStatus, { reason, message: messageOf(found, own.namespace) });
      return Promise.resolve(again(repeatMs, 'the Event would expire'));
    },
  });
}

const reason: EventReason<typeof memberClusterSetStatus> = 'NotWatched';

function isWatched({ status }: ClusterSetObject): boolean {
  return status?.observedGeneration !== undefined || (status?.conditions ?? []).length > 0;
}

/**
 * A leader's ClusterSet never names a Secret. A cluster has only one member's controller, this one,
 * which does not watch that Namespace.
 */
function isForMember({ spec }: ClusterSetObject): boolean {
  return (spec?.leaders ?? []).some(({ secret = '' }) => secret !== '');
}

function messageOf({ metadata: { namespace = '', name } }: ClusterSetObject, watched: string): string {
  return `No controller watches ClusterSets in Namespace ${namespace}, so this one has no effect. The member's controller of this cluster watches Namespace ${watched}: create the ClusterSet there, and delete this one: kubectl -n ${namespace} delete clusterset ${name}`;
}
