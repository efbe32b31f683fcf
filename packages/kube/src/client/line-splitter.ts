import { BodyTooLarge, decodeUtf8 } from './body.ts';

/** Cuts a stream of bytes into lines. Holds at most one unfinished line. */
export interface LineSplitter {
  /**
   * The lines that this chunk completes, blank ones left out. Throws {@link BodyTooLarge} where a
   * line is longer than the bound.
   */
  push(chunk: Uint8Array): readonly string[];
  /** The text after the last newline; empty if there is none. */
  rest(): string;
}

/**
 * Splits at `\n` by scanning. A chunk boundary may fall anywhere, inside a character too.
 * `maxLineBytes` bounds the memory that an endless line can take.
 */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;

  const take = (part: Uint8Array) => {
    if (pendingBytes + part.byteLength > maxLineBytes) throw new BodyTooLarge('a line', maxLineBytes);
    if (pendingBytes === 0) return decodeUtf8(part);
    const line = Buffer.concat([...pending, part]).toString('utf8');
    pending = [];
    pendingBytes = 0;
    return line;
  };
  return {
    push(chunk) {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const line = take(chunk.subarray(start, end));
        if (line.trim() !== '') lines.push(line);
        start = end + 1;
      }
      const part = chunk.subarray(start);
      if (pendingBytes + part.byteLength > maxLineBytes) throw new BodyTooLarge('a line', maxLineBytes);
      if (part.byteLength > 0) pending.push(part);
      pendingBytes += part.byteLength;
      return lines;
    },
    rest() {
      return take(new Uint8Array()).trim();
    },
  };
}

const newline = 0x0a;
