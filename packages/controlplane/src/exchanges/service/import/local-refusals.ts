import {
  ApiError,
  blocked,
  isAlreadyExists,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
  isNotServed,
  isRejected,
} from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { applyDefinitions } from '../../../process/apply-again.ts';
import type { Obstacle, Problem } from './decide.ts';

/**
 * The API server repeats this answer until a user acts. Method Not Allowed: a CRD lacks a verb or
 * subresource.
 */
const isFinal = (error: ApiError) => error.code === 405 || isRejected(error);
/** How long any other failure may last before it is reported: it may pass by itself. */
const patienceMs = 3_000;
/** How often to retry. No watch shows that a policy, a quota or a role was fixed. */
const refusedAgainMs = 10_000;

/** Writes for imports that the own API server has rejected, by their keys. */
export interface LocalRefusals {
  /**
   * Converts a failed write of the import `key` into a problem to report. A final answer is
   * reported at once, any other failure once failures have lasted for three seconds. Throws `error`
   * if it is not an answer of the API server, or if it may still pass.
   */
  problemOf(key: string, error: unknown): Obstacle;
  /** The writes for `key` have succeeded. */
  clear(key: string): void;
}

/** Its only memory is since when writes fail. A restart loses it, which costs three seconds. */
export function createLocalRefusals(clock: Clock): LocalRefusals {
  const failingSince = new Map<string, number>();
  return {
    problemOf(key, error) {
      if (!(error instanceof ApiError) || isRace(error)) throw error;
      const now = clock.monotonic();
      const since = failingSince.get(key) ?? now;
      failingSince.set(key, since);
      if (!isFinal(error) && now - since < patienceMs) throw error;
      return { reason: 'WriteRejected', message: messageOf(error) };
    },
    clear: (key) => void failingSince.delete(key),
  };
}

/** Blocked, with a retry: no source shows when this cluster's API server would accept the write. */
export function retried({ reason, message, lookAgainMs = refusedAgainMs }: Problem) {
  return blocked(reason, message, { lookAgainMs });
}

/** The cache was outdated: the next look decides again. */
function isRace(error: ApiError): boolean {
  return isConflict(error) || isAlreadyExists(error) || isNotFound(error) || isNamespaceTerminating(error);
}

function messageOf(error: ApiError): string {
  if (isNotServed(error))
    return `The API server of this cluster does not serve a kind that an import needs: ${error.message}. Run: ${applyDefinitions('member')}`;
  return `The API server of this cluster rejects a write of the import: ${error.message}. Correct the admission policy, the quota or the role that the answer names; the write is tried again every ${refusedAgainMs / 1000} s.`;
}
