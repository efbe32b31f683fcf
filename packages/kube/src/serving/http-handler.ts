/**
 * The part of a request that is known before its body is read.
 */
export interface HttpRequestHead {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * One request to a server of this process. Plain data, so that a handler can be called without a
 * socket.
 */
export interface HttpRequest extends HttpRequestHead {
  readonly body: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers requests. */
export interface HttpHandler {
  /**
   * Decides from the head alone whether the body is read at all, and how many bytes it may have.
   */
  accept(head: HttpRequestHead): { readonly bodyLimit: number } | { readonly refusal: HttpResponse };
  /** Never rejects. `signal` aborts when the client does not wait for the answer any more. */
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
