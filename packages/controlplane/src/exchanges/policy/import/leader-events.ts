import type { EventReason, ResourceImport as ResourceImportObject } from '@isthmus/api';
import { Event, ResourceImport, eventTypeOf, resourceImportStatus } from '@isthmus/api';
import type { Log, World } from '@isthmus/kube';
import { apiVersionOf, rfc3339 } from '@isthmus/machinery';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';

/** By default, an API server keeps Events for an hour. */
export const repeatMs = 30 * 60_000;
const longestMessage = 1_000;
const longestName = 253 - 17;

/** Reports of this member on the ResourceImports of its leader, like those of Antrea's members. */
export interface LeaderEvents {
  /** Reports why the import fails: once, and again after half an hour. */
  failed(object: ResourceImportObject, message: string, context: EventContext): Promise<void>;
  /** Reports that the import succeeded, if a failure was reported before. */
  succeeded(object: ResourceImportObject, message: string, context: EventContext): Promise<void>;
  /** Called when the import is gone. */
  forget(name: string): void;
}

interface EventContext {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Its memory is lost with the session; then a failure is reported once more. A member may create
 * Events on the leader, but not change them.
 */
export function createLeaderEvents({ client, spec }: LeaderSession, { clock, random }: World): LeaderEvents {
  const reported = new Map<string, { readonly message: string; readonly atMs: number }>();

  async function write(
    { metadata }: ResourceImportObject,
    reason: EventReason<typeof resourceImportStatus>,
    message: string,
    { signal, log }: EventContext,
  ): Promise<boolean> {
    const { namespace, name, uid } = metadata;
    const now = rfc3339(clock.now());
    const event: Event = {
      metadata: { name: `${name.slice(0, longestName)}.${digits()}${digits()}`, namespace },
      involvedObject: { apiVersion: apiVersionOf(ResourceImport), kind: ResourceImport.kind, namespace, name, uid },
      type: eventTypeOf(resourceImportStatus.reasons[reason].severity),
      reason,
      message: message.length > longestMessage ? `${message.slice(0, longestMessage - 1).toWellFormed()}…` : message,
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      reportingComponent: 'isthmus-member',
      reportingInstance: spec.clusterID,
      source: { component: 'isthmus-member' },
    };
    try {
      await client.create(Event, event, { signal });
      return true;
    } catch (error) {
      // The ClusterSet and the announcement of this member report the same.
      log.debug('an Event was not written on the leader', { name, reason, error: String(error) });
      return false;
    }
  }

  function digits(): string {
    return Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  }

  return {
    async failed(object, message, context) {
      const { name } = object.metadata;
      const before = reported.get(name);
      const nowMs = clock.monotonic();
      if (before?.message === message && nowMs - before.atMs < repeatMs) return;
      if (await write(object, 'ACNPImportFailed', message, context)) reported.set(name, { message, atMs: nowMs });
    },
    async succeeded(object, message, context) {
      if (!reported.delete(object.metadata.name)) return;
      await write(object, 'ACNPImported', message, context);
    },
    forget: (name) => void reported.delete(name),
  };
}
