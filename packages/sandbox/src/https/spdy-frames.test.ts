import { constants, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { spdyDictionary } from './spdy-dictionary.ts';
import { createSpdyReader, createSpdyWriter } from './spdy-frames.ts';
import { spdyClientFrames } from './testing/spdy-client-frames.ts';

const reader = () => createSpdyReader({ mostBytes: 100_000 });

describe('frames of SPDY', () => {
  test('have headers compressed with the dictionary of SPDY/3, one text for all streams, cut anywhere on the way', async () => {
    const client = spdyClientFrames();
    const all = Buffer.concat([
      await client.open(1, { streamtype: 'error' }),
      await client.open(3, { streamtype: 'stdout', port: '80' }),
    ]);
    // Bytes 2 to 5 of the compressed text name the dictionary.
    expect(all.subarray(20, 24).toString('hex')).toBe('e3c6a7c2');
    const one = reader();
    expect([...all].flatMap((byte) => one.push(Uint8Array.of(byte)))).toEqual([
      { kind: 'open', stream: 1, headers: new Map([['streamtype', 'error']]) },
      {
        kind: 'open',
        stream: 3,
        headers: new Map([
          ['streamtype', 'stdout'],
          ['port', '80'],
        ]),
      },
    ]);
  });

  test('carry data and pings; others are passed over', () => {
    const client = spdyClientFrames();
    const payload = new Uint8Array(70_000).map((_, at) => at % 251);
    const settings = client.control(4, Buffer.alloc(4));
    const all = Buffer.concat([client.data(5, payload, true), settings, client.control(6, Uint8Array.of(0, 0, 0, 7))]);
    expect(reader().push(all)).toEqual([
      { kind: 'data', stream: 5, payload: Buffer.from(payload), isLast: true },
      { kind: 'ping', id: 7 },
    ]);
  });

  test('are rejected where they break the protocol or are too large', async () => {
    const push = (bytes: Uint8Array) => () => reader().push(bytes);
    expect(push(Uint8Array.of(0, 0, 0, 1, 0, 0x02, 0, 0))).toThrow('a frame has more than 100000 bytes');
    expect(push(Uint8Array.of(0x80, 2, 0, 6, 0, 0, 0, 0))).toThrow('not of SPDY/3');
    expect(push(Uint8Array.of(0x80, 3, 0, 6, 0, 0, 0, 0))).toThrow();
    const client = spdyClientFrames();
    expect(push(client.control(1, Buffer.alloc(30)))).toThrow();
    // A short text that would become a long one.
    expect(push(await client.open(1, { a: 'b'.repeat(80_000) }))).toThrow();
  });

  test('of a server begin a compressed text that goes on with each reply', async () => {
    const writer = createSpdyWriter();
    const [first, second] = [writer.reply(1), writer.reply(3)];
    const text = Buffer.concat([first.subarray(12), second.subarray(12)]);
    const read = inflateSync(text, { dictionary: spdyDictionary(), finishFlush: constants.Z_SYNC_FLUSH });
    expect(read).toEqual(Buffer.alloc(8));
  });
});
