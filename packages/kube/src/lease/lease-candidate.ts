import { Lease } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import { apiVersionOf, rfc3339Micro } from '@isthmus/machinery';
import type { Client } from '../client/client.ts';
import { isAlreadyExists, isConflict, isForbidden, isNotFound, orNotFound } from '../client/errors.ts';
import type { LeaseTimes, ObservedLease } from './lease-decision.ts';
import { decideLease, heldSpec, observeLease, releasedSpec } from './lease-decision.ts';
import { hasHolderEnded } from './pod-holder.ts';

export interface CandidateOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly times: LeaseTimes;
}

/**
 * The result of one attempt to take or renew. `sentAtMs`: the monotonic time before the write that
 * succeeded was sent.
 */
export type LeaseAttempt =
  | { readonly kind: 'held'; readonly sentAtMs: number }
  | { readonly kind: 'other'; readonly holder: string; readonly forMs: number }
  /** Another candidate wrote at the same time: look again. */
  | { readonly kind: 'outrun' };

/** One process that wants a Lease: single attempts, without any waiting. */
export interface LeaseCandidate {
  /**
   * Takes the Lease where it is free or expired, renews it where it is ours. Errors: those of the
   * client.
   */
  tryHold(signal: AbortSignal): Promise<LeaseAttempt>;
  /** Gives the Lease back, if it is still ours. Errors: those of the client. */
  release(signal: AbortSignal): Promise<void>;
}

/**
 * Every write is bound to the resourceVersion that was read, so that of two candidates at most one
 * succeeds. A write whose answer was lost is found out by reading.
 */
export function createLeaseCandidate(options: CandidateOptions): LeaseCandidate {
  const { client, namespace, name, identity, clock, times } = options;
  const ref = { namespace, name };
  let observed: ObservedLease | undefined;
  /** The Lease as of our last successful write; undefined when it is unknown whether we hold it. */
  let held: Lease | undefined;

  const write = async (before: Lease | undefined, signal: AbortSignal): Promise<LeaseAttempt> => {
    const sentAtMs = clock.monotonic();
    const spec = heldSpec(before, identity, times.durationMs, rfc3339Micro(clock.now()));
    const fresh: Lease = { apiVersion: apiVersionOf(Lease), kind: Lease.kind, metadata: ref, spec };
    try {
      if (before === undefined) held = await client.create(Lease, fresh, { signal });
      else held = await client.update(Lease, { ...before, spec }, { signal });
      return { kind: 'held', sentAtMs };
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return { kind: 'outrun' };
      // The Lease was deleted meanwhile. A creation fails with NotFound only if the Namespace is
      // missing, which a user must fix.
      if (isNotFound(error) && before !== undefined) return { kind: 'outrun' };
      throw error;
    }
  };
  const read = (signal: AbortSignal): Promise<Lease | undefined> => orNotFound(client.get(Lease, ref, { signal }));

  return {
    async tryHold(signal) {
      const last = held;
      held = undefined;
      if (last !== undefined) {
        const renewed = await write(last, signal);
        if (renewed.kind === 'held') return renewed;
      }
      const lease = await read(signal);
      if (lease === undefined) return await write(undefined, signal);
      const now = clock.monotonic();
      observed = observeLease(observed, lease, now);
      const decision = decideLease(lease, observed, identity, now);
      if (decision.kind !== 'wait') return await write(lease, signal);
      // A refusal to show the Pod is no failure of the election: then the Lease is waited out, as
      // ever.
      const ended = await hasHolderEnded(decision.holder, options, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (isForbidden(error)) return false;
        throw error;
      });
      return ended ? await write(lease, signal) : { ...decision, kind: 'other' };
    },
    async release(signal) {
      held = undefined;
      const lease = await read(signal);
      if (lease?.spec?.holderIdentity !== identity) return;
      await client.update(Lease, { ...lease, spec: releasedSpec(lease, rfc3339Micro(clock.now())) }, { signal });
    },
  };
}
