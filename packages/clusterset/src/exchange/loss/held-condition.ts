import type { ClusterSet } from '@isthmus/api';
import { howToAllowRemovals } from '../removals-allowed.ts';

type HeldVerdict = { readonly status: 'True'; readonly reason: 'WithdrawalHeld'; readonly message: string };

/** What a leader holds, in its condition and its Event. */
export const exportsLost = 'Published objects have lost their exports, and no member withdrew them.';

/** What a member holds of its exports, in its condition and its Event; `definitions`: those that were deleted, such as `serviceexports.<group>`. */
export function exportsLostWithDefinition(definitions: readonly string[]): string {
  return `Exports of this cluster have lost their objects together with CustomResourceDefinition ${definitions.join(', ')}. Apply it and the objects again.`;
}

/** What is kept and why, and how a person releases it. */
export function heldMessage(clusterSet: ClusterSet, what: string): string {
  return `${what} They are kept. ${howToAllowRemovals(clusterSet)}`;
}

/** The condition WithdrawalHeld of a ClusterSet: `what` says what is kept and why. Absent where nothing is held. */
export function heldVerdict(clusterSet: ClusterSet, held: number, what: string): HeldVerdict | 'absent' {
  if (held === 0) return 'absent';
  return {
    status: 'True',
    reason: 'WithdrawalHeld',
    message: `Objects held: ${held}. ${heldMessage(clusterSet, what)}`,
  };
}
