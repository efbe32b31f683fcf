/**
 * Two times. How long a member, or a leader's controller, may be silent before the other side
 * reports it as disconnected (docs/spec/membership.md §3). How long until a silent member is
 * forgotten together with all its exports (docs/spec/membership.md §4).
 */
export const disconnectedAfterMs = 30_000;
export const forgottenAfterMs = 24 * 3_600_000;
