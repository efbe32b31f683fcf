/** How long to wait for the leader's answer. */
const usualMs = 5_000;
/**
 * How long the setup of a session may take. A cluster with many objects on a busy machine needs
 * this at each restart.
 */
const connectingMs = 10_000;
/** How long to wait if the leader keeps answering other exports: it is working through many. */
const longestMs = 120_000;

export interface PatienceInput {
  readonly nowMs: number;
  /** When this export began to wait. */
  readonly sinceMs: number;
  /** When the leader last answered any export; undefined if it never did. */
  readonly answeredMs: number | undefined;
  /** The session is being set up, and no problem with it is known. */
  readonly connecting: boolean;
}

/**
 * Whether to report on a ServiceExport that it waits for the leader. This is not reported at once:
 * usually the answer arrives soon, and a report costs one more status write for each export. All
 * times are from one monotonic clock.
 */
export function isPatienceOver({ nowMs, sinceMs, answeredMs, connecting }: PatienceInput): boolean {
  if (nowMs - sinceMs >= longestMs) return true;
  const quietMs = nowMs - Math.max(sinceMs, answeredMs ?? sinceMs);
  return quietMs >= (connecting ? connectingMs : usualMs);
}

/**
 * How long a leader may merge nothing, and leave heartbeats unanswered, before it is overdue.
 */
export const overdueMs = 60_000;

/** How often to look again at an export that waits and that no event wakes, in milliseconds. */
export const patienceCheckMs = 2_000;
