/**
 * How long a member, or a leader's controller, may stay silent before the other side calls it disconnected (docs/spec/membership.md §3), and
 * before a member is forgotten together with all it exported (docs/spec/membership.md §4).
 */
export const disconnectedAfterMs = 30_000;
export const forgottenAfterMs = 24 * 3_600_000;
