import { ByteQueue } from '@isthmus/sandbox';
import type { Fault } from './fault.ts';
import type { FreezableServer } from './freezable-server.ts';
import { connectionError } from './made-up-answers.ts';
import type { NetworkLink } from './network-link.ts';

/** The link and the server that a request meets. */
export interface Way {
  readonly link: NetworkLink;
  readonly server: FreezableServer;
}

/** The end of a stream after some lines. */
export type StreamLimit = Extract<Fault, { readonly afterLines: number }>;

/** The body of an answer as it arrives: broken, delayed, or ended after some lines. */
export function relayStream(
  body: AsyncIterable<Uint8Array>,
  way: Way,
  signal: AbortSignal,
  limit?: StreamLimit,
): AsyncIterable<Uint8Array> {
  const out = new ByteQueue();
  const source = body[Symbol.asyncIterator]();
  way.link.streams.add(out);
  const onAbort = () => out.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  out.onEnd(() => {
    way.link.streams.delete(out);
    signal.removeEventListener('abort', onAbort);
    // The reader left or the stream broke, so the source is closed. An error of a source that is
    // already done is ignored.
    void source.return?.().catch(() => {});
  });
  void pump({ source, out, limit }, way, signal).catch((error: unknown) => out.fail(error));
  return out;
}

interface Stream {
  readonly source: AsyncIterator<Uint8Array>;
  readonly out: ByteQueue;
  readonly limit: StreamLimit | undefined;
}

async function pump({ source, out, limit }: Stream, { link, server }: Way, signal: AbortSignal): Promise<void> {
  for (let lines = 0; ;) {
    if (limit !== undefined && lines >= limit.afterLines) {
      if (limit.kind === 'stall-stream') return;
      if (limit.kind === 'end-stream') return out.end();
      throw connectionError('ECONNRESET', `the stream broke after ${lines} lines`);
    }
    const next = await source.next();
    if (!out.isOpen) return;
    await link.up(signal);
    await server.running(signal);
    if (next.done === true) return out.end();
    out.push(next.value);
    if (limit !== undefined) lines += next.value.reduce((count, byte) => count + (byte === newline ? 1 : 0), 0);
  }
}

const newline = 10;
