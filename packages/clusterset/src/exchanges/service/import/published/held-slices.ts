import type { EndpointSlice, EndpointSlicePayload } from '@isthmus/api';
import { sourceClusterOf } from '../../local/slice-origin.ts';

/**
 * What stands here of each source cluster, in the form in which leaders publish it; slices without a source cluster are left out. `pods`: the slices with
 * the Pods behind them.
 */
export function standingEndpoints(
  slices: readonly EndpointSlice[],
  pods: readonly EndpointSlice[] = [],
): ReadonlyMap<string, readonly EndpointSlicePayload[]> {
  const bySource = Map.groupBy(slices, (slice) => sourceClusterOf(slice) ?? '');
  bySource.delete('');
  return new Map(
    [...bySource].map(([clusterID, ofSource]) => [
      clusterID,
      ofSource.flatMap(({ addressType, endpoints, ports }, index) => {
        if (addressType === 'FQDN') return [];
        const isFirst = ofSource.findIndex((one) => one.addressType === addressType) === index;
        const behind = pods.filter(
          (one) => isFirst && one.addressType === addressType && sourceClusterOf(one) === clusterID,
        );
        const held = behind.map((one) => ({ endpoints: one.endpoints ?? [], ports: one.ports ?? [] }));
        const slice = { addressType, endpoints: endpoints ?? [], ports: ports ?? [] };
        return [held.length === 0 ? slice : { ...slice, pods: held }];
      }),
    ]),
  );
}
