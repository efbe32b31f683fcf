// The node:https adapter of HttpHandler. How long a silent client is waited for, Node bounds with
// its own timers, not with a Clock; how long it may take to read its answer, which Node leaves
// open, is bounded here.
import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '@isthmus/machinery';
import { errorText } from '../log/error-text.ts';
import type { Log } from '../log/log.ts';
import type { WebhookMetrics } from '../metrics/metrics.ts';
import { noWebhookMetrics } from '../metrics/metrics.ts';
import { linkedAbort, whenAborted } from '../waiting/abort.ts';
import { orAborted } from '../waiting/or-aborted.ts';
import type { BindAddress } from './bind-address.ts';
import type { CertificateSource, ServingCertificate } from './certificates.ts';
import { countConnections } from './count-connections.ts';
import type { HttpHandler, HttpResponse } from './http-handler.ts';
import { textResponse } from './http-handler.ts';
import type { OpenConnection, OpenConnectionsLimits, OpenRequest } from './open-connections.ts';
import { openConnections } from './open-connections.ts';
import { unansweredRequests } from './unanswered-requests.ts';

/** Limits for clients. */
export interface HttpsServerLimits extends OpenConnectionsLimits {
  /** How long a client may take to read an answer, in milliseconds. */
  readonly answerMs: number;
}

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
  readonly metrics?: WebhookMetrics | undefined;
  /** How long requests that run at the end are waited for. Default 10 s. */
  readonly drainMs?: number | undefined;
  /** Default: 256 connections, 128 MiB of bodies, 30 s for the reading of an answer. */
  readonly limits?: Partial<HttpsServerLimits> | undefined;
}

export interface HttpsServer {
  readonly address: { readonly host: string; readonly port: number };
  /** Resolves when the last connection is closed after the signal has aborted. */
  readonly ended: Promise<void>;
}

const LOOPBACK: BindAddress = { host: '127.0.0.1', port: 9443 };

const nodeLimits = {
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than the 90 s after which the API server closes an idle connection: the side that closes
  // second loses no request.
  keepAliveTimeout: 120_000,
  maxHeaderSize: 32_768,
};
/** API servers and Prometheus send no request before they have the answer to the one before. */
const mostUnanswered = 4;
/** Two of the largest bodies there are, conversions of 64 MiB. */
const defaultLimits: HttpsServerLimits = { connections: 256, bodyBytes: 128 * 1024 * 1024, answerMs: 30_000 };

/**
 * Serves a handler over HTTPS (HTTP/1.1, TLS 1.2 and newer) until the signal aborts. Resolves when
 * it listens, which needs a certificate: it waits for the first one that can be used.
 *
 * Guarantees: a later certificate is served to new connections at once, those that are open go on;
 * one that cannot be used, has expired, or does not belong to its key, is logged and the one before
 * it stays; one that is not valid yet takes its place when it is. A body is read where the handler
 * accepts its head, and bounded by the handler's limit (413); headers and the time that a client is
 * waited for are bounded too. Where connections, or the bytes of all bodies, are too many, the
 * connection is dropped whose client has kept the server waiting longest; so is one with more
 * requests than a few that wait for their answers. Only an answer of 200 leaves its connection
 * open. After the abort no connection is accepted, running requests are answered within `drainMs`,
 * then all is closed.
 *
 * Errors: rejects with the signal's reason where it aborts before there is a certificate, and when
 * the address cannot be had, naming it.
 */
export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  const { name, bind = LOOPBACK, handler, signal, clock } = options;
  const log = options.log.with({ server: name });
  const certificate = await followCertificates(options, log);
  const stop = new AbortController();
  const limits = { ...defaultLimits, ...options.limits };
  const connections = openConnections(limits, (limit) => {
    log.debug('closed the connection that had been idle longest', { limit, most: limits[limit] });
  });
  const isAnswered = unansweredRequests(mostUnanswered);
  const server = createServer({ ...nodeLimits, keepAlive: true, ALPNProtocols: ['http/1.1'] }, (request, response) => {
    const connection = connectionOf(request.socket);
    if (connection === undefined) return void response.destroy();
    if (!isAnswered(request.socket, response)) return;
    const { answerMs } = limits;
    serve(
      { handler, connection, clock, answerMs, stopped: stop.signal, isEnding: () => signal.aborted },
      request,
      response,
    ).catch((error: unknown) => {
      log.error('cannot answer a request', error);
      response.destroy();
    });
  });
  const connectionOf = countConnections(server, connections);
  server.on('tlsClientError', (error, socket) => {
    log.debug('a TLS handshake failed', { why: error.message });
    socket.destroy();
  });
  certificate.serveWith(server);
  const address = await listen(server, bind, name);
  // Errors of connections that cannot be accepted, for example if the process has too many open
  // files.
  server.on('error', (error) => log.error('server error; continuing', error));
  log.info('listening', address);
  const cutOff = (): void => {
    stop.abort(signal.reason);
    connections.destroyAll();
  };
  return { address, ended: drained(server, options, cutOff) };
}

interface FollowedCertificate {
  /** Gives the server the present certificate, and each later one. */
  serveWith(server: Server): void;
}

/** A timer of Node does not reach further than 24 days. */
const longestTimerMs = 24 * 3_600_000;

