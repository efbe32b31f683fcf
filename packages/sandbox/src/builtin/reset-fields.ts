import { exceptFields } from '../ownership/field-set.ts';
import { fieldElement } from '../ownership/path-element.ts';
import type { TrackOptions } from '../ownership/track-update.ts';

/**
 * The part that a write does not change has no field manager: the status, or, for a write of the
 * status, the spec.
 */
export function specOrStatus(subresource: string | undefined): Pick<TrackOptions, 'resetFields'> {
  const left = subresource === 'status' ? 'spec' : 'status';
  return { resetFields: exceptFields([[fieldElement(left)]]) };
}
