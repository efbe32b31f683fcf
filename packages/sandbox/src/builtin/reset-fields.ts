import { exceptFields, fieldElement } from '@isthmus/machinery';
import type { TrackOptions } from '@isthmus/machinery';

/** Nobody owns what a write leaves as it was: the status, or, of a write of the status, the spec. */
export function specOrStatus(subresource: string | undefined): Pick<TrackOptions, 'resetFields'> {
  const left = subresource === 'status' ? 'spec' : 'status';
  return { resetFields: exceptFields([[fieldElement(left)]]) };
}
