import type { LostReason, SessionState } from '../../own-cluster/session-state.ts';

/**
 * A failed heartbeat is repeated after {@link retryMs}. This many failures in a row make the
 * session disconnected (docs/spec/membership.md §3).
 */
export const failuresUntilDisconnected = 3;
/** Antrea's interval. */
const beatMs = 10_000;
/**
 * A leader of Isthmus misses a member after half a minute: one lost heartbeat is repeated in time.
 */
const answeredBeatMs = 15_000;
export const retryMs = 2_000;

/**
 * For how long a leader has to deny heartbeats before the denial counts. An API server that has
 * just started denies what its roles allow, until it has read them: 2 to 3.2 s on real ones.
 */
const believedAfterMs = 5_000;

export interface BeatHistory {
  readonly state: SessionState;
  readonly failures: number;
  /** Since when each answer has been a denial that may pass, by the monotonic clock. */
  readonly deniedSinceMs?: number | undefined;
}

export const firstBeat: BeatHistory = { state: { kind: 'connecting' }, failures: 0 };

export type BeatResult =
  | { readonly kind: 'answered' }
  /** Conflict, throttling, timeouts, broken connections: likely to pass. */
  | { readonly kind: 'failed'; readonly why: string }
  /**
   * The leader denied the request: 401, 403, or an announcement that belongs to another ClusterSet.
   * `mayPass`: the API server may not have read its roles yet.
   */
  | {
      readonly kind: 'refused';
      readonly reason: Exclude<LostReason, 'Disconnected'>;
      readonly why: string;
      readonly mayPass?: true | undefined;
    };

/**
 * The history after one more heartbeat, at `nowMs` of the monotonic clock. Before the first answer,
 * a failure keeps the state `connecting`, with the reason.
 */
export function afterBeat(history: BeatHistory, result: BeatResult, nowMs: number): BeatHistory {
  switch (result.kind) {
    case 'answered':
      return { state: { kind: 'connected' }, failures: 0 };
    case 'refused': {
      const deniedSinceMs = history.deniedSinceMs ?? nowMs;
      if (result.mayPass === true && nowMs - deniedSinceMs < believedAfterMs)
        return { state: history.state, failures: history.failures + 1, deniedSinceMs };
      return {
        state: { kind: 'disconnected', reason: result.reason, why: result.why },
        failures: history.failures + 1,
        ...(result.mayPass === true && { deniedSinceMs }),
      };
    }
    case 'failed': {
      const failures = history.failures + 1;
      if (failures >= failuresUntilDisconnected) {
        return { state: { kind: 'disconnected', reason: 'Disconnected', why: result.why }, failures };
      }
      const state: SessionState =
        history.state.kind === 'connecting' ? { kind: 'connecting', why: result.why } : history.state;
      return { state, failures };
    }
  }
}

/**
 * How long until the next heartbeat: soon after a failure, otherwise the usual interval of the
 * leader. `answers`: whether it answers heartbeats.
 */
export function nextBeatMs(history: BeatHistory, answers: boolean | undefined): number {
  if (history.failures > 0) return retryMs;
  return answers === true ? answeredBeatMs : beatMs;
}
