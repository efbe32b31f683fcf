import type { EventReason, StatusDefinition } from '@isthmus/api';
import { eventTypeOf } from '@isthmus/api';
import type { EventRecorder } from '@isthmus/kube';
import type { Clock, KubernetesObject } from '@isthmus/machinery';

/**
 * Events with defined reasons: a reason that the definition does not list for Events does not
 * compile.
 */
export interface Reports {
  /**
   * Records an Event about `object`; its type follows from the severity of the reason. Returns at
   * once.
   */
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

/** Problems that keep a key from being finished, as Events of an object that a user looks at. */
export interface OngoingReports<D extends StatusDefinition> {
  /**
   * Called after every reconcile of `key`. Reports `problem` on `object` when it begins or changes,
   * and again after half an hour, because Events expire. Undefined `problem`: it is over.
   */
  note(key: string, object: KubernetesObject | undefined, problem: OngoingProblem<D> | undefined): void;
}

export interface OngoingProblem<D extends StatusDefinition> {
  readonly reason: EventReason<NoInfer<D>>;
  readonly message: string;
}

/** By default, an API server keeps Events for an hour. */
export const repeatedAfterMs = 30 * 60_000;

/**
 * Otherwise each look would count as another occurrence, and use up the quota of Events for the
 * object.
 */
export function createOngoingReports<D extends StatusDefinition>(
  reports: Reports,
  definition: D,
  clock: Clock,
): OngoingReports<D> {
  const reported = new Map<string, { readonly what: string; readonly atMs: number }>();
  return {
    note(key, object, problem) {
      if (problem === undefined) {
        reported.delete(key);
        return;
      }
      if (object === undefined) return;
      const { kind, metadata } = object;
      const what = JSON.stringify([kind, metadata.uid, metadata.name, problem.reason, problem.message]);
      const before = reported.get(key);
      const nowMs = clock.monotonic();
      if (before?.what === what && nowMs - before.atMs < repeatedAfterMs) return;
      reported.set(key, { what, atMs: nowMs });
      reports.report(object, definition, problem);
    },
  };
}
