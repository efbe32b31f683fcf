import type { ClusterSet } from '@isthmus/api';
import { howToAllowRemovals } from '../removals-allowed.ts';

type HeldVerdict = { readonly status: 'True'; readonly reason: 'WithdrawalHeld'; readonly message: string };

/** The condition WithdrawalHeld of a ClusterSet: `what` says what is kept and why. Absent where nothing is held. */
export function heldVerdict(clusterSet: ClusterSet, held: number, what: string): HeldVerdict | 'absent' {
  if (held === 0) return 'absent';
  return {
    status: 'True',
    reason: 'WithdrawalHeld',
    message: `Objects held: ${held}. ${what} They are kept. ${howToAllowRemovals(clusterSet)}`,
  };
}
