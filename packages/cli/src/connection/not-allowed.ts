import { isForbidden } from '@isthmus/kube';

/**
 * What a command fails with: where the user of the kubeconfig may not do something, with the next
 * step; any other error as it is.
 */
export function withUserAdvice(error: unknown): unknown {
  if (!isForbidden(error) || !(error instanceof Error)) return error;
  return new Error(
    `${error.message}. Name a user who may do this, such as an administrator of the cluster, with --kubeconfig and --context`,
    { cause: error },
  );
}
