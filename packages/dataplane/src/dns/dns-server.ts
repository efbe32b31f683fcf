// One of the modules that have access to the outside: it listens for datagrams and connections, in
// turns of the event loop (dgram, net, timers).
import { createSocket } from 'node:dgram';
import type { Socket as DatagramSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import type { BindAddress, Log } from '@isthmus/kube';
import { openConnections } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { answerDatagrams } from './answer-datagrams.ts';
import type { CutAnswers } from './cut-answers.ts';
import { createCutAnswers } from './cut-answers.ts';
import { createFrames, framed } from './frames.ts';
import type { DnsMetrics } from './metrics.ts';
import { respond } from './respond.ts';
import type { Served } from './respond.ts';

export interface DnsServerOptions {
  readonly bind: BindAddress;
  /** Called for each message. */
  readonly served: () => Served;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: DnsMetrics;
  readonly limits?: Partial<DnsServerLimits> | undefined;
}

export interface DnsServerLimits {
  /**
   * The most TCP connections at a time. A further connection closes the one that has been idle
   * longest.
   */
  readonly connections: number;
  /** How long a client may take to send its next whole query, in milliseconds. */
  readonly idleMs: number;
  /** The longest query over TCP, in bytes. */
  readonly queryBytes: number;
}

const defaultLimits: DnsServerLimits = { connections: 1_000, idleMs: 10_000, queryBytes: 4_096 };

/** A DNS server that listens. */
export interface DnsServer extends AsyncDisposable {
  /** The same port for both transports. */
  readonly address: { readonly host: string; readonly port: number };
}

/**
 * Answers over UDP and TCP at one address until it is disposed. No input of a client stops it. A
 * message that cannot be read is not answered, or is answered with an error and the connection is
 * closed. Answers on a connection come in the order of the queries. While a client does not read
 * its answers, it gets no more of them, and its queries are not read. A client that sends many
 * queries at once waits after each of them for all other clients.
 *
 * Errors: rejects if the address cannot be bound, and names it.
 */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  await using sockets = new AsyncDisposableStack();
  const answering = { ...options, cut: createCutAnswers(options) };
  const tcp = await listenForConnections(answering);
  sockets.defer(() => tcp.close());
  const udp = await listenForDatagrams({ ...answering, bind: { ...options.bind, port: tcp.port } });
  sockets.defer(() => udp.close());
  const moved = sockets.move();
  return { address: { host: tcp.host, port: tcp.port }, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

type AnsweringOptions = DnsServerOptions & { readonly cut: CutAnswers };

/** The response, counted. Undefined: the message is not answered. */
function answered(message: Uint8Array, transport: 'udp' | 'tcp', options: AnsweringOptions): Uint8Array | undefined {
  const { clock, metrics, served, log } = options;
  const before = clock.monotonic();
  try {
    const response = respond(message, transport, served());
    metrics.dnsQueries.inc({ transport, type: response.type, rcode: response.rcode });
    metrics.dnsSeconds.observe({ transport }, (clock.monotonic() - before) / 1000);
    if (response.isTruncated) metrics.dnsTruncated.inc({ transport });
    if (response.isTruncated && transport === 'tcp') options.cut.note(response.name ?? '', response.type);
    return response.message;
  } catch (error) {
    log.error('cannot answer a query', error);
    metrics.dnsQueries.inc({ transport, type: 'other', rcode: 'none' });
    return undefined;
  }
}

const failure = ({ host = '', port }: BindAddress, cause: NodeJS.ErrnoException): Error => {
  const advice = cause.code === 'EADDRINUSE' ? 'another process uses this port; choose another port' : cause.message;
  return new Error(`listening on ${host}:${port} for DNS: ${advice}`, { cause });
};

async function listenForConnections(options: AnsweringOptions) {
  const { bind, clock, log, metrics } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const connections = openConnections({ connections: limits.connections, bodyBytes: 0 }, () => {
    metrics.dnsConnectionsClosed.inc({ reason: 'limit' });
    log.debug('closed the DNS connection that had been idle longest', { limit: limits.connections });
  });
  const takeTurn = createTurns();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => serveConnection(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(failure(bind, cause)));
    server.listen({ host: bind.host, port: bind.port }, resolve);
  });
  server
    .removeAllListeners('error')
    .on('error', (error) => log.error('the DNS server over TCP failed; continuing', error));
  const { address: host, port } = server.address() as AddressInfo;

  function serveConnection(socket: Socket): void {
    const counted = connections.opened(socket);
    const frames = createFrames(limits.queryBytes);
    const end = (reason: 'idle' | 'malformed') => {
      metrics.dnsConnectionsClosed.inc({ reason });
      socket.destroy();
    };
    let cancel = clock.after(limits.idleMs, () => end('idle'));
    socket.once('close', () => {
      cancel();
      counted.closed();
    });
    // The error of a client that has gone; `close` follows.
    socket.on('error', () => {});
    const restart = () => {
      cancel();
      cancel = clock.after(limits.idleMs, () => end('idle'));
    };
    /**
     * Whole queries that are not answered yet. Nothing is read meanwhile, so they are those of one
     * chunk.
     */
    const waiting: Uint8Array[] = [];
    let hasEnded = false;
    const goOn = () => {
      if (waiting.length > 0) takeTurn(answerNext);
      else if (hasEnded) socket.end();
      else socket.resume();
    };
    const answerNext = () => {
      const message = waiting.shift();
      if (message === undefined || socket.destroyed) return;
      using _request = counted.request();
      const response = answered(message, 'tcp', options);
      if (response === undefined) return end('malformed');
      restart();
      if (socket.write(framed(response))) goOn();
      else socket.once('drain', goOn);
    };
    socket.on('data', (chunk: Uint8Array) => {
      const messages = frames.push(chunk);
      if (messages === undefined) return end('malformed');
      if (messages.length === 0) return;
      restart();
      waiting.push(...messages);
      socket.pause();
      takeTurn(answerNext);
    });
    // A client that closes its side may still wait for answers.
    socket.on('end', () => {
      hasEnded = true;
      if (waiting.length === 0) socket.end();
    });
  }
  return {
    host,
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        connections.destroyAll();
      }),
  };
}

