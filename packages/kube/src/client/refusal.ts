import { parseStatus } from '@isthmus/machinery';
import type { Status } from '@isthmus/machinery';
import { printable } from './printable.ts';

/**
 * The Status of an answer with an HTTP code that is no success. Where the body is not a Status (a
 * proxy, a load balancer, an API server that does not know the path) one is made from the code,
 * with the beginning of the body in its message.
 */
export function statusOfRefusal(code: number, body: string): Status {
  const sent = parseStatus(parseJson(body));
  if (sent !== undefined) return { ...sent, status: 'Failure', reason: sent.reason ?? reasonOfCode(code), code };
  const excerpt = printable(body, maxExcerpt);
  const message = `the server answered with HTTP ${code} and no Status${excerpt === '' ? '' : `: ${excerpt}`}`;
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason: reasonOfCode(code), code };
}

/**
 * The reason that an HTTP code alone suggests; of the two that 409 and 410 stand for, the one that
 * claims less.
 */
function reasonOfCode(code: number): string {
  return reasons.get(code) ?? (code >= 500 ? 'InternalError' : 'Unknown');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const reasons: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

/** Characters of a foreign body that are repeated in a message. */
const maxExcerpt = 200;
