// One program in a container, over a connection that a client asked to upgrade: the common parts of
// the protocols.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorMessage } from '@isthmus/machinery';
import type { Answer } from '../answer/answer.ts';
import type { ExecTarget } from '../actions/pod-streams.ts';
import type { ExecProcess } from '../core/container-streams.ts';

/**
 * Protocols of WebSocket, in the order of preference. Only in the first a client can close its
 * input.
 */
const webSocketProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** The SPDY protocol in which closing a stream closes the input. */
const spdyProtocol = 'v4.channel.k8s.io';

/** The protocol that a client requests. */
export type ExecProtocol =
  | { readonly kind: 'webSocket'; readonly name: (typeof webSocketProtocols)[number] }
  | { readonly kind: 'spdy'; readonly name: typeof spdyProtocol };

/** Which of the known protocols a client offers; why none can be spoken otherwise. */
export function protocolOf({ headers }: IncomingMessage): ExecProtocol | { readonly problem: string } {
  const listed = (value: string | readonly string[] | undefined) =>
    String(value ?? '')
      .split(',')
      .map((one) => one.trim());
  const problem = (offer: readonly string[]) => ({
    problem: `unable to upgrade: the client must offer one of ${offer.join(', ')}`,
  });
  const upgrade = headers.upgrade?.toLowerCase();
  if (upgrade === 'spdy/3.1') {
    const isOffered = listed(headers['x-stream-protocol-version']).includes(spdyProtocol);
    return isOffered ? { kind: 'spdy', name: spdyProtocol } : problem([spdyProtocol]);
  }
  if (upgrade !== 'websocket')
    return {
      problem: `unable to upgrade: this server speaks WebSocket and SPDY/3.1, not ${String(headers.upgrade)}; use kubectl exec`,
    };
  const offered = listed(headers['sec-websocket-protocol']);
  const name = webSocketProtocols.find((one) => offered.includes(one));
  return name === undefined ? problem(webSocketProtocols) : { kind: 'webSocket', name };
}

/** Answers on a connection that was not upgraded, and ends it. */
export function answerOnSocket(socket: Duplex, { status, contentType, body }: Answer): void {
  const text = typeof body === 'string' ? body : '';
  const head = [
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Refused'}`,
    ...(contentType === '' ? [] : [`Content-Type: ${contentType}`]),
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** A connection that a client has upgraded. */
export interface ExecConnection {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that the client sent after its request. */
  readonly head: Uint8Array;
}

/** The way to the client, in the words of its protocol. */
export interface ExecClient {
  /** Resolves when the client can receive more. */
  send(channel: 'stdout' | 'stderr' | 'status', bytes: Uint8Array): void | Promise<void>;
  /** Nothing more follows. */
  end(): void;
  /** Resolves when the connection is over. */
  readonly over: Promise<void>;
}

/** A program that a client wants. */
export interface ExecSession {
  /** Input may come before the program runs. */
  write(bytes: Uint8Array): void;
  endInput(): void;
  /**
   * Runs the program until it ends, or ends it when the client disconnects. Resolves when the
   * connection is over. Never rejects.
   */
  run(): Promise<void>;
}

export function createExecSession(target: ExecTarget, { send, end, over }: ExecClient): ExecSession {
  let program: ExecProcess | undefined;
  const early: ((program: ExecProcess) => void)[] = [];
  const toProgram = (work: (program: ExecProcess) => void) => {
    if (program === undefined) early.push(work);
    else work(program);
  };
  void over.then(() => toProgram((one) => one.kill()));
  const sendStatus = (status: object) => send('status', new TextEncoder().encode(JSON.stringify(status)));
  return {
    write: (bytes) => void (target.hasStdin && toProgram((one) => one.write(bytes))),
    endInput: () => toProgram((one) => one.endInput()),
    async run() {
      try {
        const started = await target.start({
          onStdout: (bytes) => (target.hasStdout ? send('stdout', bytes) : undefined),
          onStderr: (bytes) => (target.hasStderr ? send('stderr', bytes) : undefined),
        });
        program = started;
        if (!target.hasStdin) started.endInput();
        for (const work of early) work(started);
        await sendStatus(statusOf(await started.exited));
      } catch (error) {
        const message = errorMessage(error);
        await sendStatus({ metadata: {}, status: 'Failure', reason: 'InternalError', message, code: 500 });
      }
      end();
      await over;
    },
  };
}

/** Writes to the socket of a client, as fast as it reads. */
export function writeTo(socket: Duplex, over: Promise<void>, bytes: Uint8Array): void | Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return undefined;
  return Promise.race([over, new Promise<void>((resolve) => socket.once('drain', () => resolve()))]);
}

/** How a program ended, as a client reads it. */
function statusOf(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}
