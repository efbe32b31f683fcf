import { Annotation } from '@isthmus/api';
import { parseRfc3339 } from '@isthmus/machinery';

/**
 * Two times. How long a member, or a leader's controller, may be silent before the other side
 * reports it as disconnected (docs/spec/membership.md §3). How long until a silent member is
 * forgotten together with all its exports (docs/spec/membership.md §4).
 */
export const disconnectedAfterMs = 30_000;
export const forgottenAfterMs = 24 * 3_600_000;

/**
 * A leader answers a heartbeat that comes so much later than the one that it answered last
 * (docs/spec/membership.md §3).
 */
export const answeredAgainMs = 25_000;

/**
 * How much later the heartbeat in these annotations is than the one that was answered last, by the
 * clock of the member, in milliseconds. NaN: there is no heartbeat, or none was answered.
 */
export function unansweredForMs(annotations: Readonly<Record<string, string>> = {}): number {
  const { [Annotation.touchTs]: touched, [Annotation.answered]: answered } = annotations;
  return (parseRfc3339(touched) ?? Number.NaN) - (parseRfc3339(answered) ?? Number.NaN);
}
