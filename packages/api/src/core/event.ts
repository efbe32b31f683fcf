import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';
import type { ObjectReference } from './built-in.ts';

/** core/v1 Event. */
export interface Event extends KubernetesObject {
  readonly involvedObject: ObjectReference;
  readonly type?: 'Normal' | 'Warning' | undefined;
  readonly reason?: string | undefined;
  /** At most 1024 bytes. */
  readonly message?: string | undefined;
  readonly action?: string | undefined;
  readonly count?: number | undefined;
  readonly firstTimestamp?: string | null | undefined;
  readonly lastTimestamp?: string | null | undefined;
  /** RFC 3339 with microseconds. */
  readonly eventTime?: string | null | undefined;
  readonly series?: { readonly count?: number | undefined; readonly lastObservedTime?: string | undefined } | undefined;
  readonly source?: { readonly component?: string | undefined; readonly host?: string | undefined } | undefined;
  readonly related?: ObjectReference | undefined;
  readonly reportingComponent?: string | undefined;
  readonly reportingInstance?: string | undefined;
}

export const Event = builtIn<Event>({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  statusSubresource: false,
});
