import { exceptFields } from '../ownership/field-set.ts';
import { fieldElement } from '../ownership/path-element.ts';
import type { TrackOptions } from '../ownership/track-update.ts';

/** Nobody owns what a write leaves as it was: the status, or, of a write of the status, the spec. */
export function specOrStatus(subresource: string | undefined): Pick<TrackOptions, 'resetFields'> {
  const left = subresource === 'status' ? 'spec' : 'status';
  return { resetFields: exceptFields([[fieldElement(left)]]) };
}
