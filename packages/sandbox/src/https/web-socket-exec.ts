// One program in a container over WebSocket, as kubectl 1.31 and newer speak it.
import { createHash } from 'node:crypto';
import { Opcode, WebSocketError, createFrameReader, encodeFrame } from '@isthmus/kube';
import type { ExecTarget } from '../actions/pod-streams.ts';
import type { ExecConnection, ExecProtocol } from './exec-stream.ts';
import { createExecSession, writeTo } from './exec-stream.ts';

/** The first byte of each message. */
const Channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;

/** The largest message of a client. */
const mostBytes = 1024 * 1024;

/** Runs the program, and carries its streams until it ends or the client goes; then it is ended. Resolves when the connection is over. Never rejects. */
export async function serveWebSocketExec(
  { socket, head }: ExecConnection,
  { name, key }: Extract<ExecProtocol, { readonly kind: 'webSocket' }>,
  target: ExecTarget,
): Promise<void> {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      `Sec-WebSocket-Protocol: ${name}`,
      '\r\n',
    ].join('\r\n'),
  );
  const reader = createFrameReader({ isMasked: true, mostBytes });
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => socket.destroy());
  const close = (code: number) => socket.end(encodeFrame(Opcode.close, Uint8Array.of(code >> 8, code & 0xff)));
  const session = createExecSession(target, {
    send(channel, bytes) {
      const message = new Uint8Array(bytes.length + 1);
      message[0] = Channel[channel];
      message.set(bytes, 1);
      return writeTo(socket, over, encodeFrame(Opcode.binary, message));
    },
    end: () => close(1000),
    over,
  });
  const take = (bytes: Uint8Array) => {
    try {
      for (const { kind, payload } of reader.push(bytes)) {
        if (kind === 'ping') socket.write(encodeFrame(Opcode.pong, payload));
        else if (kind === 'close') close(1000);
        else if (kind === 'data') {
          const [channel] = payload;
          if (channel === Channel.stdin) session.write(payload.subarray(1));
          if (channel === Channel.close && payload[1] === Channel.stdin) session.endInput();
        }
      }
    } catch (error) {
      close(error instanceof WebSocketError ? error.code : 1011);
    }
  };
  socket.on('data', take);
  if (head.length > 0) take(head);
  await session.run();
}
