import type { Failure } from '@isthmus/machinery';

/**
 * A patch that is rejected. `failure` is the API server's answer; the message may have more detail.
 */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly failure: PatchFailure;

  constructor(failure: PatchFailure, message: string = failure.message) {
    super(message);
    this.failure = failure;
  }
}

/**
 * The answer to a rejected patch. Without a reason it is a bare 500: the API server passes some
 * errors of its libraries on unchanged.
 */
export type PatchFailure = Failure | { readonly reason?: undefined; readonly code: 500; readonly message: string };
