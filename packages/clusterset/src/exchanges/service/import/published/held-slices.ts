import type { EndpointSlice, EndpointSlicePayload } from '@isthmus/api';
import { sourceClusterOf } from '../../local/slice-origin.ts';

/** What stands here of each source cluster, in the form in which leaders publish it; slices without a source cluster are left out. */
export function standingEndpoints(
  slices: readonly EndpointSlice[],
): ReadonlyMap<string, readonly EndpointSlicePayload[]> {
  const bySource = Map.groupBy(slices, (slice) => sourceClusterOf(slice) ?? '');
  bySource.delete('');
  return new Map(
    [...bySource].map(([clusterID, ofSource]) => [
      clusterID,
      ofSource.flatMap(({ addressType, endpoints, ports }) =>
        addressType === 'FQDN' ? [] : [{ addressType, endpoints: endpoints ?? [], ports: ports ?? [] }],
      ),
    ]),
  );
}
