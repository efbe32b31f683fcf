import type { EndpointSlice } from '@isthmus/api';
import { sliceSourceOf } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { SlicesInput } from './slices.ts';

export interface PodsInput {
  readonly remote: Pick<RemoteService, 'perCluster'>;
  readonly ownClusterID: string;
  /** Our slices of the Pods of this import. */
  readonly current: readonly EndpointSlice[];
}

/**
 * The Pods behind the ClusterIPs of other clusters, which the agents of this cluster use in their
 * place (docs/spec/wire.md §8.3). Without agents there are none: they would have no reader, and
 * each change of a Pod in another cluster would cause a write. `hasAgents` undefined: not known, so
 * existing Pods stay.
 */
export function podsFor(
  hasAgents: boolean | undefined,
  { remote, ownClusterID, current }: PodsInput,
): SlicesInput['sources'] {
  if (hasAgents === undefined) return keptPods(current);
  if (!hasAgents) return [];
  return [...remote.perCluster].flatMap(([clusterID, slices]) => {
    const pods = slices.flatMap(({ addressType, pods: behind = [] }) =>
      behind.map(({ endpoints, ports }) => ({ addressType, endpoints, ports })),
    );
    return clusterID === ownClusterID || pods.length === 0 ? [] : [{ clusterID, slices: pods }];
  });
}

/** While the leader is not read, the Pods stay the same. */
export function keptPods(current: readonly EndpointSlice[]): SlicesInput['sources'] {
  return [...new Set(current.map(sliceSourceOf))].map((clusterID) => ({ clusterID, slices: 'kept' as const }));
}
