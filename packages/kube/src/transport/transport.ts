/**
 * One request to an API server. Plain data, so that it can be recorded, replayed and answered in
 * memory.
 */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path without the query, e.g. `/api/v1/namespaces/shop/services`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Lower-case names. Credentials are added by the transport and are never here. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/**
 * The answer: the body is a stream, because a watch never ends. Leaving the iteration early closes
 * it.
 */
export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The connection to one API server.
 *
 * Guarantees: resolves when the headers have come; rejects (never hangs) when `signal` aborts,
 * before or while the body is read. Adds the server's credentials. Does not retry.
 *
 * Errors: those of the network, with the server's address in the message and never a credential.
 */
export interface Transport {
  send(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse>;
  /** Closes idle connections and ends those in use. */
  close(): void;
}
