import { ApiError } from './errors.ts';

/**
 * The server understood the request and rejects what it asks for, so that to send it again changes
 * nothing: a policy, a quota, a role or the schema is in the way. 400, 403, 413 and 422.
 */
export function isRejected(error: unknown): error is ApiError {
  return error instanceof ApiError && rejections.has(error.code);
}

const rejections: ReadonlySet<number> = new Set([400, 403, 413, 422]);
