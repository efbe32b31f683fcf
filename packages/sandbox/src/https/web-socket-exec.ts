// One program in a container over WebSocket, the protocol of kubectl since 1.31.
import type { ExecTarget } from '../actions/pod-streams.ts';
import type { WebSocket } from 'ws';
import type { ExecConnection, ExecProtocol } from './exec-stream.ts';
import { createExecSession } from './exec-stream.ts';

/** The first byte of each message. */
const Channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;

/** The largest message of a client. */
const mostBytes = 1024 * 1024;

/**
 * Runs the program, and carries its streams until it ends, or ends it when the client disconnects.
 * Resolves when the connection is over. Never rejects.
 */
export async function serveWebSocketExec(
  connection: ExecConnection,
  { name }: Extract<ExecProtocol, { readonly kind: 'webSocket' }>,
  target: ExecTarget,
): Promise<void> {
  const socket = await accepted(connection, name);
  // The request was none of WebSocket, and was answered with 400.
  if (socket === undefined) return;
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // A violation of the protocol closes the connection, with the protocol's code for it.
  socket.on('error', () => {});
  const session = createExecSession(target, {
    send(channel, bytes) {
      const message = new Uint8Array(bytes.length + 1);
      message[0] = Channel[channel];
      message.set(bytes, 1);
      return new Promise((resolve) => socket.send(message, () => resolve()));
    },
    end: () => socket.close(1000),
    over,
  });
  socket.on('message', (payload: Buffer) => {
    const [channel] = payload;
    if (channel === Channel.stdin) session.write(payload.subarray(1));
    if (channel === Channel.close && payload[1] === Channel.stdin) session.endInput();
  });
  await session.run();
}

/** Undefined if the request was rejected. */
async function accepted({ request, socket, head }: ExecConnection, protocol: string): Promise<WebSocket | undefined> {
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: mostBytes,
    handleProtocols: () => protocol,
  });
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    server.handleUpgrade(request, socket, Buffer.from(head), resolve);
  });
}
