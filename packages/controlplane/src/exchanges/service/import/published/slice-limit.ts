import type { EndpointSlicePayload } from '@isthmus/api';
import { maxSlicesOfCluster, setOfPorts } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';

/**
 * The import with a limited number of slices per other cluster. Each set of ports of an IP family
 * becomes one or more EndpointSlices here, and a member can export one set for each endpoint. The
 * endpoints of the first sets are used, in the order of the leader. The own Pods are not limited
 * here.
 *
 * A list that an Antrea leader has merged contains all clusters. It has its own limit
 * (`read-endpoints.ts` of the merge).
 */
export function withinSliceLimit(remote: RemoteService, ownClusterID: string | undefined): RemoteService {
  const problems = [...remote.problems];
  const perCluster = [...remote.perCluster].map(([clusterID, published]) => {
    const slices = clusterID === ownClusterID ? published : withinPodLimit(clusterID, published, problems);
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

/** The same limit for the Pods behind ClusterIPs, which have their own slices. */
function withinPodLimit(
  clusterID: string,
  slices: readonly EndpointSlicePayload[],
  problems: string[],
): readonly EndpointSlicePayload[] {
  const count = slices.reduce((sum, { pods = [] }) => sum + pods.length, 0);
  if (count <= maxSlicesOfCluster) return slices;
  problems.push(
    `cluster ${clusterID} exports Pods with ${count} sets of ports; those after the first ${maxSlicesOfCluster} are left out`,
  );
  let left = maxSlicesOfCluster;
  return slices.map((slice) => {
    const pods = (slice.pods ?? []).slice(0, left);
    left -= pods.length;
    return { ...slice, pods };
  });
}

function setOf({ addressType, ports = [] }: EndpointSlicePayload): string {
  return setOfPorts(addressType, ports);
}
