import { whenAborted } from '@isthmus/kube';
import type { Membership } from './membership.ts';
import { sameMembership } from './membership.ts';

/**
 * Runs one membership after another; each is a membership run. When the membership changes, the
 * controllers that depend on it are stopped and started again. So no part of an old session (token,
 * leader, cluster ID) can stay. A new run begins like a restarted process, except that the caches
 * of the own cluster stay.
 */
export interface MembershipSupervisor {
  /** Asks for `membership`. If it is the same as the present one, nothing changes. */
  want(membership: Membership): void;
  /** Serves one run after another until `signal` aborts. The last has ended when this resolves. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * `live` serves one run until its signal aborts. A run that ends early or throws is not started
 * again before another membership is requested. `live` handles its own failures.
 */
export function createMembershipSupervisor(
  live: (membership: Membership, signal: AbortSignal) => Promise<void>,
): MembershipSupervisor {
  let wanted: Membership | undefined;
  let present: { readonly membership: Membership; readonly end: AbortController } | undefined;
  let wake: () => void = () => {};

  return {
    want(membership) {
      wanted = membership;
      if (present !== undefined && sameMembership(present.membership, membership)) return;
      present?.end.abort(new Error('the membership has changed'));
      wake();
    },
    async run(signal) {
      const onAbort = () => {
        present?.end.abort(signal.reason);
        wake();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        while (!signal.aborted) {
          if (wanted === undefined || (present !== undefined && sameMembership(present.membership, wanted))) {
            await new Promise<void>((resolve) => (wake = resolve));
            continue;
          }
          const end = new AbortController();
          present = { membership: wanted, end };
          await live(wanted, end.signal);
          if (!end.signal.aborted) await whenAborted(end.signal);
          present = undefined;
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
