/** One request to a server of this process. Plain data, so that a handler can be called without a socket. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What answers requests. */
export interface HttpHandler {
  /** The most bytes of a body that a request to `url` may have. */
  bodyLimit(url: string): number;
  /** Never rejects. `signal` aborts when nobody waits for the answer any more. */
  handle(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
}

const PLAIN = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** A plain text, never cached. */
export function textResponse(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers: { ...PLAIN, ...headers }, body };
}

/** The path of a URL with a query. */
export function pathOfUrl(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
