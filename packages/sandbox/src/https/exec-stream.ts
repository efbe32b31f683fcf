// One program in a container over WebSocket, as `kubectl exec` speaks it.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Opcode, WebSocketError, createFrameReader, encodeFrame } from '@isthmus/kube';
import type { Answer } from '../answer/answer.ts';
import type { ExecTarget } from '../actions/pod-streams.ts';
import type { ExecProcess } from '../core/container-streams.ts';

/** The first byte of each message. */
const Channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;

/** In the order of preference. Only in the first a client can close its input. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** The largest message of a client. */
const mostBytes = 1024 * 1024;

/** Which of the known protocols a client offers; why none can be spoken otherwise. */
export function protocolOf({ headers }: IncomingMessage): (typeof protocols)[number] | { readonly problem: string } {
  if (headers.upgrade?.toLowerCase() !== 'websocket')
    return {
      problem: `unable to upgrade: this server speaks WebSocket, not ${String(headers.upgrade)}; use kubectl 1.31 or newer`,
    };
  if (headers['sec-websocket-version'] !== '13' || typeof headers['sec-websocket-key'] !== 'string')
    return { problem: 'unable to upgrade: the request has no key of WebSocket 13' };
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  const found = protocols.find((one) => offered.includes(one));
  return found ?? { problem: `unable to upgrade: the client must offer one of ${protocols.join(', ')}` };
}

/** Answers on a connection that stays as it was, and ends it. */
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

export interface ExecStream {
  readonly socket: Duplex;
  /** What the client sent behind its request. */
  readonly head: Uint8Array;
  readonly protocol: (typeof protocols)[number];
  readonly key: string;
}

/** Runs the program, and carries its streams until it ends or the client goes; then it is ended. Resolves when the connection is over. Never rejects. */
export async function serveExec({ socket, head, protocol, key }: ExecStream, target: ExecTarget): Promise<void> {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      `Sec-WebSocket-Protocol: ${protocol}`,
      '\r\n',
    ].join('\r\n'),
  );
  const reader = createFrameReader({ isMasked: true, mostBytes });
  let program: ExecProcess | undefined;
  const early: (() => void)[] = [];
  /** Input may come before the program runs. */
  const toProgram = (work: (program: ExecProcess) => void) => {
    if (program === undefined) early.push(() => program !== undefined && work(program));
    else work(program);
  };
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  void over.then(() => toProgram((one) => one.kill()));
  socket.on('error', () => socket.destroy());
  const send = (channel: number, bytes: Uint8Array): void | Promise<void> => {
    if (socket.destroyed) return undefined;
    const message = new Uint8Array(bytes.length + 1);
    message[0] = channel;
    message.set(bytes, 1);
    if (socket.write(encodeFrame(Opcode.binary, message))) return undefined;
    // As fast as the client reads.
    return Promise.race([over, new Promise<void>((resolve) => socket.once('drain', () => resolve()))]);
  };
  const close = (code: number) => socket.end(encodeFrame(Opcode.close, Uint8Array.of(code >> 8, code & 0xff)));
  const take = (bytes: Uint8Array) => {
    try {
      for (const { kind, payload } of reader.push(bytes)) {
        if (kind === 'ping') socket.write(encodeFrame(Opcode.pong, payload));
        else if (kind === 'close') close(1000);
        else if (kind === 'data') {
          const [channel] = payload;
          if (channel === Channel.stdin && target.hasStdin) toProgram((one) => one.write(payload.subarray(1)));
          if (channel === Channel.close && payload[1] === Channel.stdin) toProgram((one) => one.endInput());
        }
      }
    } catch (error) {
      close(error instanceof WebSocketError ? error.code : 1011);
    }
  };
  socket.on('data', take);
  if (head.length > 0) take(head);
  try {
    program = await target.start({
      onStdout: (bytes) => (target.hasStdout ? send(Channel.stdout, bytes) : undefined),
      onStderr: (bytes) => (target.hasStderr ? send(Channel.stderr, bytes) : undefined),
    });
    if (!target.hasStdin) program.endInput();
    for (const work of early) work();
    await send(Channel.status, new TextEncoder().encode(JSON.stringify(statusOf(await program.exited))));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const failure = { metadata: {}, status: 'Failure', reason: 'InternalError', message, code: 500 };
    await send(Channel.status, new TextEncoder().encode(JSON.stringify(failure)));
  }
  close(1000);
  await over;
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
