import type { ApiError } from '@isthmus/kube';
import { isNamespaceTerminating, isRejected } from '@isthmus/kube';

/** No watch shows that a policy, a webhook, a quota or a role was mended: so often what an API server rejects is tried again. */
export const rejectedAgainMs = 10_000;

/** Whether to write the same again would change nothing. What is in the way of a Namespace that is being deleted goes with it. */
export function isLastingRejection(error: unknown): error is ApiError {
  return isRejected(error) && !isNamespaceTerminating(error);
}
