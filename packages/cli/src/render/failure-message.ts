import { errorMessage } from '@isthmus/machinery';

/** The first failure, then the failures while everything was removed, each on a line. */
export function failureMessage(failure: unknown): string {
  if (failure instanceof SuppressedError)
    return `${failureMessage(failure.suppressed)}\n${failureMessage(failure.error)}`;
  return errorMessage(failure);
}
