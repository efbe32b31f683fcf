// The node:http adapter of health.ts: the one module of the runtime that listens on a port.
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../log/log.ts';
import type { BindAddress } from './bind-address.ts';
import type { HealthRequest, HealthResponse } from './health.ts';
import { createServer } from '../world/node-http.ts';
import type { OpenConnection } from './open-connections.ts';
import { openConnections } from './open-connections.ts';
import { unansweredRequests } from './unanswered-requests.ts';

export interface HealthServer extends AsyncDisposable {
  readonly address: { readonly host: string; readonly port: number };
}

/** Kubelets and Prometheus need a handful. */
const usualConnections = 100;
/** Neither sends a request before it has the answer to the one before. */
const mostUnanswered = 4;

/**
 * Serves a handler over plain HTTP until it is disposed. Slow and idle clients are cut off by
 * Node's own limits. Where connections are too many, the one is dropped whose client has kept the
 * server waiting longest, also for the reading of an answer, so that connections that others hold
 * do not keep out a probe. So is a connection with more requests than a few that wait for their
 * answers. A handler that rejects, and connections that cannot be accepted, are logged; the server
 * goes on.
 *
 * Errors: rejects when the address can't be had, naming it.
 */
export async function startHealthServer(
  bind: BindAddress,
  handler: (request: HealthRequest) => Promise<HealthResponse>,
  log: Log,
  mostConnections = usualConnections,
): Promise<HealthServer> {
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 30_000, maxHeaderSize: 16_384 };
  const connections = openConnections({ connections: mostConnections, bodyBytes: 0 }, (limit) =>
    log.debug('closed the connection to health and metrics that had been idle longest', { limit }),
  );
  const connectionOf = new WeakMap<Socket, OpenConnection>();
  const isAnswered = unansweredRequests(mostUnanswered);
  const server = createServer({ ...limits, connectionsCheckingInterval: 5_000 }, (request, response) => {
    const { socket } = request;
    if (!isAnswered(socket, response)) return;
    request.resume();
    void answer().catch((error: unknown) => {
      log.error('cannot answer a request for health or metrics', error);
      response.destroy();
    });
    async function answer(): Promise<void> {
      using underway = connectionOf.get(socket)?.request();
      // Bodies are not read: until there is an answer the client waits for us.
      underway?.complete();
      const { status, headers, body } = await handler({ method: request.method ?? '', url: request.url ?? '' });
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      response.end(request.method === 'HEAD' ? undefined : body);
    }
  });
  server.on('connection', (socket: Socket) => {
    const connection = connections.opened(socket);
    connectionOf.set(socket, connection);
    socket.once('close', () => connection.closed());
  });
  const shown = `${bind.host ?? ''}:${bind.port}`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const advice =
        cause.code === 'EADDRINUSE' ? 'another process uses this port; choose another port' : cause.message;
      reject(new Error(`listening on ${shown} for health and metrics: ${advice}`, { cause }));
    });
    server.listen({ host: bind.host, port: bind.port }, resolve);
  });
  // Errors of connections that cannot be accepted, for example if the process has too many open
  // files.
  server.removeAllListeners('error').on('error', (error) => {
    log.error('the server for health and metrics failed; continuing', error);
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    address: { host: address, port },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
