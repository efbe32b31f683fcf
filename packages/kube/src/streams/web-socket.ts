/** Of the modules that may touch the world: it opens connections (https, crypto). */
import { randomBytes } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { parseServerAddress } from '../transport/server-address.ts';
import type { ClientCertificate } from '../transport/credentials.ts';
import type { ApiRequest } from '../transport/transport.ts';
import { TransportError } from '../transport/https-transport.ts';
import { Opcode, createFrameReader, encodeFrame } from './web-socket-frames.ts';

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

/** Opens a connection of WebSocket (RFC 6455). Errors: rejects with a {@link TransportError} where there is no connection. */
export function openWebSocket(options: WebSocketOptions): Promise<OpenWebSocket | RefusedWebSocket> {
  const { server, caPem, clientCertificate, userAgent, path, protocol, onMessage } = options;
  const target = parseServerAddress(server);
  const failure = ({ message, code }: NodeJS.ErrnoException) => new TransportError(`${target.name}: ${message}`, code);
  return new Promise((resolve, reject) => {
    const asking = httpsRequest({
      host: target.host,
      port: target.port,
      method: 'GET' satisfies ApiRequest['method'],
      path: target.basePath + path,
      ca: caPem,
      cert: clientCertificate.certPem,
      key: clientCertificate.keyPem,
      agent: false,
      headers: {
        host: target.hostHeader,
        'user-agent': userAgent,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        'sec-websocket-protocol': protocol,
      },
    });
    asking.on('error', (error) => reject(failure(error)));
    asking.on('response', (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => (body = (body + text).slice(0, mostBytes)));
      answer.on('error', (error) => reject(failure(error)));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asking.on('upgrade', (_, socket: Duplex, head: Buffer) => {
      const closed = Promise.withResolvers<void>();
      closed.promise.catch(() => {});
      const reader = createFrameReader({ isMasked: false, mostBytes });
      const send = (opcode: (typeof Opcode)[keyof typeof Opcode], payload: Uint8Array) =>
        void socket.write(encodeFrame(opcode, payload, randomBytes(4)));
      const take = (bytes: Uint8Array) => {
        try {
          for (const { kind, payload } of reader.push(bytes)) {
            if (kind === 'data') onMessage(payload);
            else if (kind === 'ping') send(Opcode.pong, payload);
            else if (kind === 'close') socket.end(encodeFrame(Opcode.close, payload, randomBytes(4)));
          }
        } catch (error) {
          socket.destroy(error instanceof Error ? error : undefined);
        }
      };
      socket.on('data', take);
      socket.on('error', (error) => closed.reject(failure(error)));
      socket.on('close', () => closed.resolve());
      resolve({
        send: (payload) => send(Opcode.binary, payload),
        close: () => send(Opcode.close, Uint8Array.of(0x03, 0xe8)),
        closed: closed.promise,
      });
      if (head.length > 0) take(head);
    });
    asking.end();
  });
}
