/** How a server calls a webhook, of admission or of conversion. */
import type { WebhookClientConfig } from '../definition/definition.ts';

/** The address of a webhook. */
export interface WebhookEndpoint {
  readonly url: string;
  /** PEM in base64; absent: the authorities of the system. */
  readonly caBundle?: string | undefined;
}

/**
 * Posts JSON to a webhook. Errors: those of Go's client for a failed connection, after
 * `Post "…": `.
 */
export type WebhookTransport = (endpoint: WebhookEndpoint, body: string) => Promise<WebhookAnswer>;

/** The endpoint of a client configuration. A Service is reached by its name in the cluster. */
export function endpointOf({ url, service, caBundle }: WebhookClientConfig): WebhookEndpoint {
  const place =
    url ?? `https://${service?.name}.${service?.namespace}.svc:${service?.port ?? 443}${service?.path ?? ''}`;
  return { url: place, caBundle };
}

export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
  /**
   * The content type. If the call failed, the client gets the body of a `text/…` answer. Default:
   * JSON.
   */
  readonly contentType?: string | undefined;
}

/**
 * The error of an unsuccessful answer, in the words of Go's client; undefined for a success.
 * Source: measured on 1.36.
 */
export function failureOfAnswer({ status, body, contentType = '' }: WebhookAnswer): string | undefined {
  if (status >= 200 && status <= 206) return undefined;
  const text = contentType.startsWith('text/') ? body.trim() : 'unknown';
  const known = failures[status];
  if (known !== undefined) return known;
  if (repeated.has(status)) return text;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/** For these codes the error is the text alone. */
const repeated: ReadonlySet<number> = new Set([403, 406, 415]);

const failures: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
