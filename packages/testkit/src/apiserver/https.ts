/**
 * One of the modules that may touch the world: HTTPS requests to test clusters, before and beside
 * the project's own client.
 */
import { request } from 'node:https';
import type { KeyPair } from './certificates.ts';

/**
 * The server of a request, and the user: with neither certificate nor token the request is
 * anonymous.
 */
export interface HttpsTarget {
  /** Without a trailing slash. */
  readonly url: string;
  readonly caData: string;
  readonly client?: KeyPair | undefined;
  readonly token?: string | undefined;
}

/** One request; a body is sent as JSON. */
export interface HttpsRequest {
  readonly method?: string | undefined;
  /** With the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
}

/** An answer, whatever its status. */
export interface HttpsAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends one request over a connection of its own and reads the whole answer. Any status is an
 * answer; no retries. Errors: the network's; the signal's reason.
 */
export function sendHttps(target: HttpsTarget, what: HttpsRequest, signal: AbortSignal): Promise<HttpsAnswer> {
  const body = what.body === undefined ? undefined : JSON.stringify(what.body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${target.url}${what.path}`,
      {
        method: what.method ?? 'GET',
        agent: false,
        ca: target.caData,
        ...(target.client && { cert: target.client.certData, key: target.client.keyData }),
        headers: {
          accept: 'application/json',
          ...(target.token !== undefined && { authorization: `Bearer ${target.token}` }),
          ...(body !== undefined && {
            'content-type': what.contentType ?? 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
        },
        signal,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    outgoing.end(body);
  });
}
