import type { ApiRequest } from '@isthmus/kube';

/** A fault of a request. Times are of the clock. */
export type Fault =
  /** The request arrives `ms` late. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** The request is lost on the way, without an error. */
  | { readonly kind: 'hang' }
  /** The connection is refused: no server listens. */
  | { readonly kind: 'refuse' }
  /** The server rejects it with 429, 500, 503, …, and does nothing else. */
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly retryAfterSeconds?: number | undefined;
      /**
       * With 422: the path of the invalid field. An admission policy, which also answers with 422,
       * names none.
       */
      readonly field?: string | undefined;
    }
  /** The server carries out the request, but the connection breaks before the answer. */
  | { readonly kind: 'lose-answer' }
  /** The stream breaks after this many lines; the next watch may continue. */
  | { readonly kind: 'break-stream'; readonly afterLines: number }
  /** The server ends the stream after so many lines, as it ends each in time. */
  | { readonly kind: 'end-stream'; readonly afterLines: number }
  /** The stream goes silent after this many lines, and stays silent. */
  | { readonly kind: 'stall-stream'; readonly afterLines: number }
  /**
   * The version that the request names is compacted away: a watch gets one ERROR line with 410,
   * anything else 410.
   */
  | { readonly kind: 'expired' }
  /**
   * The server answers 504 after that time. `applied`: whether it has carried out the request by
   * then, which the client cannot know.
   */
  | { readonly kind: 'time-out'; readonly afterMs: number; readonly applied: boolean }
  /** The answer is 200 with these bytes instead of the body. Default: HTML as a proxy sends it. */
  | { readonly kind: 'garbage'; readonly bytes?: string | undefined };

/** A fault for some requests. */
export interface FaultRule {
  readonly match: (request: ApiRequest) => boolean;
  readonly fault: Fault;
  /** The number of requests that it affects. Default: all. */
  readonly times?: number | undefined;
}