/** Resolves when there is a certificate that can be used. */
async function followCertificates(options: HttpsServerOptions, log: Log): Promise<FollowedCertificate> {
  const { name, certificates, signal, clock, metrics = noWebhookMetrics } = options;
  const first = Promise.withResolvers<void>();
  let present: { readonly secrets: SecureContextOptions; readonly untilMs: number } | undefined;
  let server: Server | undefined;
  let forgetLater = (): void => {};
  const take = (certificate: ServingCertificate): void => {
    forgetLater();
    try {
      const { certPem: cert, keyPem: key } = certificate;
      const leaf = new X509Certificate(cert);
      if (!leaf.checkPrivateKey(createPrivateKey(key)))
        throw new Error('the certificate and the key do not belong together');
      const secrets = { cert, key, minVersion: 'TLSv1.2' } as const;
      // Reads the whole chain.
      createSecureContext(secrets);
      const { validFrom, validTo, serialNumber, subjectAltName } = leaf;
      const [fromMs, untilMs] = [Date.parse(validFrom), Date.parse(validTo)];
      const nowMs = clock.now();
      // An invalid certificate is served if there is no better one: the errors of clients then name
      // the cause.
      const isPresentValid = present !== undefined && nowMs < present.untilMs;
      if (isPresentValid && untilMs <= nowMs) throw new Error(`it has expired (${validTo})`);
      if (isPresentValid && nowMs < fromMs) {
        forgetLater = clock.after(Math.min(fromMs - nowMs, longestTimerMs), () => take(certificate));
        throw new Error(`it is not valid before ${validFrom}`);
      }
      present = { secrets, untilMs };
      server?.setSecureContext(secrets);
      metrics.certificateExpiry.set({ server: name }, untilMs / 1_000);
      log.info('serving a certificate', { serialNumber, names: subjectAltName, until: validTo });
      first.resolve();
    } catch (error) {
      const instead = present === undefined ? 'waiting for another one' : 'keeping the previous one';
      log.warn(`cannot use the new serving certificate; ${instead}`, { why: errorText(error) });
    }
  };
  signal.addEventListener('abort', () => forgetLater(), { once: true });
  const follow = async (): Promise<void> => {
    for await (const certificate of certificates(signal)) take(certificate);
    if (!signal.aborted) throw new Error(`the certificates of ${name} have expired`);
  };
  follow().catch((error: unknown) => {
    first.reject(error);
    if (present !== undefined) log.error('cannot watch the serving certificate; keeping the current one', error);
  });
  await orAborted(first.promise, signal);
  return {
    serveWith(created) {
      server = created;
      if (present !== undefined) created.setSecureContext(present.secrets);
    },
  };
}

async function listen(server: Server, { host, port }: BindAddress, name: string): Promise<HttpsServer['address']> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const advice =
        cause.code === 'EADDRINUSE' ? 'another process uses this port; choose another port' : cause.message;
      reject(new Error(`listening on ${host ?? ''}:${port} for ${name}: ${advice}`, { cause }));
    });
    server.listen({ host, port }, resolve);
  });
  server.removeAllListeners('error');
  const bound = server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

/**
 * Resolves when the server has closed, after its signal aborted; `cutOff` ends the requests that
 * are not answered by then.
 */
async function drained(server: Server, options: HttpsServerOptions, cutOff: () => void): Promise<void> {
  const { clock, signal, drainMs = 10_000 } = options;
  await whenAborted(signal);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const cancel = clock.after(drainMs, cutOff);
  await closed;
  cancel();
}

interface ServeOptions {
  readonly handler: HttpHandler;
  readonly connection: OpenConnection;
  readonly clock: Clock;
  readonly answerMs: number;
  /** Aborts when requests that still run are cut off. */
  readonly stopped: AbortSignal;
  readonly isEnding: () => boolean;
}

async function serve(options: ServeOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { connection, clock, answerMs, stopped, isEnding } = options;
  // Without listeners an error of the connection would end the process.
  request.on('error', () => {});
  response.on('error', () => {});
  using gone = linkedAbort(stopped);
  response.on('close', () => gone.abort(new Error('the client has disconnected')));
  using counted = connection.request();
  const answer = await answerTo(request, options.handler, counted, gone.signal);
  if (answer === undefined || gone.signal.aborted) return;
  // The rest of a rejected body would be read as the next request. And a client that makes no valid
  // requests must not occupy the server.
  if (isEnding() || answer.status !== 200) response.shouldKeepAlive = false;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  const cancel = clock.after(answerMs, () => response.destroy());
  response.on('close', cancel);
  response.end(request.method === 'HEAD' ? undefined : answer.body);
}

/** Undefined where the client has disconnected before its request was complete. */
async function answerTo(
  request: IncomingMessage,
  handler: HttpHandler,
  counted: OpenRequest,
  gone: AbortSignal,
): Promise<HttpResponse | undefined> {
  const { method = '', url = '' } = request;
  const head = { method, url, headers: headersOf(request) };
  const accepted = handler.accept(head);
  if ('refusal' in accepted) return accepted.refusal;
  const read = await bodyOf(request, accepted.bodyLimit, counted);
  if (gone.aborted) return undefined;
  if ('refusal' in read) return read.refusal;
  counted.complete();
  return handler.handle({ ...head, body: read.body }, gone);
}

/** The whole body, which must be UTF-8, or the error answer. */
async function bodyOf(
  request: IncomingMessage,
  limit: number,
  counted: OpenRequest,
): Promise<{ readonly body: string } | { readonly refusal: HttpResponse }> {
  const tooLarge = { refusal: textResponse(413, `the body is larger than ${limit} bytes\n`) };
  if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Leaving early must not close the connection: the refusal is still to be written.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) return tooLarge;
      if (!counted.hold(chunk.length)) return { refusal: textResponse(503, 'too many bodies at a time; try again\n') };
      chunks.push(chunk);
    }
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks, bytes));
    return { body };
  } catch {
    return { refusal: textResponse(400, 'the body is incomplete or not UTF-8\n') };
  }
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
