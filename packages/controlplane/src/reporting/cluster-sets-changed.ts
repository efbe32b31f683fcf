import type { ClusterSet } from '@isthmus/api';
import type { ReadCache, Source } from '@isthmus/kube';
import { onChange } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';

/** Wakes `keys` when a ClusterSet changes, except by the heartbeat of its controller. */
export function onClusterSets(cache: ReadCache<ClusterSet>, keys: () => readonly string[]): Source {
  return onChange(
    (listener) =>
      cache.subscribe(({ before, after }) => {
        if (!equal(withoutHeartbeat(before), withoutHeartbeat(after))) listener();
      }),
    keys,
  );
}

function withoutHeartbeat(clusterSet: ClusterSet | undefined): unknown {
  if (clusterSet === undefined) return undefined;
  const { resourceVersion: _, managedFields: _fields, ...metadata } = clusterSet.metadata;
  return { ...clusterSet, metadata, status: { ...clusterSet.status, lastHeartbeatTime: undefined } };
}
