// One of the modules that may touch the world: it listens on a port. Its sockets use timers of
// Node, not a Clock: they bound how long the server waits for a silent client.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { hostPort } from '@isthmus/machinery';
import type { ApiRequest, OpenConnectionsLimits, OpenRequest } from '@isthmus/kube';
import { countConnections, openConnections, unansweredRequests } from '@isthmus/kube';
import { jsonAnswer } from '../answer/answer.ts';
import { badRequest, statusBody } from '../refusal/refusal.ts';
import { maxBodyBytes } from '../routing/body-limit.ts';
import { jsonOfProtobuf } from '../protobuf/json-of-protobuf.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Authority } from './authority.ts';
import { apiServerNames, createAuthority } from './authority.ts';
import type { ExecConnection } from './exec-stream.ts';
import { answerOnSocket, protocolOf } from './exec-stream.ts';
import { answerUnreadable } from './unreadable-request.ts';
import { credentialsOf } from './client-credentials.ts';
import { receiveBody } from './request-body.ts';
import { requestTargetOf } from './request-target.ts';
import { sendAnswer } from './send-answer.ts';
import { serveSpdyExec } from './spdy-exec.ts';
import { serveWebSocketExec } from './web-socket-exec.ts';

export interface ServeHttpsOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Default 0: any that is free. */
  readonly port?: number | undefined;
  /**
   * Signs the server's certificate; client certificates are accepted if it signed them. Default: a
   * new one.
   */
  readonly authority?: Authority | undefined;
  /** Default: 4,096 connections, 128 MiB of bodies. */
  readonly limits?: OpenConnectionsLimits | undefined;
}

/**
 * A sandbox that listens. Disposing closes every connection, in use or not; the sandbox itself
 * lives on.
 */
export interface HttpsSandbox extends AsyncDisposable {
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly caData: string;
  /** Issues client certificates that this server accepts. */
  readonly authority: Authority;
}

/** The limit of a real server: 1 MiB and Go's addition to it. */
const maxHeaderBytes = 1024 * 1024 + 4096;

/** The timeouts for silent clients, those of a real server. */
const limits = {
  headersTimeout: 32_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 90_000,
  connectionsCheckingInterval: 5_000,
};

/**
 * Enough for hundreds of clients with a watch of each kind, and for forty of the largest bodies.
 */
const defaultLimits: OpenConnectionsLimits = { connections: 4_096, bodyBytes: 128 * 1024 * 1024 };

/**
 * Clients that send requests without waiting for the answers are rare; a real server reads one
 * after the other.
 */
const mostUnanswered = 16;

/** After this much silence the kernel begins to probe whether the other end is still there. */
const probeAfterMs = 15_000;

/**
 * Serves a sandbox over HTTPS (HTTP/1.1), so that kubectl, helm and any client can use it.
 *
 * If there are too many connections, or too many bytes of unfinished bodies, one connection is
 * dropped: that whose client has kept the server waiting longest, also by not reading an answer. A
 * connection with a watch is never dropped. A connection with more than 16 unanswered requests is
 * dropped too.
 *
 * Guarantees: a client sees the same as from a real server at this level: `Audit-Id`,
 * `Cache-Control`, gzip, 413, bad requests. Left out: the `X-Kubernetes-Pf-*` headers, whose uids
 * name objects that a sandbox does not have, and HTTP/2. Errors: rejects if the address is not
 * available, and names it.
 */
export async function serveHttps(sandbox: Sandbox, options: ServeHttpsOptions = {}): Promise<HttpsSandbox> {
  const { host = '127.0.0.1', port = 0 } = options;
  const authority = options.authority ?? (await createAuthority(`isthmus-sandbox-${sandbox.name}`));
  const serving = await authority.issueServing('kube-apiserver', [...new Set([host, ...apiServerNames])]);
  const isAnswered = unansweredRequests(mostUnanswered);
  const server = createServer(
    {
      cert: serving.certData,
      key: serving.keyData,
      ca: authority.caData,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: false,
      keepAlive: true,
      keepAliveInitialDelay: probeAfterMs,
      ...limits,
    },
    (request, response) => {
      const connection = connectionOf(request.socket);
      if (connection === undefined) return void response.destroy();
      if (!isAnswered(request.socket, response)) return;
      const underway = connection.request();
      response.once('close', () => underway[Symbol.dispose]());
      void serve({ sandbox, underway }, request, response).catch(() => response.destroy());
    },
  );
  const connectionOf = countConnections(
    server,
    openConnections(options.limits ?? defaultLimits, () => {}),
  );
  server.maxHeadersCount = 0;
  server.on('clientError', answerUnreadable);
  server.on('tlsClientError', (_, socket) => socket.destroy());
  // The server no longer counts upgraded sockets as its connections.
  const streams = new Set<Duplex>();
  if (sandbox.runsPrograms)
    server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
      streams.add(socket);
      socket.once('close', () => streams.delete(socket));
      socket.on('error', () => socket.destroy());
      void upgrade(sandbox, { request, socket, head }).catch(() => socket.destroy());
    });
  await listen(server, host, port);
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    url: `https://${hostPort(address, bound)}`,
    caData: authority.caData,
    authority,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const socket of streams) socket.destroy();
      await closed;
    },
  };
}

