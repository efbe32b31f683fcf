import type { ApiError } from '@isthmus/kube';
import { isNamespaceTerminating, isRejected } from '@isthmus/kube';

/**
 * How often to retry a write that an API server rejects. No watch shows that a policy, a webhook, a
 * quota or a role was fixed.
 */
export const rejectedAgainMs = 10_000;

/**
 * Whether another write of the same object would change nothing. A rejection because a Namespace is
 * being deleted does not count: it ends with the Namespace.
 */
export function isLastingRejection(error: unknown): error is ApiError {
  return isRejected(error) && !isNamespaceTerminating(error);
}
