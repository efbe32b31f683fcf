import type { EndpointSlicePayload } from '@isthmus/api';
import { maxSlicesOfCluster, setOfPorts } from '../../merge/slice-limit.ts';
import type { RemoteService } from './read-imports.ts';

/**
 * The import with no more slices of another cluster than one needs: each set of ports of an IP family becomes an EndpointSlice here, or several, and a
 * member can export a set for each endpoint. The endpoints of the first sets, in the order of the leader, are used. The own Pods are the own cluster's
 * business. A list that an Antrea leader has merged has its own limit (`merge/read-endpoints.ts`): it is of all clusters.
 */
export function withinSliceLimit(remote: RemoteService, ownClusterID: string | undefined): RemoteService {
  const problems = [...remote.problems];
  const perCluster = [...remote.perCluster].map(([clusterID, slices]) => {
    const sets = clusterID === ownClusterID ? [] : [...new Set(slices.map(setOf))];
    if (sets.length <= maxSlicesOfCluster) return [clusterID, slices] as const;
    problems.push(
      `cluster ${clusterID} exports endpoints with ${sets.length} sets of ports; those after the first ${maxSlicesOfCluster} are left out`,
    );
    const used = new Set(sets.slice(0, maxSlicesOfCluster));
    return [clusterID, slices.filter((slice) => used.has(setOf(slice)))] as const;
  });
  return problems.length === remote.problems.length ? remote : { ...remote, perCluster: new Map(perCluster), problems };
}

function setOf({ addressType, ports = [] }: EndpointSlicePayload): string {
  return setOfPorts(addressType, ports);
}
