import { noCredentials } from '@isthmus/kube';
import type { ApiResponse, Transport } from '@isthmus/kube';
import { sleep } from '@isthmus/machinery';
import type { Io } from '../../../world/io.ts';
import { isthmusVersion } from '../../../version/version.ts';

/** The certificate authorities of a host, PEM; undefined: those of the system. */
export type AuthorityFor = (host: string) => string | undefined;

export interface WebRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Makes it a POST of a form. */
  readonly form?: Readonly<Record<string, string>> | undefined;
}

/** An answer, and the URL that gave it after all redirects. */
export interface WebResponse extends ApiResponse {
  readonly url: URL;
}

/** Servers that are asked over HTTPS. */
export interface Web {
  /**
   * The answer to a request, whatever its status. Follows five redirects, none to a server without
   * TLS; another server gets no `authorization` and no form. Tries three times where the server is
   * busy (429, 502, 503, 504) or the connection breaks before an answer. Errors name the server.
   */
  send(request: WebRequest, signal: AbortSignal): Promise<WebResponse>;
  close(): void;
}

const mostRedirects = 5;
const mostTries = 3;
const longestWaitMs = 30_000;

export function createWeb(io: Pick<Io, 'network' | 'clock'>, authorityFor: AuthorityFor): Web {
  const transports = new Map<string, Transport>();
  const transportTo = ({ origin, host }: URL) => {
    const known = transports.get(origin);
    if (known !== undefined) return known;
    const transport = io.network.dial({
      server: origin,
      caPem: authorityFor(host),
      credentials: noCredentials(),
      userAgent: `isthmus/${isthmusVersion}`,
    });
    transports.set(origin, transport);
    return transport;
  };

  const sendOnce = ({ url, headers = {}, form }: WebRequest, signal: AbortSignal) =>
    withAuthorityAdvice(url, () =>
      transportTo(url).send(
        {
          method: form === undefined ? 'GET' : 'POST',
          path: `${url.pathname}${url.search}`,
          headers: form === undefined ? headers : { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          body: form === undefined ? undefined : new URLSearchParams(form).toString(),
        },
        signal,
      ),
    );

  const sendPatiently = async (request: WebRequest, signal: AbortSignal): Promise<ApiResponse> => {
    for (let tries = 1; ; tries++) {
      const response = await answerOrBreak(() => sendOnce(request, signal), signal, tries < mostTries);
      if (response !== undefined && (tries === mostTries || !busy.has(response.status))) return response;
      if (response !== undefined) await leave(response);
      await sleep(io.clock, waitMs(response?.headers['retry-after'], tries), signal);
    }
  };

  return {
    async send(request, signal) {
      let { url, headers = {} } = request;
      for (let redirects = 0; redirects <= mostRedirects; redirects++) {
        const response = await sendPatiently({ ...request, url, headers }, signal);
        const location = response.headers['location'];
        if (response.status < 300 || response.status > 399 || location === undefined) return { ...response, url };
        await leave(response);
        const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
        if (next?.protocol !== 'https:') throw new Error(`${url.host} redirects to a location that does not use TLS`);
        if (next.host !== url.host) {
          // A form has a refresh token.
          if (request.form !== undefined)
            throw new Error(
              `${url.host} redirects a request with credentials to ${next.host}, which does not get them`,
            );
          const { authorization: _, ...others } = headers;
          headers = others;
        }
        url = next;
      }
      throw new Error(`${request.url.host}: more than ${mostRedirects} redirects`);
    },
    close: () => transports.forEach((transport) => transport.close()),
  };
}

/** The bytes of an answer. Errors: more than `maxBytes`. */
export async function bytesOf({ body }: ApiResponse, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The chunks of a body. Errors: more than `maxBytes` in all. */
export async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

/** Leaves the body of an answer unread. */
export async function leave({ body }: ApiResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

const busy: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const broken: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN']);

const untrusted: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Adds the next step to an error about a certificate of an authority that is not trusted. */
async function withAuthorityAdvice<T>({ host }: URL, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !untrusted.has(error.code)) throw error;
    const advice = `pass its certificate authority with --certificate-authority ${host}=FILE`;
    throw new Error(`${error.message}; ${advice}`, { cause: error });
  }
}

/** Undefined where the connection broke and there is another try. */
async function answerOrBreak(
  send: () => Promise<ApiResponse>,
  signal: AbortSignal,
  isAnotherTry: boolean,
): Promise<ApiResponse | undefined> {
  try {
    return await send();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (signal.aborted || !isAnotherTry || !broken.has(code)) throw error;
    return undefined;
  }
}

/** The pause that the server asks for, or one second and then two. */
function waitMs(retryAfter: string | undefined, tries: number): number {
  const seconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : tries;
  return Math.min(seconds * 1000, longestWaitMs);
}
