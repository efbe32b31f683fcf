import type { ApiResponse } from '@isthmus/kube';
import { ByteQueue } from '@isthmus/sandbox';

/** An error with a code as Node's sockets give it. */
export function connectionError(code: 'ECONNREFUSED' | 'ECONNRESET', message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The answer of a server that rejects a request, with the text of a real one if it has one. */
export function refusal(
  code: number,
  {
    retryAfterSeconds,
    field,
  }: { readonly retryAfterSeconds?: number | undefined; readonly field?: string | undefined } = {},
): ApiResponse {
  const [reason, message] = refusals[code] ?? ['InternalError', `the test rejects this request with ${code}`];
  const details = {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(field !== undefined && { causes: [{ reason: 'FieldValueInvalid', message, field }] }),
  };
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(Object.keys(details).length > 0 && { details }),
    code,
  };
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  };
  return answer(code, headers, JSON.stringify(body));
}

const refusals: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  401: ['Unauthorized', 'Unauthorized'],
  410: ['Expired', 'too old resource version: 1 (2)'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  422: ['Invalid', 'the test finds this object invalid'],
  500: ['InternalError', 'Internal error occurred: injected by the test'],
  503: ['ServiceUnavailable', 'apiserver not ready'],
  504: ['Timeout', 'Timeout: request did not complete within requested timeout - context deadline exceeded'],
};

export function answer(status: number, headers: Readonly<Record<string, string>>, text: string): ApiResponse {
  const body = new ByteQueue();
  body.push(text);
  body.end();
  return { status, headers, body };
}

/** The answer to a watch from a compacted resourceVersion: 200, one ERROR line, the end. */
export function expiredWatch(): ApiResponse {
  const [reason, message] = refusals[410] ?? [];
  const object = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code: 410 };
  return answer(200, { 'content-type': 'application/json' }, `${JSON.stringify({ type: 'ERROR', object })}\n`);
}
