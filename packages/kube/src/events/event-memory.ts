import type { Event, ObjectReference } from '@isthmus/api';
import type { ObjectRef } from '@isthmus/machinery';

/** The same thing reported several times: one Event on the server. */
export interface EventAggregate {
  /** The Event as it was first reported. */
  readonly event: Event;
  /** Monotonic time of the last report. */
  reportedAtMs: number;
  count: number;
  /** Wall time of the last report. */
  lastMs: number;
  /** The name of the Event on the server, once it exists. */
  written: ObjectRef | undefined;
  /** In the queue of the writer. */
  isWaiting: boolean;
}

/** The fields by which two reports are the same Event. */
export interface EventIdentity {
  readonly involvedObject: ObjectReference;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export interface EventMemory {
  /**
   * Whether one more Event with the reason may be reported about the object now; counts it if so.
   */
  allows(object: ObjectReference, reason: string, nowMs: number): boolean;
  /**
   * The aggregate of this identity, begun with `first` where it was not reported in the last ten
   * minutes.
   */
  aggregate(identity: EventIdentity, nowMs: number, first: () => Event): EventAggregate;
}

const TOGETHER_MS = 600_000;
const MOST_AGGREGATES = 1_000;
const MOST_BUDGETS = 1_000;
const BURST = 25;
const REFILL_MS = 300_000;

/**
 * Remembers what was reported lately, of at most 1,000 reasons on objects and 1,000 different
 * reports; the longest unused are forgotten.
 */
export function createEventMemory(): EventMemory {
  const aggregates = new Map<string, EventAggregate>();
  const budgets = new Map<string, { tokens: number; atMs: number }>();
  return {
    allows(object, reason, nowMs) {
      const key = JSON.stringify([object.kind, object.namespace, object.name, object.uid, reason]);
      const budget = budgets.get(key) ?? { tokens: BURST, atMs: nowMs };
      touch(budgets, key, budget, MOST_BUDGETS);
      budget.tokens = Math.min(BURST, budget.tokens + (nowMs - budget.atMs) / REFILL_MS);
      budget.atMs = nowMs;
      if (budget.tokens < 1) return false;
      budget.tokens -= 1;
      return true;
    },
    aggregate({ involvedObject, type, reason, message }, nowMs, first) {
      const { kind, namespace, name, uid } = involvedObject;
      const key = JSON.stringify([kind, namespace, name, uid, type, reason, message]);
      const known = aggregates.get(key);
      const fits = known !== undefined && nowMs - known.reportedAtMs < TOGETHER_MS;
      const aggregate = fits
        ? known
        : { event: first(), reportedAtMs: nowMs, count: 0, lastMs: 0, written: undefined, isWaiting: false };
      aggregate.reportedAtMs = nowMs;
      touch(aggregates, key, aggregate, MOST_AGGREGATES);
      return aggregate;
    },
  };
}

/** Puts the entry at the end of the map, and drops the first ones where there are too many. */
function touch<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
