import type { EndpointPort, EndpointSlicePayload, EndpointSubset } from '@isthmus/api';
import { compareResourceVersions } from '@isthmus/kube';
import { isReady } from '../../export/endpoints.ts';

/** The endpoints of one cluster, as its import has them. */
export interface ClusterPart {
  readonly resourceVersion: string | undefined;
  readonly slices: readonly EndpointSlicePayload[];
}

/** The endpoints of all clusters, as the merged import has them. */
export interface MergedPart {
  readonly resourceVersion: string | undefined;
  readonly subsets: readonly EndpointSubset[];
}

/**
 * What the merged import says of the imports of the single clusters. `current`: they are what the leader of today published. `stale`: somebody else
 * has written the merged one since. `incomplete`: it lists more than they do. `arriving`: so it does, but some of them are younger: either they are
 * on their way into it, or a leader of ours has only begun to publish them where one of Antrea was.
 *
 * A leader of ours writes them first and the merged import last, with their ready IPv4 addresses; only what it withdraws is gone from them a moment
 * earlier. An Antrea leader that took its place writes the merged one alone: the others stay as they were, whatever their labels say, and its
 * list is younger and differs. What cannot be compared counts as current.
 */
export function judgeParts(
  parts: readonly ClusterPart[],
  merged: MergedPart,
): 'current' | 'stale' | 'incomplete' | 'arriving' {
  if (parts.length === 0) return 'stale';
  const listed = new Set(
    merged.subsets.flatMap(({ addresses = [], ports = [] }) =>
      pairsOf(
        addresses.map(({ ip }) => ip),
        ports,
      ),
    ),
  );
  const older = parts.filter(
    ({ resourceVersion }) => (compareResourceVersions(resourceVersion, merged.resourceVersion) ?? 0) < 0,
  );
  const published = new Set(older.flatMap(({ slices }) => slices.flatMap(readyPairs)));
  if ([...published].some((pair) => !listed.has(pair))) return 'stale';
  const all = new Set(parts.flatMap(({ slices }) => slices.flatMap(readyPairs)));
  if (listed.isSubsetOf(all)) return 'current';
  return older.length < parts.length ? 'arriving' : 'incomplete';
}

function readyPairs({ addressType, endpoints, ports }: EndpointSlicePayload): readonly string[] {
  if (addressType !== 'IPv4') return [];
  return pairsOf(
    endpoints.filter(isReady).flatMap(({ addresses }) => addresses),
    ports ?? [],
  );
}

/** Each address on each port; of a port what both forms have of it. */
function pairsOf(
  addresses: readonly string[],
  ports: readonly Pick<EndpointPort, 'name' | 'protocol' | 'port'>[],
): readonly string[] {
  return addresses.flatMap((ip) =>
    ports.map(({ name = '', protocol = 'TCP', port = 0 }) => `${ip} ${name} ${protocol} ${port}`),
  );
}
