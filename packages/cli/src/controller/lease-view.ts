import type { Client } from '@isthmus/kube';
import { isAlreadyExists, isConflict, isDatabaseFull, isNotFound } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';

/** The state of the Lease as a candidate knows it. */
export type LeaseView =
  | { readonly kind: 'unseen' }
  /** It can be read and written. Another replica leads, or none yet. */
  | { readonly kind: 'seen'; readonly isWritten: boolean }
  | { readonly kind: 'failing'; readonly why: string; readonly isFull: boolean }
  /** It can't be created, because the Namespace does not exist. */
  | { readonly kind: 'homeless'; readonly why: string };

/**
 * A client for leader election that reports the result of each call. A Lease that does not exist,
 * or that another replica writes at the same time, is not a failure.
 */
export function watchingLease(client: Client, onView: (view: LeaseView) => void): Client {
  const seen =
    (isWritten: boolean) =>
    <T>(object: T): T => {
      onView({ kind: 'seen', isWritten });
      return object;
    };
  const failed =
    (viewOf: (error: unknown) => 'failing' | 'homeless' | undefined) =>
    (error: unknown): never => {
      const kind = viewOf(error);
      const why = isDatabaseFull(error) ? `${databaseFull} Error: ${errorMessage(error)}` : errorMessage(error);
      if (kind !== undefined) onView({ kind, why, isFull: isDatabaseFull(error) });
      throw error;
    };
  const failedGet = failed((error) => (isNotFound(error) ? undefined : 'failing'));
  const failedCreate = failed((error) =>
    isAlreadyExists(error) ? undefined : isNotFound(error) ? 'homeless' : 'failing',
  );
  const failedUpdate = failed((error) => (isConflict(error) || isNotFound(error) ? undefined : 'failing'));
  return {
    ...client,
    get: (type, ref, options) => client.get(type, ref, options).then(seen(false), failedGet),
    create: (type, object, options) => client.create(type, object, options).then(seen(true), failedCreate),
    update: (type, object, options) => client.update(type, object, options).then(seen(true), failedUpdate),
  };
}

const databaseFull =
  'the database of the API server is full, so nothing can be written: compact and defragment etcd, and disarm its alarm.';
