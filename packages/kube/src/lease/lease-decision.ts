import type { Lease } from '@isthmus/api';
import { canonicalJson } from '@isthmus/machinery';

/**
 * How long a Lease holds, as client-go's leader election has it. All in milliseconds; duration >
 * deadline > periods.
 */
export interface LeaseTimes {
  /**
   * How long others wait, after they have seen the holder's last sign of life, before they take
   * over.
   */
  readonly durationMs: number;
  /** How long the holder goes on leading without a successful renewal. */
  readonly renewDeadlineMs: number;
  /** Between two renewals. */
  readonly renewPeriodMs: number;
  /**
   * The same while the API server is slow. Who does not lead looks twice as often, and at times of
   * its own.
   */
  readonly retryPeriodMs: number;
}

/** client-go's defaults. Its holders renew every two seconds. */
export const defaultLeaseTimes: LeaseTimes = {
  durationMs: 15_000,
  renewDeadlineMs: 10_000,
  renewPeriodMs: 5_000,
  retryPeriodMs: 2_000,
};

/**
 * The holder's record and when it was first seen, by the monotonic clock of the observer: the
 * clocks of two machines are never compared.
 */
export interface ObservedLease {
  readonly record: string;
  readonly atMs: number;
}

/**
 * Observes `lease` at `nowMs`: returns the earlier observation if the Lease has not changed since.
 */
export function observeLease(before: ObservedLease | undefined, lease: Lease, nowMs: number): ObservedLease {
  const record = canonicalJson(lease.spec ?? {});
  return before?.record === record ? before : { record, atMs: nowMs };
}

export type LeaseDecision =
  /** Ours, by renewal. */
  | { readonly kind: 'renew' }
  /** Free, released or expired. */
  | { readonly kind: 'take' }
  /** Another's, for `forMs` more as far as can be seen now. */
  | { readonly kind: 'wait'; readonly holder: string; readonly forMs: number };

/** Whether `identity` may write itself into an existing Lease. */
export function decideLease(lease: Lease, observed: ObservedLease, identity: string, nowMs: number): LeaseDecision {
  const holder = lease.spec?.holderIdentity ?? '';
  if (holder === identity) return { kind: 'renew' };
  const forMs = leaseLeftMs(lease, observed, nowMs);
  return forMs <= 0 ? { kind: 'take' } : { kind: 'wait', holder, forMs };
}

/**
 * For how long the holder of a Lease still counts as alive; 0 or less: it has expired, or was given
 * back.
 */
export function leaseLeftMs({ spec }: Lease, observed: ObservedLease, nowMs: number): number {
  if ((spec?.holderIdentity ?? '') === '') return 0;
  const seconds = spec?.leaseDurationSeconds;
  const durationMs = seconds === undefined || !(seconds > 0) ? defaultLeaseTimes.durationMs : seconds * 1_000;
  return observed.atMs + durationMs - nowMs;
}

/**
 * The spec by which `identity` holds the Lease from `now` (RFC 3339 with microseconds) on, or goes
 * on holding it.
 */
export function heldSpec(before: Lease | undefined, identity: string, durationMs: number, now: string): Lease['spec'] {
  const spec = before?.spec;
  const goesOn = spec?.holderIdentity === identity;
  const transitions = spec?.leaseTransitions ?? 0;
  return {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds: Math.max(1, Math.round(durationMs / 1_000)),
    acquireTime: goesOn ? (spec.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: before === undefined || goesOn ? transitions : transitions + 1,
  };
}

/** The spec by which the holder gives the Lease back: the next candidate may take it at once. */
export function releasedSpec(before: Lease, now: string): Lease['spec'] {
  return { ...before.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}
