import type { ApiRequest } from '@isthmus/kube';
import { failureStatus } from '@isthmus/machinery';
import { Refusal } from '../refusal/refusal.ts';

/** The largest body that a write may have. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Errors: 413 if the body is larger than {@link maxBodyBytes}. */
export function checkBodySize({ body = '' }: ApiRequest): void {
  // No text has fewer bytes than characters, nor more than three for each.
  if (body.length * 3 <= maxBodyBytes) return;
  if (body.length <= maxBodyBytes && Buffer.byteLength(body) <= maxBodyBytes) return;
  const message = `Request entity too large: limit is ${maxBodyBytes}`;
  throw new Refusal(failureStatus({ reason: 'RequestEntityTooLarge', message }));
}
