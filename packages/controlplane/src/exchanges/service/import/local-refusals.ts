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

/** The API server gives this answer until somebody acts. Method Not Allowed: a verb or subresource that a definition lacks. */
const isFinal = (error: ApiError) => error.code === 405 || isRejected(error);
/** For how long any other failure may be expected to pass by itself. */
const patienceMs = 3_000;
/** No watch shows that a policy, a quota or a role was mended: so often it is tried again. */
const refusedAgainMs = 10_000;

/** What the own API server has refused to write for imports, by their keys. */
export interface LocalRefusals {
  /**
   * What a failed write means for the import `key`: a problem to report, at once where the answer is final, and where others have lasted for three
   * seconds. Throws `error` where it is not an answer of the API server, or may still pass.
   */
  problemOf(key: string, error: unknown): Obstacle;
  /** The writes for `key` have succeeded. */
  clear(key: string): void;
}

/** The only memory is since when writes fail; losing it costs three seconds. */
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

/** Blocked, and tried again: no source shows that the API server of this cluster has become willing. */
export function retried({ reason, message, lookAgainMs = refusedAgainMs }: Problem) {
  return blocked(reason, message, { lookAgainMs });
}

/** The cache was behind: the next look decides anew. */
function isRace(error: ApiError): boolean {
  return isConflict(error) || isAlreadyExists(error) || isNotFound(error) || isNamespaceTerminating(error);
}

function messageOf(error: ApiError): string {
  if (isNotServed(error))
    return `The API server of this cluster does not serve a kind that an import needs: ${error.message}. Run: ${applyDefinitions('member')}`;
  return `The API server of this cluster rejects a write of the import: ${error.message}. Correct the admission policy, the quota or the role that the answer names; the write is tried again every ${refusedAgainMs / 1000} s.`;
}
