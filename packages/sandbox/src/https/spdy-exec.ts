// One program in a container over SPDY/3.1, the protocol of kubectl before 1.31 and of client-go's
// SPDY executor.
import type { ExecTarget } from '../actions/pod-streams.ts';
import type { ExecConnection, ExecProtocol } from './exec-stream.ts';
import { createExecSession, writeTo } from './exec-stream.ts';
import { createSpdyReader, createSpdyWriter } from './spdy-frames.ts';

/** The largest frame of a client. */
const mostBytes = 1024 * 1024;
/** The most streams of a client: each of its kinds, and some to spare. */
const mostStreams = 8;

/** The header that names the purpose of a stream. */
const kindHeader = 'streamtype';

/**
 * Runs the program when the client has opened the streams that it asked for. Carries the streams
 * until the program ends, or ends it when the client disconnects. Resolves when the connection is
 * over. Never rejects.
 */
export async function serveSpdyExec(
  { socket, head }: ExecConnection,
  { name }: Extract<ExecProtocol, { readonly kind: 'spdy' }>,
  target: ExecTarget,
): Promise<void> {
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: SPDY/3.1',
      'Connection: Upgrade',
      `X-Stream-Protocol-Version: ${name}`,
      '\r\n',
    ].join('\r\n'),
  );
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => socket.destroy());
  const reader = createSpdyReader({ mostBytes });
  const writer = createSpdyWriter();
  /** The streams by purpose. */
  const streams = new Map<string, number>();
  const needed = [
    'error',
    ...(target.hasStdin ? ['stdin'] : []),
    ...(target.hasStdout ? ['stdout'] : []),
    ...(target.hasStderr ? ['stderr'] : []),
  ];
  const opened = Promise.withResolvers<void>();
  const session = createExecSession(target, {
    send(channel, bytes) {
      const stream = streams.get(channel === 'status' ? 'error' : channel);
      return stream === undefined ? undefined : writeTo(socket, over, writer.data(stream, bytes));
    },
    end() {
      // A client reads each stream to its end, and then leaves.
      for (const stream of streams.values()) socket.write(writer.data(stream, new Uint8Array(0), { isLast: true }));
      socket.end();
    },
    over,
  });
  const take = (bytes: Uint8Array) => {
    try {
      for (const frame of reader.push(bytes)) {
        if (frame.kind === 'open') {
          if (streams.size >= mostStreams) throw new Error('a client opens too many streams');
          streams.set(frame.headers.get(kindHeader) ?? '', frame.stream);
          socket.write(writer.reply(frame.stream));
          if (needed.every((kind) => streams.has(kind))) opened.resolve();
        } else if (frame.kind === 'ping') socket.write(writer.pong(frame.id));
        else if (frame.kind === 'data' && frame.stream === streams.get('stdin')) {
          if (frame.payload.length > 0) session.write(frame.payload);
          if (frame.isLast) session.endInput();
        }
      }
    } catch {
      socket.destroy();
    }
  };
  socket.on('data', take);
  if (head.length > 0) take(head);
  await Promise.race([opened.promise, over]);
  if (socket.destroyed) return;
  await session.run();
}
