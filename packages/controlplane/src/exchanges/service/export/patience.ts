/** How long the leader's answer is awaited. */
const usualMs = 5_000;
/** How long a session may take to be set up: a cluster with many objects on a busy machine needs its time, at each restart. */
const connectingMs = 10_000;
/** A leader that goes on answering other exports is working through many; each is then awaited for this long. */
const longestMs = 120_000;

export interface PatienceInput {
  readonly nowMs: number;
  /** When this export began to wait. */
  readonly sinceMs: number;
  /** When the leader last answered any export; undefined where it has not. */
  readonly answeredMs: number | undefined;
  /** The session is being set up, and nothing is known to be wrong with it. */
  readonly connecting: boolean;
}

/**
 * Whether a ServiceExport is to be told that it waits for the leader. Not at once: in the usual case the answer comes, and telling costs a status
 * write more for each export. All times are of one monotonic clock.
 */
export function isPatienceOver({ nowMs, sinceMs, answeredMs, connecting }: PatienceInput): boolean {
  if (nowMs - sinceMs >= longestMs) return true;
  const quietMs = nowMs - Math.max(sinceMs, answeredMs ?? sinceMs);
  return quietMs >= (connecting ? connectingMs : usualMs);
}

/** After how long a leader that merges nothing, and does not answer heartbeats either, is taken for stuck. */
export const overdueMs = 60_000;

/** After how many milliseconds a waiting export is looked at again, where nothing wakes it before. */
export const patienceCheckMs = 2_000;
