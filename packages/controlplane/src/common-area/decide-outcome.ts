import type { Outcome } from '@isthmus/kube';
import { again, done } from '@isthmus/kube';
import type { ExportDecision, WriteAnswers } from '@isthmus/wire';

/** How often to look again at the CRDs: a change of them wakes no key. */
export const prunedMs = 60_000;

/** The fields that the CRDs lack, with the next step. */
export function outdatedDefinitions(pruned: readonly string[]): string {
  const fields = pruned.map((field) => `spec.${field}`).join(', ');
  return `the API server drops ${fields} of ResourceImports: apply the current resource definitions (deploy/leader-global.yaml)`;
}

/**
 * How often to retry an import that the API server rejected. No source shows that a user has
 * corrected a policy, a quota or a role.
 */
const refusedMs = 30_000;

/** When to look at a key again, after everything decided has been written. */
export function mergeOutcome({ wait }: ExportDecision, { refused, pruned }: WriteAnswers): Outcome {
  if (refused.size > 0) return again(refusedMs, 'the API server rejects the objects to publish');
  if (pruned.length > 0) return again(prunedMs, outdatedDefinitions(pruned));
  return wait === undefined ? done : again(wait.forMs, wait.why);
}
