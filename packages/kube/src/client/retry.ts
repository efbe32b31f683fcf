import type { Status } from '@isthmus/machinery';
import type { ApiRequest } from '../transport/transport.ts';

/** A rejected request, and the remaining attempts and time. */
export interface Refusal {
  readonly method: ApiRequest['method'];
  readonly code: number;
  /** The delay that the server asked for; undefined if it asked for none. */
  readonly retryAfterMs: number | undefined;
  /** How often the request was sent so far. */
  readonly attempts: number;
  /** The rest of the call's timeout. */
  readonly remainingMs: number;
}

/**
 * Returns after how many milliseconds a rejected request is sent again, or undefined if it is not
 * sent again.
 *
 * Only requests that the server asks to repeat by Retry-After are sent again. A 429 means that
 * nothing was processed, so every verb may repeat it. A 503 may come from behind a proxy that had
 * already passed the request on, so only reads repeat it. At most five times, never beyond the
 * call's timeout, never sooner than 100 ms.
 */
export function decideRetry(refusal: Refusal): number | undefined {
  if (refusal.retryAfterMs === undefined || refusal.attempts > maxRetries) return undefined;
  const repeatable = refusal.code === 429 || (refusal.code === 503 && refusal.method === 'GET');
  const waitMs = Math.max(refusal.retryAfterMs, leastWaitMs);
  return repeatable && waitMs < refusal.remainingMs ? waitMs : undefined;
}

/**
 * Milliseconds that a `Retry-After` header asks for: seconds or a date (RFC 9110 §10.2.3);
 * undefined for any other text. At most ten minutes: a server cannot silence its callers for
 * longer.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : httpDate.test(header) ? Date.parse(header) - nowMs : NaN;
  return Number.isNaN(ms) ? undefined : bounded(ms);
}

/** Milliseconds that the details of a Status ask for, within the same bound. */
export function retryAfterOf(status: Status): number | undefined {
  const seconds = status.details?.retryAfterSeconds;
  return seconds === undefined ? undefined : bounded(seconds * 1000);
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, ms), longestWaitMs);
}

const httpDate = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const longestWaitMs = 600_000;
const maxRetries = 5;
const leastWaitMs = 100;
