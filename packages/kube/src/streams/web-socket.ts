/**
 * One of the modules that may use the network directly: it opens connections.
 */
import { parseServerAddress } from '../transport/server-address.ts';
import type { ClientCertificate } from '../transport/credentials.ts';
import { TransportError } from '../transport/https-transport.ts';

export interface WebSocketOptions {
  readonly server: string;
  readonly caPem: string;
  readonly clientCertificate: ClientCertificate;
  readonly userAgent: string;
  /** With its query, as it is written in the request. */
  readonly path: string;
  readonly protocol: string;
  /** Called with each message, in order. */
  readonly onMessage: (payload: Uint8Array) => void;
}

/** A connection of messages to an API server. */
export interface OpenWebSocket {
  send(payload: Uint8Array): void;
  close(): void;
  /** Resolves when it is over; rejects where it broke off. */
  readonly closed: Promise<void>;
}

/** An API server refused it. */
export interface RefusedWebSocket {
  readonly status: number;
  readonly body: string;
}

const mostBytes = 16 * 1024 * 1024;

/**
 * Opens a connection of WebSocket (RFC 6455). Errors: rejects with a {@link TransportError} where
 * there is no connection.
 */
export async function openWebSocket(options: WebSocketOptions): Promise<OpenWebSocket | RefusedWebSocket> {
  const { server, caPem, clientCertificate, userAgent, path, protocol, onMessage } = options;
  const target = parseServerAddress(server);
  const failure = ({ message, code }: NodeJS.ErrnoException) => new TransportError(`${target.name}: ${message}`, code);
  // Only few programs need it.
  const { WebSocket } = await import('ws');
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`wss://${target.hostHeader}${target.basePath}${path}`, protocol, {
      ca: caPem,
      cert: clientCertificate.certPem,
      key: clientCertificate.keyPem,
      headers: { 'user-agent': userAgent },
      maxPayload: mostBytes,
      perMessageDeflate: false,
    });
    const closed = Promise.withResolvers<void>();
    closed.promise.catch(() => {});
    socket.on('unexpected-response', (_, answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => (body = (body + text).slice(0, mostBytes)));
      answer.on('error', (error) => reject(failure(error)));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    socket.on('open', () =>
      resolve({
        send: (payload) => socket.send(payload),
        close: () => socket.close(1000),
        closed: closed.promise,
      }),
    );
    socket.on('message', (payload: Buffer) => onMessage(payload));
    // Before it is open, the first of both counts; afterwards, the second.
    socket.on('error', (error) => {
      reject(failure(error));
      closed.reject(failure(error));
    });
    socket.on('close', () => closed.resolve());
  });
}
