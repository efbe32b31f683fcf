import type { EndpointSlice } from '@isthmus/api';
import { keyOf } from '@isthmus/machinery';

/** The key of the Service of a slice; none if the slice has another manager. */
export function serviceOfSlice({ metadata }: EndpointSlice, manager: string): readonly string[] {
  const { namespace, labels = {} } = metadata;
  const name = labels['kubernetes.io/service-name'];
  return name === undefined || labels['endpointslice.kubernetes.io/managed-by'] !== manager
    ? []
    : [keyOf({ namespace, name })];
}