/**
 * Runs tasks one by one. After each task, all events that have arrived for the process are handled
 * first.
 */
function createTurns(): (task: () => void) => void {
  const tasks: (() => void)[] = [];
  const runNext = () => {
    const task = tasks.shift();
    if (task === undefined) return;
    if (tasks.length > 0) setImmediate(runNext);
    task();
  };
  return (task) => {
    tasks.push(task);
    if (tasks.length === 1) setImmediate(runNext);
  };
}

async function listenForDatagrams(options: AnsweringOptions) {
  const { bind, log } = options;
  const socket = await boundSocket(bind);
  socket.on('error', (error) => log.error('the DNS server over UDP failed; continuing', error));
  answerDatagrams(socket, (message) => answered(message, 'udp', options));
  return { close: () => new Promise<void>((resolve) => socket.close(() => resolve())) };
}

/** The size of the buffer for a burst of queries that arrives while the process is busy. */
const receiveBufferBytes = 1 << 20;

/** A socket on the host. Without a host: both families, or IPv4 if the machine has no IPv6. */
async function boundSocket(bind: BindAddress): Promise<DatagramSocket> {
  const isIPv6 = bind.host === undefined || bind.host.includes(':');
  try {
    return await bindSocket(bind, isIPv6 ? 'udp6' : 'udp4');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (bind.host === undefined && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL' || code === 'EINVAL'))
      return bindSocket(bind, 'udp4').catch((cause: NodeJS.ErrnoException) => Promise.reject(failure(bind, cause)));
    throw failure(bind, error as NodeJS.ErrnoException);
  }
}

function bindSocket({ host, port }: BindAddress, type: 'udp4' | 'udp6'): Promise<DatagramSocket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type, recvBufferSize: receiveBufferBytes });
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ port, address: host }, () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}
