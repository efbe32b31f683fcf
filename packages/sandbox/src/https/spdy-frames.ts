// Frames of SPDY/3.1, as far as `kubectl exec` before 1.31 and the executors of client-go use them:
// streams that a client opens, data, pings.
import { constants, inflateSync } from 'node:zlib';
import { spdyDictionary } from './spdy-dictionary.ts';

/** A frame from a client. */
export type SpdyFrame =
  | { readonly kind: 'open'; readonly stream: number; readonly headers: ReadonlyMap<string, string> }
  | { readonly kind: 'data'; readonly stream: number; readonly payload: Uint8Array; readonly isLast: boolean }
  | { readonly kind: 'reset'; readonly stream: number }
  | { readonly kind: 'ping'; readonly id: number }
  | { readonly kind: 'goAway' };

/**
 * Receives bytes as they arrive, and returns the complete frames. Errors: throws for an invalid
 * frame, or one that is too large.
 */
export interface SpdyReader {
  push(bytes: Uint8Array): readonly SpdyFrame[];
}

const Type = { open: 1, reply: 2, reset: 3, ping: 6, goAway: 7 } as const;
const version = 3;
const lastFlag = 1;
const headBytes = 8;
/** The limit for all headers of a connection, which has a handful of streams. */
const mostHeaderBytes = 64 * 1024;

export function createSpdyReader({ mostBytes }: { readonly mostBytes: number }): SpdyReader {
  let waiting = Buffer.alloc(0);
  // All headers of a connection are one compressed text. It is short, so it is read from its
  // beginning each time.
  let compressed = Buffer.alloc(0);
  let readBytes = 0;

  function headersOf(block: Uint8Array): ReadonlyMap<string, string> {
    compressed = Buffer.concat([compressed, block]);
    if (compressed.length > mostHeaderBytes) throw new Error(`the headers have more than ${mostHeaderBytes} bytes`);
    const text = inflateSync(compressed, {
      dictionary: spdyDictionary(),
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: mostHeaderBytes,
    });
    const own = text.subarray(readBytes);
    readBytes = text.length;
    return headersIn(own);
  }

  function frameOf(head: Buffer, payload: Buffer): SpdyFrame | undefined {
    const first = head.readUInt32BE(0);
    const isLast = (head.readUInt8(4) & lastFlag) !== 0;
    if (first < 0x8000_0000) return { kind: 'data', stream: first, payload, isLast };
    const type = first & 0xffff;
    if (((first >>> 16) & 0x7fff) !== version) throw new Error('a frame is not of SPDY/3');
    if (type === Type.open) {
      const stream = payload.readUInt32BE(0) & 0x7fff_ffff;
      return { kind: 'open', stream, headers: headersOf(payload.subarray(10)) };
    }
    if (type === Type.reset) return { kind: 'reset', stream: payload.readUInt32BE(0) & 0x7fff_ffff };
    if (type === Type.ping) return { kind: 'ping', id: payload.readUInt32BE(0) };
    if (type === Type.goAway) return { kind: 'goAway' };
    // Settings, sizes of windows: these clients keep none.
    return undefined;
  }

  return {
    push(bytes) {
      waiting = Buffer.concat([waiting, bytes]);
      const frames: SpdyFrame[] = [];
      while (waiting.length >= headBytes) {
        const length = waiting.readUIntBE(5, 3);
        if (length > mostBytes) throw new Error(`a frame has more than ${mostBytes} bytes`);
        if (waiting.length < headBytes + length) break;
        const frame = frameOf(waiting.subarray(0, headBytes), waiting.subarray(headBytes, headBytes + length));
        waiting = waiting.subarray(headBytes + length);
        if (frame !== undefined) frames.push(frame);
      }
      return frames;
    },
  };
}

/**
 * Reads the number of headers, then each as two texts with their lengths. Errors: throws if the
 * block is truncated.
 */
function headersIn(block: Buffer): ReadonlyMap<string, string> {
  let at = 4;
  const text = () => {
    const length = block.readUInt32BE(at);
    if (at + 4 + length > block.length) throw new Error('the headers of a stream are cut off');
    at += 4 + length;
    return block.toString('utf8', at - length, at);
  };
  const headers = new Map<string, string>();
  for (let left = block.readUInt32BE(0); left > 0; left--) headers.set(text(), text());
  return headers;
}

function control(type: number, payload: Uint8Array): Uint8Array {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE((0x8000_0000 | (version << 16) | type) >>> 0);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

/** Writes the frames of a server. */
export interface SpdyWriter {
  /** Accepts a stream; it has no headers. */
  reply(stream: number): Uint8Array;
  data(stream: number, payload: Uint8Array, options?: { readonly isLast: boolean }): Uint8Array;
  pong(id: number): Uint8Array;
}

export function createSpdyWriter(): SpdyWriter {
  let isFirst = true;
  return {
    reply(stream) {
      // The compressed text of all replies. Each time: a stored block with the number 0, and an
      // empty one, at which readers return the previous bytes (RFC 1951 §3.2.4; zlib's
      // Z_SYNC_FLUSH).
      const block = [0x00, 0x04, 0x00, 0xfb, 0xff, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0xff, 0xff];
      const headers = isFirst ? [0x78, 0x01, ...block] : block;
      isFirst = false;
      const id = Buffer.alloc(4);
      id.writeUInt32BE(stream);
      return control(Type.reply, Buffer.concat([id, Uint8Array.from(headers)]));
    },
    data(stream, payload, { isLast } = { isLast: false }) {
      const head = Buffer.alloc(headBytes);
      head.writeUInt32BE(stream);
      head.writeUInt8(isLast ? lastFlag : 0, 4);
      head.writeUIntBE(payload.length, 5, 3);
      return Buffer.concat([head, payload]);
    },
    pong(id) {
      const payload = Buffer.alloc(4);
      payload.writeUInt32BE(id);
      return control(Type.ping, payload);
    },
  };
}
