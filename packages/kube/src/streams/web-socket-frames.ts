/** What a frame carries (RFC 6455 §5.2). */
export const Opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A whole message, or a control frame between two pieces of one. */
export interface WebSocketMessage {
  readonly kind: 'data' | 'close' | 'ping' | 'pong';
  readonly payload: Uint8Array;
}

export interface FrameReaderOptions {
  /** Whether frames must be masked: those of clients must, those of servers must not. */
  readonly isMasked: boolean;
  /** No message may have more bytes. */
  readonly mostBytes: number;
}

/** Takes bytes as they come, and gives the messages that are whole. Errors: throws for what is no frame, or too large. */
export interface FrameReader {
  push(bytes: Uint8Array): readonly WebSocketMessage[];
}

/** What the other side did not keep of the protocol; `code` is that of the close frame (RFC 6455 §7.4.1). */
export class WebSocketError extends Error {
  override readonly name = 'WebSocketError';
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

const longestControl = 125;

export function createFrameReader({ isMasked, mostBytes }: FrameReaderOptions): FrameReader {
  let waiting: Uint8Array = new Uint8Array(0);
  /** Of a message in several frames. */
  let pieces: Uint8Array[] | undefined;
  let length = 0;

  /** The first frame of what waits; undefined where it is not whole. */
  function take(): { readonly opcode: number; readonly isLast: boolean; readonly payload: Uint8Array } | undefined {
    const [first, second] = waiting;
    if (first === undefined || second === undefined) return undefined;
    if ((first & 0x70) !== 0) throw new WebSocketError('a frame uses an extension that was not agreed on', 1002);
    if (((second & 0x80) !== 0) !== isMasked)
      throw new WebSocketError(isMasked ? 'a frame of a client is not masked' : 'a frame of a server is masked', 1002);
    const view = new DataView(waiting.buffer, waiting.byteOffset, waiting.byteLength);
    const short = second & 0x7f;
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
    const head = 2 + extra + (isMasked ? 4 : 0);
    if (waiting.length < 2 + extra) return undefined;
    const size = extra === 2 ? view.getUint16(2) : extra === 8 ? Number(view.getBigUint64(2)) : short;
    const opcode = first & 0x0f;
    if (opcode >= Opcode.close && (size > longestControl || (first & 0x80) === 0))
      throw new WebSocketError('a control frame is too long or in pieces', 1002);
    if (length + size > mostBytes) throw new WebSocketError(`a message has more than ${mostBytes} bytes`, 1009);
    if (waiting.length < head + size) return undefined;
    const payload = waiting.slice(head, head + size);
    if (isMasked) {
      const mask = waiting.subarray(2 + extra, head);
      for (let at = 0; at < payload.length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0);
    }
    waiting = waiting.subarray(head + size);
    return { opcode, isLast: (first & 0x80) !== 0, payload };
  }

  return {
    push(bytes) {
      waiting = joined([waiting, bytes]);
      const messages: WebSocketMessage[] = [];
      for (let frame = take(); frame !== undefined; frame = take()) {
        const { opcode, isLast, payload } = frame;
        if (opcode >= Opcode.close) {
          const kind = controls[opcode];
          if (kind === undefined) throw new WebSocketError(`a frame has the unknown opcode ${opcode}`, 1002);
          messages.push({ kind, payload });
          continue;
        }
        if (opcode > Opcode.binary) throw new WebSocketError(`a frame has the unknown opcode ${opcode}`, 1002);
        if ((opcode === Opcode.continuation) !== (pieces !== undefined))
          throw new WebSocketError('a message begins inside another one, or continues without a beginning', 1002);
        pieces = [...(pieces ?? []), payload];
        length += payload.length;
        if (!isLast) continue;
        messages.push({ kind: 'data', payload: joined(pieces) });
        [pieces, length] = [undefined, 0];
      }
      return messages;
    },
  };
}

const controls: Readonly<Record<number, WebSocketMessage['kind']>> = {
  [Opcode.close]: 'close',
  [Opcode.ping]: 'ping',
  [Opcode.pong]: 'pong',
};

/** A whole frame. `mask`: four bytes that nobody can guess, of a client; a server has none. */
export function encodeFrame(
  opcode: (typeof Opcode)[keyof typeof Opcode],
  payload: Uint8Array,
  mask?: Uint8Array,
): Uint8Array {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = new Uint8Array(2 + extra + (mask === undefined ? 0 : 4));
  const view = new DataView(head.buffer);
  head[0] = 0x80 | opcode;
  head[1] = (mask === undefined ? 0 : 0x80) | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) view.setUint16(2, length);
  if (extra === 8) view.setBigUint64(2, BigInt(length));
  if (mask === undefined) return joined([head, payload]);
  head.set(mask.subarray(0, 4), 2 + extra);
  return joined([head, payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const some = parts.filter(({ length }) => length > 0);
  if (some.length === 1) return some[0] ?? new Uint8Array(0);
  const all = new Uint8Array(some.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of some) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
