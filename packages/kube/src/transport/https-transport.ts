// The one module that opens connections to API servers. Its sockets keep time with timers of Node,
// not with a Clock: they bound only how long an idle connection is kept.
import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import { Agent as HttpAgent, request as httpRequest } from '../world/node-http.ts';
import { CredentialsError } from './credentials.ts';
import type { ClientCertificate, Credentials } from './credentials.ts';
import { createGate } from './gate.ts';
import { openTunnel, parseProxyUrl } from './proxy-tunnel.ts';
import { parseServerAddress } from './server-address.ts';
import type { ApiRequest, ApiResponse, Transport } from './transport.ts';

export interface HttpsTransportOptions {
  /**
   * `https://host:port`, a path in front of all API paths allowed. `http://` for test servers and
   * local proxies.
   */
  readonly server: string;
  /** Replaces the certificate authorities of the system. */
  readonly caPem?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly clientCertificate?: ClientCertificate | undefined;
  readonly credentials: Credentials;
  /** The name that the server's certificate must carry, instead of the host of `server`. */
  readonly tlsServerName?: string | undefined;
  readonly userAgent: string;
  /**
   * `http://` or `https://` (CONNECT) or `socks5://`, with a user and password if the proxy wants
   * them: all connections go through it.
   */
  readonly proxyUrl?: string | undefined;
  /**
   * How long a connection is kept without use. Default 30 s: before load balancers (60 s and more)
   * and API servers (180 s) drop it, often without a word. Does not end requests or watches.
   */
  readonly idleConnectionMs?: number | undefined;
}

/** An error of a connection; `code` is that of Node where there is one. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * HTTP/1.1 over TLS with kept connections. So many plain requests are under way at once, and the
 * others wait; watches do not count, so that no number of them can starve requests. A watch takes
 * the connection of a request that is over, as of the list before it: a connection costs both ends
 * milliseconds of processor time.
 *
 * Guarantees: as {@link Transport}. A request is sent again in two cases, in which it cannot have
 * been processed: once after a 401 where the credentials have another value by now, and a read once
 * where a kept connection turns out to be closed by the server. Redirects are not followed: a 3xx
 * is the answer. Proxies from the environment are not used. Throws where the options make no
 * connection possible (server address, proxy, certificates), naming which.
 */
