import type { Client } from '@isthmus/kube';
import { isAlreadyExists, isConflict, isNotFound } from '@isthmus/kube';

/** What a candidate knows of its Lease. */
export type LeaseView =
  | { readonly kind: 'unseen' }
  /** It can be read and written; another leads, or nobody does yet. */
  | { readonly kind: 'seen' }
  | { readonly kind: 'failing'; readonly why: string };

/**
 * A client for leader election that tells what comes of each call. A Lease that is not there, or that another writes at the same
 * time, is no failure; a create that finds no Namespace to create it in is.
 */
export function watchingLease(client: Client, onView: (view: LeaseView) => void): Client {
  const seen = <T>(object: T): T => {
    onView({ kind: 'seen' });
    return object;
  };
  const failed = (error: unknown): never => {
    onView({ kind: 'failing', why: error instanceof Error ? error.message : String(error) });
    throw error;
  };
  const unlessExpected = (isExpected: (error: unknown) => boolean) => (error: unknown): never => {
    if (isExpected(error)) throw error;
    return failed(error);
  };
  return {
    ...client,
    get: (type, ref, options) => client.get(type, ref, options).then(seen, unlessExpected(isNotFound)),
    create: (type, object, options) => client.create(type, object, options).then(seen, unlessExpected(isAlreadyExists)),
    update: (type, object, options) => client.update(type, object, options).then(seen, unlessExpected(isTakenMeanwhile)),
  };
}

function isTakenMeanwhile(error: unknown): boolean {
  return isConflict(error) || isNotFound(error);
}
