/** Divides a TCP stream into messages. Each follows its length (RFC 1035 §4.2.2). */
export interface Frames {
  /**
   * The messages that are complete with this chunk. Undefined: a message is empty or longer than
   * allowed, and the rest of the stream cannot be used.
   */
  push(chunk: Uint8Array): readonly Uint8Array[] | undefined;
}

/** It buffers at most `mostBytes`, and one chunk. */
export function createFrames(mostBytes: number): Frames {
  let rest = new Uint8Array(0);
  return {
    push(chunk) {
      const all = rest.length === 0 ? chunk : concatenated(rest, chunk);
      const found: Uint8Array[] = [];
      let at = 0;
      while (at + 2 <= all.length) {
        const length = ((all[at] ?? 0) << 8) | (all[at + 1] ?? 0);
        if (length === 0 || length > mostBytes) return undefined;
        if (at + 2 + length > all.length) break;
        found.push(all.subarray(at + 2, at + 2 + length));
        at += 2 + length;
      }
      rest = all.slice(at);
      return found;
    },
  };
}

/** A message with its length before it. */
export function framed(message: Uint8Array): Uint8Array {
  return concatenated(Uint8Array.of(message.length >> 8, message.length & 0xff), message);
}

function concatenated(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