/** Runs the program that a request wants in a container, or answers it. */
async function upgrade(sandbox: Sandbox, connection: ExecConnection): Promise<void> {
  const { request, socket } = connection;
  const { url = '', headers } = request;
  const target = requestTargetOf(url);
  const refuse = (message: string) => answerOnSocket(socket, jsonAnswer(400, statusBody(badRequest(message))));
  if (target === undefined) return refuse('the path cannot be read');
  const protocol = protocolOf(request);
  const method = request.method as ApiRequest['method'];
  const head: ApiRequest = { ...target, method, headers: headersOf(headers) };
  const command = new URLSearchParams(url.slice(url.indexOf('?') + 1)).getAll('command');
  const found = sandbox.exec(head, credentialsOf(request.socket as TLSSocket, headers), command);
  if ('status' in found) return answerOnSocket(socket, found);
  if ('problem' in protocol) return refuse(protocol.problem);
  if (protocol.kind === 'spdy') await serveSpdyExec(connection, protocol, found);
  else await serveWebSocketExec(connection, protocol, found);
}

async function serve(
  { sandbox, underway }: { readonly sandbox: Sandbox; readonly underway: OpenRequest },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Without a listener, an error of the connection would end the process.
  response.on('error', () => {});
  const { method = '', url = '', headers } = request;
  if (headers.host === undefined && request.httpVersion === '1.1')
    return bad(response, ': missing required Host header');
  if (url === '*' && method === 'OPTIONS') return void response.writeHead(200, { 'Content-Length': 0 }).end();
  const target = requestTargetOf(url);
  if (target === undefined) return bad(response, '');
  // The handler rejects other methods, since it knows whether the path exists.
  const head: ApiRequest = { ...target, method: method as ApiRequest['method'], headers: headersOf(headers) };
  const credentials = credentialsOf(request.socket as TLSSocket, headers);
  const refusal = sandbox.refusal(head, credentials);
  // The body of a rejected request is discarded, so that clients without rights cannot fill the
  // memory.
  const { bytes, unread } = await receiveBody(request, refusal === undefined ? maxBodyBytes : 0, (length) =>
    underway.hold(length),
  );
  underway.complete();
  if (unread) response.shouldKeepAlive = false;
  const answer = refusal ?? (await sandbox.answer({ ...head, ...readable(head.headers ?? {}, bytes) }, credentials));
  // From here on the server waits for the client to read. An answer that is a stream lasts as long
  // as the client stays.
  if (typeof answer.body === 'string') underway[Symbol.dispose]();
  const auditId = headers['audit-id'];
  await sendAnswer(response, answer, {
    acceptEncoding: headers['accept-encoding'] ?? '',
    headers: { 'Audit-Id': typeof auditId === 'string' && auditId !== '' ? auditId : randomUUID() },
    bodiless: method === 'HEAD',
  });
}

function bad(response: ServerResponse, why: string): void {
  const text = `400 Bad Request${why}`;
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close', 'Content-Length': text.length };
  response.writeHead(400, text.slice(4), headers).end(text);
}

/**
 * The body as text. Protobuf becomes JSON if the kind has a JSON form; otherwise the content type
 * is rejected.
 */
function readable(headers: Readonly<Record<string, string>>, bytes: Buffer): Pick<ApiRequest, 'headers' | 'body'> {
  if (bytes.length === 0) return { headers };
  if (headers['content-type'] === 'application/vnd.kubernetes.protobuf' && bytes.length <= maxBodyBytes) {
    try {
      const body = jsonOfProtobuf(bytes);
      if (body !== undefined) return { headers: { ...headers, 'content-type': 'application/json' }, body };
    } catch {
      // The bytes are not such a message: the content type is rejected.
    }
  }
  return { headers, body: bytes.toString('utf8') };
}

/** The headers without the credentials, which no code after authentication needs. */
function headersOf(headers: IncomingMessage['headers']): Readonly<Record<string, string>> {
  const { authorization: _, ...rest } = headers;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined) kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const advice =
        cause.code === 'EADDRINUSE' ? 'another process uses this port; choose another port' : cause.message;
      reject(new Error(`listening on ${host}:${port} for the sandbox: ${advice}`, { cause }));
    });
    server.listen({ host, port }, () => {
      server.removeAllListeners('error').on('error', () => {});
      resolve();
    });
  });
}
