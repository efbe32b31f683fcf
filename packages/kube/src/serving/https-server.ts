// The node:https adapter of HttpHandler. Its sockets keep time with timers of Node, not with a Clock: they bound how long a silent client is
// waited for.
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '@isthmus/machinery';
import { errorText } from '../log/error-text.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { noMetrics } from '../metrics/metrics.ts';
import { linkedAbort, whenAborted } from '../waiting/abort.ts';
import { orAborted } from '../waiting/or-aborted.ts';
import type { BindAddress } from './bind-address.ts';
import type { CertificateSource, ServingCertificate } from './certificates.ts';
import type { HttpHandler, HttpResponse } from './http-handler.ts';
import { textResponse } from './http-handler.ts';

export interface HttpsServerOptions {
  /** Lower-case with dashes; the label of its metrics. */
  readonly name: string;
  /** Default: the loopback address, port 9443. */
  readonly bind?: BindAddress | undefined;
  readonly certificates: CertificateSource;
  readonly handler: HttpHandler;
  /** Ends the server. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** How long requests that run at the end are waited for. Default 10 s. */
  readonly drainMs?: number | undefined;
}

export interface HttpsServer {
  readonly address: { readonly host: string; readonly port: number };
  /** Resolves when the last connection is closed after the signal has aborted. */
  readonly ended: Promise<void>;
}

const LOOPBACK: BindAddress = { host: '127.0.0.1', port: 9443 };

const limits = {
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than the 90 s after which the API server lets go of an idle connection: whoever closes second loses no request.
  keepAliveTimeout: 120_000,
  maxHeaderSize: 32_768,
};
const MOST_CONNECTIONS = 256;

/**
 * Serves a handler over HTTPS (HTTP/1.1, TLS 1.2 and newer) until the signal aborts. Resolves when it listens, which needs a certificate: it
 * waits for the first one that can be used.
 *
 * Guarantees: a later certificate is served to new connections at once, those that are open go on; one that cannot be used, or does not
 * belong to its key, is logged and the one before it stays. Bodies are bounded by the handler's limit (413), as are headers, silent clients
 * and the number of connections. After the abort no connection is accepted, running requests are answered within `drainMs`, then all is closed.
 *
 * Errors: rejects with the signal's reason where it aborts before there is a certificate, and when the address cannot be had, naming it.
 */
export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  const { name, bind = LOOPBACK, handler, signal } = options;
  const log = options.log.with({ server: name });
  const certificate = await followCertificates(options, log);
  const stop = new AbortController();
  const server = createServer({ ...limits, keepAlive: true, ALPNProtocols: ['http/1.1'] }, (request, response) => {
    serve({ handler, stopped: stop.signal, isEnding: () => signal.aborted }, request, response).catch(
      (error: unknown) => {
        log.error('cannot answer a request', error);
        response.destroy();
      },
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('tlsClientError', (error, socket) => {
    log.debug('a TLS handshake failed', { why: error.message });
    socket.destroy();
  });
  certificate.serveWith(server);
  const address = await listen(server, bind, name);
  log.info('listening', address);
  return { address, ended: drained(server, options, () => stop.abort(signal.reason)) };
}

interface FollowedCertificate {
  /** Gives the server the present certificate, and each later one. */
  serveWith(server: Server): void;
}

/** Resolves when there is a certificate that can be used. */
async function followCertificates(options: HttpsServerOptions, log: Log): Promise<FollowedCertificate> {
  const { name, certificates, signal, metrics = noMetrics } = options;
  const first = Promise.withResolvers<void>();
  let present: SecureContextOptions | undefined;
  let server: Server | undefined;
  const take = (certificate: ServingCertificate): void => {
    try {
      const secrets = { cert: certificate.certPem, key: certificate.keyPem, minVersion: 'TLSv1.2' } as const;
      // Reads both, and throws where they do not belong together.
      createSecureContext(secrets);
      const { validTo, serialNumber, subjectAltName } = new X509Certificate(certificate.certPem);
      present = secrets;
      server?.setSecureContext(secrets);
      metrics.certificateExpiry.set({ server: name }, Date.parse(validTo) / 1_000);
      log.info('serving a certificate', { serialNumber, names: subjectAltName, until: validTo });
      first.resolve();
    } catch (error) {
      log.warn('cannot use the new serving certificate; the one before stays', { why: errorText(error) });
    }
  };
  const follow = async (): Promise<void> => {
    for await (const certificate of certificates(signal)) take(certificate);
    if (!signal.aborted) throw new Error(`the certificates of ${name} have come to an end`);
  };
  follow().catch((error: unknown) => {
    first.reject(error);
    if (server !== undefined) log.error('cannot follow the serving certificate; the present one stays', error);
  });
  await orAborted(first.promise, signal);
  return {
    serveWith(created) {
      server = created;
      if (present !== undefined) created.setSecureContext(present);
    },
  };
}

async function listen(server: Server, { host, port }: BindAddress, name: string): Promise<HttpsServer['address']> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const advice = cause.code === 'EADDRINUSE' ? 'another process listens there; choose another port' : cause.message;
      reject(new Error(`listening on ${host ?? ''}:${port} for ${name}: ${advice}`, { cause }));
    });
    server.listen({ host, port }, resolve);
  });
  server.removeAllListeners('error').on('error', () => {});
  const bound = server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

/** Resolves when the server has closed, after its signal aborted; `cutOff` ends what is not answered by then. */
async function drained(server: Server, options: HttpsServerOptions, cutOff: () => void): Promise<void> {
  const { clock, signal, drainMs = 10_000 } = options;
  await whenAborted(signal);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const cancel = clock.after(drainMs, () => {
    cutOff();
    server.closeAllConnections();
  });
  await closed;
  cancel();
}

interface ServeOptions {
  readonly handler: HttpHandler;
  /** Aborts when requests that still run are cut off. */
  readonly stopped: AbortSignal;
  readonly isEnding: () => boolean;
}

async function serve(options: ServeOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { handler, stopped, isEnding } = options;
  const { method = '', url = '' } = request;
  // Without listeners an error of the connection would end the process.
  request.on('error', () => {});
  response.on('error', () => {});
  using gone = linkedAbort(stopped);
  response.on('close', () => gone.abort(new Error('the client has gone')));
  const body = await bodyOf(request, handler.bodyLimit(url));
  if (gone.signal.aborted) return;
  const answer =
    typeof body === 'string'
      ? await handler.handle({ method, url, headers: headersOf(request), body }, gone.signal)
      : body.refusal;
  // What is left of a body that was refused would be read as the next request.
  if (isEnding() || typeof body !== 'string') response.shouldKeepAlive = false;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(method === 'HEAD' ? undefined : answer.body);
}

/** The whole body, which must be UTF-8, or what is answered instead. */
async function bodyOf(request: IncomingMessage, limit: number): Promise<string | { readonly refusal: HttpResponse }> {
  const tooLarge = { refusal: textResponse(413, `the body is larger than ${limit} bytes\n`) };
  if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Leaving early must not close the connection: the refusal is still to be written.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) return tooLarge;
      chunks.push(chunk);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks, bytes));
  } catch {
    return { refusal: textResponse(400, 'the body is incomplete or not UTF-8\n') };
  }
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
