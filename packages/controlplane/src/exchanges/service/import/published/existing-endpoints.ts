import type { EndpointSlice, EndpointSlicePayload } from '@isthmus/api';
import { sliceSourceOf, withPodsBehind } from '@isthmus/wire';

/**
 * The existing endpoints of each source cluster, in the form in which leaders publish them. Slices
 * without a source cluster are left out. `pods`: the slices with the Pods behind them.
 */
export function existingEndpoints(
  slices: readonly EndpointSlice[],
  pods: readonly EndpointSlice[] = [],
): ReadonlyMap<string, readonly EndpointSlicePayload[]> {
  const bySource = Map.groupBy(slices, (slice) => sliceSourceOf(slice) ?? '');
  bySource.delete('');
  const podsOf = Map.groupBy(pods, sliceSourceOf);
  return new Map(
    [...bySource].map(([clusterID, ofSource]) => [
      clusterID,
      withPodsBehind(published(ofSource), published(podsOf.get(clusterID) ?? [])),
    ]),
  );
}

function published(slices: readonly EndpointSlice[]): readonly EndpointSlicePayload[] {
  return slices.flatMap(({ addressType, endpoints, ports }) =>
    addressType === 'FQDN' ? [] : [{ addressType, endpoints: endpoints ?? [], ports: ports ?? [] }],
  );
}
