import type { EventReason, StatusDefinition } from '@isthmus/api';
import { eventTypeOf } from '@isthmus/api';
import type { EventRecorder } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';

/** Events whose reasons are defined: a reason that the definition does not list for Events does not compile. */
export interface Reports {
  /** Records an Event about `object`; its type follows from the severity of the reason. Returns at once. */
  report<D extends StatusDefinition>(
    object: KubernetesObject,
    definition: D,
    note: { readonly reason: EventReason<NoInfer<D>>; readonly message: string },
  ): void;
}

export function createReports(events: EventRecorder): Reports {
  return {
    report(object, definition, { reason, message }) {
      const severity = definition.reasons[reason]?.severity ?? 'warning';
      events.event(object, { type: eventTypeOf(severity), reason, message });
    },
  };
}
