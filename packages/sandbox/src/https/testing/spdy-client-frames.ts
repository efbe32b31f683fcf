import { constants, createDeflate } from 'node:zlib';
import { spdyDictionary } from '../spdy-dictionary.ts';

/** Frames as a client of SPDY/3.1 writes them. */
export function spdyClientFrames() {
  const deflate = createDeflate({ dictionary: spdyDictionary() });
  const text = (value: string) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(value));
    return [length, Buffer.from(value)];
  };
  const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer).swap32();
  const control = (type: number, payload: Uint8Array) =>
    Buffer.concat([Uint8Array.of(0x80, 3, 0, type), number(payload.length), payload]);
  return {
    control,
    data: (stream: number, payload: Uint8Array, isLast = false) =>
      Buffer.concat([number(stream), number(((isLast ? 1 : 0) << 24) | payload.length), payload]),
    async open(stream: number, headers: Readonly<Record<string, string>>): Promise<Buffer> {
      const block = Buffer.concat([
        number(Object.keys(headers).length),
        ...Object.entries(headers).flatMap(([name, value]) => [...text(name), ...text(value)]),
      ]);
      await new Promise<void>((resolve) => void deflate.write(block, () => resolve()));
      await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
      return control(
        1,
        Buffer.concat([number(stream), Buffer.alloc(6), (deflate.read() as Buffer | null) ?? Buffer.alloc(0)]),
      );
    },
  };
}
