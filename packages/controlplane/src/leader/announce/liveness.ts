import { disconnectedAfterMs } from '@isthmus/wire';

/** When this process last saw a member's announcement change, by its own monotonic clock. */
export interface Sighting {
  /** What changes with each heartbeat: uid and `touch-ts`. */
  readonly beat: string;
  readonly atMs: number;
  /** Whether it was seen to change; the first look tells nothing of when the member last beat. */
  readonly seenBeating: boolean;
}

/**
 * The sighting after looking at `beat` now. An unchanged beat keeps its time; the first look counts as fresh, because a restarted
 * leader can't know better.
 */
export function sight(previous: Sighting | undefined, beat: string, nowMs: number): Sighting {
  return previous?.beat === beat ? previous : { beat, atMs: nowMs, seenBeating: previous !== undefined };
}

export type Liveness =
  | { readonly kind: 'connected'; readonly untilMs: number }
  | { readonly kind: 'disconnected'; readonly silentMs: number };

/** Whether the member counts as connected; `untilMs` is the monotonic moment at which that ends without another beat. */
export function livenessOf(sighting: Sighting, nowMs: number): Liveness {
  const silentMs = nowMs - sighting.atMs;
  return silentMs <= disconnectedAfterMs
    ? { kind: 'connected', untilMs: sighting.atMs + disconnectedAfterMs }
    : { kind: 'disconnected', silentMs };
}

export interface ForgetInput {
  readonly sighting: Sighting;
  readonly nowMonotonicMs: number;
  /** Wall clock of the leader, epoch milliseconds. */
  readonly nowMs: number;
  /** `touch-ts` as epoch milliseconds: the member's wall clock. Undefined where absent or unparsable. */
  readonly touchedMs: number | undefined;
  /** metadata.creationTimestamp: the leader's API server's clock. */
  readonly createdMs: number | undefined;
  /** See `silence.ts`. */
  readonly forgottenAfterMs: number;
}

/**
 * Whether a silent member is to be forgotten. One that this process has seen beating: after its time (24 h) of silence by the monotonic clock, so
 * that no wrong wall clock, of the member or of the leader, shortens it (defect B15). One that it has not (a leader that restarted):
 * when the last time stamp lies 24 h back and it counts as disconnected. Where the time stamp lies in the future or there is none, only
 * the watching counts.
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
