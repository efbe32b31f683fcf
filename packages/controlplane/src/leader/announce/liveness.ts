import { disconnectedAfterMs } from '@isthmus/wire';

/** When this process last saw a member's announcement change, by its own monotonic clock. */
export interface Sighting {
  /** The part that changes with each heartbeat: uid and `touch-ts`. */
  readonly beat: string;
  readonly atMs: number;
  /**
   * Whether it was seen to change. The first look does not show when the member last sent a
   * heartbeat.
   */
  readonly seenBeating: boolean;
}

/**
 * The sighting after a look at `beat` now. If the beat is unchanged, the time stays. The first look
 * counts as fresh, because a restarted leader has no other information.
 */
export function sight(previous: Sighting | undefined, beat: string, nowMs: number): Sighting {
  return previous?.beat === beat ? previous : { beat, atMs: nowMs, seenBeating: previous !== undefined };
}

export type Liveness =
  /** `isHeard`: a heartbeat was seen. Otherwise a restarted leader has no other information. */
  | { readonly kind: 'connected'; readonly untilMs: number; readonly isHeard: boolean }
  | { readonly kind: 'disconnected'; readonly silentMs: number };

/**
 * Whether the member counts as connected. `untilMs` is the monotonic time at which that ends
 * without another heartbeat.
 */
export function livenessOf(sighting: Sighting, nowMs: number): Liveness {
  const silentMs = nowMs - sighting.atMs;
  return silentMs <= disconnectedAfterMs
    ? { kind: 'connected', untilMs: sighting.atMs + disconnectedAfterMs, isHeard: sighting.seenBeating }
    : { kind: 'disconnected', silentMs };
}

export interface ForgetInput {
  readonly sighting: Sighting;
  readonly nowMonotonicMs: number;
  /** Wall clock of the leader, epoch milliseconds. */
  readonly nowMs: number;
  /**
   * `touch-ts` as epoch milliseconds: the member's wall clock. Undefined if absent or unparsable.
   */
  readonly touchedMs: number | undefined;
  /** metadata.creationTimestamp: the clock of the leader's API server. */
  readonly createdMs: number | undefined;
  /** See `silence.ts`. */
  readonly forgottenAfterMs: number;
}

/**
 * Whether a silent member is to be removed.
 *
 * If this process has received a heartbeat from it, it is removed after its time (24 h) of silence
 * on the monotonic clock. So a wrong wall clock, of the member or the leader, cannot shorten the
 * time (defect B15). If a restarted leader has not, the last timestamp must be 24 h old and the
 * member must count as disconnected. If the timestamp is in the future or missing, only the
 * observed time counts.
 */
export function isForgotten(input: ForgetInput): boolean {
  const { forgottenAfterMs } = input;
  const silentMs = input.nowMonotonicMs - input.sighting.atMs;
  if (input.sighting.seenBeating) return silentMs > forgottenAfterMs;
  if (silentMs <= disconnectedAfterMs) return false;
  const lastMs = input.touchedMs ?? input.createdMs;
  const stampAgeMs = lastMs === undefined || lastMs > input.nowMs ? silentMs : input.nowMs - lastMs;
  return stampAgeMs > forgottenAfterMs;
}
