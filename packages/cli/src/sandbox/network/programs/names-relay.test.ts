import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { AnswerNames } from '../names/names-lines.ts';
import { answerLine } from '../names/names-lines.ts';
import { createNamesRelay } from './names-relay.ts';

const bytes = (...all: readonly number[]) => Uint8Array.from(all);

/** A relay whose lines go to `answer` at once. */
async function relayTo(answer: AnswerNames) {
  const others: string[] = [];
  const relay = createNamesRelay((line) => {
    const back = answerLine(line.trimEnd(), answer, (text) => void relay.take(text.trimEnd()));
    if (!back) others.push(line);
  });
  const port = await relay.listen('127.0.0.1', 0);
  return { relay, port, others };
}

describe('DNS of a Node, answered elsewhere', () => {
  test('is carried as datagrams, each to who asked', async () => {
    const { port } = await relayTo((message, transport) => bytes(...message, transport === 'udp' ? 1 : 2));
    const got = await Promise.all(
      [7, 8].map(async (first) => {
        const socket = createSocket('udp4');
        const message = new Promise<Uint8Array>((resolve) => socket.once('message', resolve));
        socket.send(bytes(first), port, '127.0.0.1');
        const found = [...(await message)];
        socket.close();
        return found;
      }),
    );
    expect(got).toEqual([
      [7, 1],
      [8, 1],
    ]);
  });

  test('is carried over connections, in the order of the queries; one that is not answered ends its connection', async () => {
    const { port } = await relayTo((message) => (message[0] === 9 ? undefined : message));
    const socket = connect(port, '127.0.0.1');
    const all = new Promise<number[]>((resolve) => {
      const seen: number[] = [];
      socket.on('data', (chunk) => seen.push(...chunk));
      socket.on('close', () => resolve(seen));
    });
    socket.write(bytes(0, 1, 5, 0, 2, 6, 6));
    socket.write(bytes(0, 1, 9));
    expect(await all).toEqual([0, 1, 5, 0, 2, 6, 6]);
  });

  test('leaves lines about other things to others', () => {
    const relay = createNamesRelay(() => {});
    expect(relay.take('{"number":1}')).toBe(false);
    expect(
      answerLine(
        '{"number":1}',
        () => undefined,
        () => {},
      ),
    ).toBe(false);
  });
});
