import type { EndpointSlice } from '@isthmus/api';
import { Label } from '@isthmus/api';

/** The controller of Karmada that copies the slices of other clusters beside those of a Service. */
const karmadaDispatch = 'endpointslice-dispatch-controller.karmada.io';

/**
 * The label by which another tool marks a slice of an own Service as one of another cluster, as
 * `key=value`. Undefined: its endpoints are of this cluster.
 */
export function foreignMark({ metadata: { labels = {} } }: EndpointSlice, ownClusterID: string): string | undefined {
  const source = labels[Label.mcsSourceCluster];
  if (source !== undefined && source !== ownClusterID) return `${Label.mcsSourceCluster}=${source}`;
  const manager = labels[Label.sliceManagedBy];
  return manager === karmadaDispatch ? `${Label.sliceManagedBy}=${manager}` : undefined;
}
