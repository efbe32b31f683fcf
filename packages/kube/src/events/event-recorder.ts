import { Event } from '@isthmus/api';
import type { ObjectReference } from '@isthmus/api';
import type { Clock, KubernetesObject, Random } from '@isthmus/machinery';
import { apiVersionOf, rfc3339 } from '@isthmus/machinery';
import type { Client } from '../client/client.ts';
import { isNotFound } from '../client/errors.ts';
import type { EventAggregate } from './event-memory.ts';
import { createEventMemory } from './event-memory.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { noMetrics } from '../metrics/metrics.ts';
import { errorText } from '../log/error-text.ts';
import type { Access } from '../controller/access.ts';

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** The reporting component, as `isthmus-member`. */
  readonly component: string;
  /** Which instance of it, as the name of the Pod. */
  readonly instance: string;
  /** Ends the recorder: what has not been written by then is dropped. */
  readonly signal: AbortSignal;
}

export interface EventRecorder {
  /**
   * Reports something about an object, for `kubectl describe`. Returns at once; the Event is
   * written in the background as well as it goes. What can't be written is counted and logged at
   * debug.
   */
  event(object: KubernetesObject, note: EventNote): void;
  /** Resolves when everything reported so far is written or dropped. */
  flushed(): Promise<void>;
}

export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, from a closed set: the reason of the condition that reports the same. */
  readonly reason: string;
  /** Human-readable; cut at 1,024 bytes. */
  readonly message: string;
  /** The action that was done or tried, UpperCamelCase. */
  readonly action?: string | undefined;
}

/** The access that a recorder needs, for objects of its own Namespace or of all. */
export function eventAccess(scope: Access['scope']): readonly Access<'local'>[] {
  return [{ at: 'local', type: Event, scope, verbs: ['create', 'patch'] }];
}

/** Events that wait to be written. */
const MOST_WAITING = 500;
const MOST_MESSAGE_BYTES = 1_024;
/** Name and suffix of an Event together are a DNS subdomain. */
const LONGEST_NAME = 253;

/**
 * Records core/v1 Events. The same Event reported again within ten minutes raises the `count` of
 * the existing Event. A reason that is reported too often about one object (more than 25 at once
 * and one each five minutes, client-go's bound) is dropped; other reasons are not.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock, random, log, metrics = noMetrics, component, instance, signal } = options;
  const memory = createEventMemory();
  const waiting: EventAggregate[] = [];
  let writing: Promise<void> | undefined;

  const drop = (reason: 'rate' | 'full' | 'failed', fields: Readonly<Record<string, unknown>>): void => {
    metrics.eventsDropped.inc({ reason });
    log.debug('an Event was not written', { why: reason, ...fields });
  };
  const write = async (aggregate: EventAggregate): Promise<void> => {
    const { event, written, count, lastMs } = aggregate;
    const lastTimestamp = rfc3339(lastMs);
    if (written !== undefined) {
      try {
        await client.patch(Event, written, { type: 'merge', body: { count, lastTimestamp } }, { signal });
        return;
      } catch (error) {
        // Events live for an hour by default.
        if (!isNotFound(error)) throw error;
      }
    }
    const created = await client.create(Event, { ...event, count, lastTimestamp }, { signal });
    aggregate.written = { namespace: created.metadata.namespace, name: created.metadata.name };
  };
  const writeAll = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      next.isWaiting = false;
      if (signal.aborted) continue;
      try {
        await write(next);
      } catch (error) {
        drop('failed', { reason: next.event.reason, error: errorText(error) });
      }
    }
    writing = undefined;
  };

  return {
    event(object, note) {
      if (signal.aborted) return;
      const now = clock.now();
      const involvedObject = referenceTo(object);
      const { reason, type, action } = note;
      const message = cutBytes(note.message, MOST_MESSAGE_BYTES);
      if (!memory.allows(involvedObject, reason, clock.monotonic())) return drop('rate', { reason });
      const aggregate = memory.aggregate({ involvedObject, type, reason, message }, clock.monotonic(), () => ({
        apiVersion: apiVersionOf(Event),
        kind: Event.kind,
        metadata: { name: eventName(object.metadata.name, random), namespace: involvedObject.namespace ?? 'default' },
        involvedObject,
        type,
        reason,
        message,
        ...(action === undefined ? {} : { action }),
        firstTimestamp: rfc3339(now),
        source: { component },
        reportingComponent: component,
        reportingInstance: instance,
      }));
      aggregate.count++;
      aggregate.lastMs = now;
      if (aggregate.isWaiting) return;
      if (waiting.length >= MOST_WAITING) return drop('full', { reason });
      aggregate.isWaiting = true;
      waiting.push(aggregate);
      writing ??= writeAll();
    },
    async flushed() {
      await writing;
    },
  };
}

function referenceTo(object: KubernetesObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid, resourceVersion };
}

/**
 * `<object>.<16 hexadecimal digits>`, as client-go names Events; there the digits are a time, here
 * they are random.
 */
function eventName(objectName: string, random: Random): string {
  const digits = () =>
    Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return `${objectName.slice(0, LONGEST_NAME - 17).replace(/[^a-z0-9]+$/, '')}.${digits()}${digits()}`;
}

/**
 * At most `most` bytes of UTF-8, with an ellipsis where something was cut; no character is split.
 */
function cutBytes(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  let end = most - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${new TextDecoder().decode(bytes.subarray(0, end))}…`;
}
