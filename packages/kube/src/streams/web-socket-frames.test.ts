import { describe, expect, test } from 'vitest';
import { Opcode, createFrameReader, encodeFrame } from './web-socket-frames.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const mask = Uint8Array.of(1, 2, 3, 4);
const server = () => createFrameReader({ isMasked: true, mostBytes: 100_000 });

describe('frames of WebSocket', () => {
  test.each([0, 1, 125, 126, 65_535, 65_536])('carry %i bytes, cut anywhere on the way', (length) => {
    const payload = new Uint8Array(length).map((_, at) => at % 251);
    const frame = encodeFrame(Opcode.binary, payload, mask);
    const reader = server();
    const cut = Math.min(3, frame.length);
    expect(reader.push(frame.subarray(0, cut))).toEqual([]);
    expect(reader.push(frame.subarray(cut))).toEqual([{ kind: 'data', payload }]);
  });

  test('join the pieces of a message, with control frames between them', () => {
    const first = encodeFrame(Opcode.binary, bytes('a'), mask);
    first[0] = Opcode.binary;
    const reader = server();
    const ping = encodeFrame(Opcode.ping, bytes('p'), mask);
    const last = encodeFrame(Opcode.continuation, bytes('b'), mask);
    expect([...reader.push(first), ...reader.push(ping), ...reader.push(last)]).toEqual([
      { kind: 'ping', payload: bytes('p') },
      { kind: 'data', payload: bytes('ab') },
    ]);
  });

  test('are rejected where they break the protocol or are too large', () => {
    const push = (frame: Uint8Array) => () => server().push(frame);
    expect(push(encodeFrame(Opcode.binary, bytes('a')))).toThrow('a frame of a client is not masked');
    expect(push(encodeFrame(Opcode.continuation, bytes('a'), mask))).toThrow('continues without a beginning');
    expect(push(Uint8Array.of(0xc2, 0x80))).toThrow('an extension that was not agreed on');
    expect(push(Uint8Array.of(0x83, 0x80, 1, 2, 3, 4))).toThrow('unknown opcode 3');
    expect(push(Uint8Array.of(0x89, 0xfe, 0, 200))).toThrow('a control frame is too long');
    // What it announces is enough: nothing of it is held.
    expect(push(Uint8Array.of(0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0))).toThrow('more than 100000 bytes');
  });
});
