import type { ClusterSet } from '@isthmus/api';
import { howToAllowRemovals } from '../removals-allowed.ts';

type HeldVerdict = { readonly status: 'True'; readonly reason: 'WithdrawalHeld'; readonly message: string };

/** The condition WithdrawalHeld of a ClusterSet: `what` says what is kept and why. Undefined where nothing is held: then there is none. */
export function heldVerdict(clusterSet: ClusterSet, held: number, what: string): HeldVerdict | undefined {
  if (held === 0) return undefined;
  return {
    status: 'True',
    reason: 'WithdrawalHeld',
    message: `Objects held: ${held}. ${what} They are kept. ${howToAllowRemovals(clusterSet)}`,
  };
}

/** The conditions without those that are only there while something is held. */
export function withoutHeld<C extends { readonly type: string }>(conditions: readonly C[] | undefined): readonly C[] {
  return (conditions ?? []).filter(({ type }) => type !== 'WithdrawalHeld');
}