export function httpsTransport(options: HttpsTransportOptions): Transport {
  const { credentials, userAgent, idleConnectionMs = 30_000 } = options;
  const target = parseServerAddress(options.server);
  const proxy = options.proxyUrl === undefined ? undefined : parseProxyUrl(options.proxyUrl);
  const createAgent = (certificate: ClientCertificate | undefined) => {
    const tls = target.secure ? tlsOptions(options, certificate) : undefined;
    const agentOptions = {
      keepAlive: true,
      keepAliveMsecs: probeAfterMs,
      timeout: idleConnectionMs,
      scheduling: 'lifo',
    } as const;
    const agent = tls === undefined ? new HttpAgent(agentOptions) : new HttpsAgent({ ...agentOptions, ...tls });
    // One server, one name: Node would join all options of TLS to one for each request.
    agent.getName = () => target.name;
    if (proxy !== undefined) {
      const overTls = agent.createConnection.bind(agent);
      agent.createConnection = (socketOptions, done) => {
        const overTunnel = (socket: Duplex) =>
          tls === undefined ? socket : (overTls(Object.assign({}, socketOptions, { socket })) ?? socket);
        openTunnel(proxy, { host: target.host, port: target.port, tls }, (error, socket) => {
          if (socket === undefined) done?.(error ?? null, agentNeedsNone);
          else done?.(null, overTunnel(socket));
        });
        return undefined;
      };
    }
    return agent;
  };
  let used = { certificate: options.clientCertificate, agent: createAgent(options.clientCertificate) };
  let closed = false;
  const useCertificate = (certificate: ClientCertificate | undefined) => {
    if (certificate === undefined || certificate.certPem === used.certificate?.certPem) return;
    used.agent.destroy();
    used = { certificate, agent: createAgent(certificate) };
  };
  const requests = createGate(mostRequests);

  const sendOnce = async (
    request: ApiRequest,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<ApiResponse> => {
    const leave = request.query?.['watch'] === undefined ? await requests.enter(signal) : () => {};
    try {
      if (closed) throw new TransportError(`${target.name}: the connection was closed`, 'ERR_TRANSPORT_CLOSED');
      const requestOptions: RequestOptions = {
        agent: used.agent,
        host: target.host,
        port: target.port,
        method: request.method,
        path: target.basePath + request.path + queryText(request.query),
        headers: headersOf(request, { host: target.hostHeader, authorization, userAgent }),
      };
      const sending = target.secure ? httpsRequest(requestOptions) : httpRequest(requestOptions);
      // The agent has the connection back after this, in the same turn: who is next shall find it.
      sending.once('close', () => queueMicrotask(leave));
      return await new Promise((resolve, reject) => {
        exchangeOn(sending, { signal, server: target.name, resolve, reject });
        sending.end(request.body);
      });
    } catch (error) {
      leave();
      throw error;
    }
  };

  const sendFresh = async (
    request: ApiRequest,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<ApiResponse> => {
    try {
      return await sendOnce(request, authorization, signal);
    } catch (error) {
      if (!(error instanceof StaleConnection) || request.method !== 'GET' || signal.aborted) throw error;
      return sendOnce(request, authorization, signal);
    }
  };

  return {
    async send(request, signal) {
      signal.throwIfAborted();
      const authorization = await authorize(credentials, target.name, { signal, useCertificate });
      const response = await sendFresh(request, authorization, signal);
      if (response.status !== 401 || !(await credentials.refused(authorization, signal))) return response;
      await response.body[Symbol.asyncIterator]().return?.();
      return sendFresh(request, await authorize(credentials, target.name, { signal, useCertificate }), signal);
    },
    close() {
      closed = true;
      used.agent.destroy();
    },
  };
}

/** With an error, an agent of Node does not look at the connection. */
const agentNeedsNone = undefined as unknown as Duplex;

/**
 * A kept connection was closed before the first byte of an answer: the server had ended it while it
 * was idle.
 */
class StaleConnection extends TransportError {}

function tlsOptions(options: HttpsTransportOptions, clientCertificate: ClientCertificate | undefined) {
  const { caPem, tlsServerName, insecureSkipTlsVerify } = options;
  return {
    secureContext: secureContextOf(caPem, clientCertificate),
    rejectUnauthorized: insecureSkipTlsVerify !== true,
    ALPNProtocols: ['http/1.1'],
    ...(tlsServerName === undefined
      ? {}
      : {
          // The TLS server name extension must not contain an address (RFC 6066 §3).
          servername: isIP(tlsServerName) === 0 ? tlsServerName : '',
          checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
            checkServerIdentity(tlsServerName, certificate),
        }),
  };
}

function secureContextOf(caPem: string | undefined, clientCertificate: ClientCertificate | undefined) {
  // OpenSSL ignores certificates that it cannot read. Then every server would be rejected with an
  // error that does not name the cause.
  if (caPem !== undefined) requireCertificates(caPem);
  try {
    if (clientCertificate !== undefined) requireKeyOf(clientCertificate);
    return createSecureContext({ ca: caPem, cert: clientCertificate?.certPem, key: clientCertificate?.keyPem });
  } catch (error) {
    throw new Error('the client certificate and its key are not valid PEM, or do not belong together', {
      cause: error,
    });
  }
}

/** OpenSSL passes over a key of another type than the certificate's, and over none. */
function requireKeyOf({ certPem, keyPem }: ClientCertificate): void {
  if (!new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem))) throw new Error('another key');
}

