import type { ApiRequest } from '@isthmus/kube';
import type { Fault } from '@isthmus/fleet-sim';

/** The requests that a fault affects; `streams`: only watches. Default: all. */
type Befallen = 'streams' | 'reads' | 'writes';

/**
 * Faults of the requests from a controller to an API server, in words that follow "the API server".
 */
export const serverFaults: readonly (readonly [what: string, fault: Fault, which?: Befallen])[] = [
  ['answers 500', { kind: 'status', code: 500 }],
  ['answers 503', { kind: 'status', code: 503 }],
  ['answers 429 and asks for patience', { kind: 'status', code: 429, retryAfterSeconds: 2 }],
  ['answers 504', { kind: 'status', code: 504 }],
  ['answers 401', { kind: 'status', code: 401 }],
  ['answers 403', { kind: 'status', code: 403 }],
  ['answers 403 to writes alone', { kind: 'status', code: 403 }, 'writes'],
  ['answers 404', { kind: 'status', code: 404 }],
  ['answers 404 to writes alone', { kind: 'status', code: 404 }, 'writes'],
  ['answers 404 to reads alone', { kind: 'status', code: 404 }, 'reads'],
  ['answers 409 to writes', { kind: 'status', code: 409 }, 'writes'],
  ['answers 422 to writes', { kind: 'status', code: 422 }, 'writes'],
  ['has forgotten each version', { kind: 'expired' }],
  ['has forgotten the version of each watch', { kind: 'expired' }, 'streams'],
  ['does what is asked and loses the answer', { kind: 'lose-answer' }],
  ['gives up before it does anything', { kind: 'time-out', afterMs: 3_000, applied: false }],
  ['gives up after it did what was asked', { kind: 'time-out', afterMs: 3_000, applied: true }, 'writes'],
  ['never answers', { kind: 'hang' }],
  ['never answers writes', { kind: 'hang' }, 'writes'],
  ['listens no more', { kind: 'refuse' }],
  ['is a proxy that answers with a page', { kind: 'garbage' }],
  ['sends half of each answer', { kind: 'garbage', bytes: '{"kind":"List","apiVersion":"v1","metadata":{"resou' }],
  ['answers with an empty object', { kind: 'garbage', bytes: '{}' }],
  ['takes most of a second', { kind: 'latency', ms: 700 }],
  ['takes longer than anybody waits', { kind: 'latency', ms: 12_000 }],
  ['breaks each watch after a line', { kind: 'break-stream', afterLines: 1 }, 'streams'],
  ['goes silent in each watch after a line', { kind: 'stall-stream', afterLines: 1 }, 'streams'],
  ['ends each watch after a line', { kind: 'end-stream', afterLines: 1 }, 'streams'],
];

/**
 * How long consequences may last after a fault no longer affects a request: a silent watch is
 * started again when its time is over.
 */
export function consequencesMs({ kind }: Fault): number {
  return kind === 'stall-stream' ? 330_000 : 0;
}

export function isBefallen({ method, query }: ApiRequest, which: Befallen | undefined): boolean {
  const isStream = query?.['watch'] === 'true';
  if (which === 'streams') return isStream;
  return which === undefined || (method === 'GET') === (which === 'reads');
}
