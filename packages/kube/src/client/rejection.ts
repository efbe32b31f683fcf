import { ApiError } from './errors.ts';

/**
 * Whether the server understood the request and rejects it, so that sending it again does not help:
 * a policy, a quota, a role or the schema forbids it. 400, 403, 413 and 422.
 */
export function isRejected(error: unknown): error is ApiError {
  return error instanceof ApiError && rejections.has(error.code);
}

const rejections: ReadonlySet<number> = new Set([400, 403, 413, 422]);

/** Whether the database of the API server has reached its quota: then nothing can be written. */
export function isDatabaseFull(error: unknown): error is ApiError {
  return error instanceof ApiError && error.message.includes('database space exceeded');
}