/** In the manner of Node's codes: a failure of TLS, before anything was sent. */
const invalidAuthority = 'ERR_TLS_CERTIFICATE_AUTHORITY';

function requireCertificates(pem: string): void {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs);
  if (certificates === null)
    throw new TransportError('the certificate authority contains no PEM certificate', invalidAuthority);
  try {
    certificates.map((certificate) => new X509Certificate(certificate));
  } catch (error) {
    throw new TransportError('the certificate authority contains a certificate that cannot be read', invalidAuthority, {
      cause: error,
    });
  }
}

interface Authorize {
  readonly signal: AbortSignal;
  readonly useCertificate: (certificate: ClientCertificate | undefined) => void;
}

async function authorize(
  credentials: Credentials,
  server: string,
  { signal, useCertificate }: Authorize,
): Promise<string | undefined> {
  try {
    const authorization = await credentials.authorization(signal);
    useCertificate(await credentials.clientCertificate?.(signal));
    return authorization;
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    const { written } = error;
    throw new CredentialsError(`no credentials for ${server}: ${error.message}`, { cause: error, written });
  }
}

interface HeaderParts {
  readonly host: string;
  readonly authorization: string | undefined;
  readonly userAgent: string;
}

function headersOf(request: ApiRequest, parts: HeaderParts): Record<string, string | number> {
  return {
    ...request.headers,
    host: parts.host,
    'user-agent': parts.userAgent,
    ...(parts.authorization === undefined ? {} : { authorization: parts.authorization }),
    ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
  };
}

function queryText(query: ApiRequest['query']): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
}

interface Settle {
  readonly signal: AbortSignal;
  readonly server: string;
  readonly resolve: (response: ApiResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** Ties one request to its signal and to the promise of its answer. */
function exchangeOn(sending: ClientRequest, { signal, server, resolve, reject }: Settle): void {
  let message: IncomingMessage | undefined;
  let failure: NodeJS.ErrnoException | undefined;
  const onAbort = () => {
    reject(signal.reason);
    message?.destroy();
    sending.destroy();
  };
  const release = () => signal.removeEventListener('abort', onAbort);
  sending.on('error', (error: NodeJS.ErrnoException) => {
    failure ??= error;
    const stale = sending.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    const Failure = stale ? StaleConnection : TransportError;
    reject(new Failure(`${server}: ${withoutAdvice(error.message)}`, error.code, { cause: bare(error) }));
  });
  sending.on('close', release);
  sending.on('response', (answer) => {
    message = answer;
    answer.on('end', release);
    // Without a listener an error before the body is read would end the process; the reader of the
    // body gets it all the same.
    answer.on('error', () => {});
    const toError = (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return signal.reason as unknown;
      // The cause of the broken connection is more specific than the read error.
      const cause = failure ?? error;
      const why = `${server}: the connection broke off before the answer ended (${cause.message})`;
      return new TransportError(why, cause.code, { cause: bare(cause) });
    };
    resolve({ status: answer.statusCode ?? 0, headers: headersFrom(answer), body: bodyOf(answer, toError) });
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
}

function bodyOf(message: IncomingMessage, toError: (error: Error) => unknown): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks: AsyncIterator<Buffer, undefined> = message[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            return await chunks.next();
          } catch (error) {
            throw toError(error as Error);
          }
        },
        async return() {
          message.destroy();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** Node advises on its own command line, which a user of ours does not have. */
function withoutAdvice(message: string): string {
  return message.replace(/; if the root CA is installed locally, .*$/, '');
}

/**
 * The error without what Node attaches to it: bytes of an answer, whole certificates. Neither
 * belongs into a log.
 */
function bare(error: Error): Error {
  if ('rawPacket' in error) delete error.rawPacket;
  if ('cert' in error) delete error.cert;
  return error;
}

function headersFrom(message: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

/** After this much silence the kernel begins to probe whether the other end is still there. */
const probeAfterMs = 15_000;
const mostRequests = 64;
