import { isForbidden } from '@isthmus/kube';

/**
 * The error to fail with. If the user of the kubeconfig lacks a permission, it contains the next
 * step; any other error stays as it is.
 */
export function withUserAdvice(error: unknown): unknown {
  if (!isForbidden(error) || !(error instanceof Error)) return error;
  return new Error(
    `${error.message}. Name a user who may do this, such as an administrator of the cluster, with --kubeconfig and --context`,
    { cause: error },
  );
}
