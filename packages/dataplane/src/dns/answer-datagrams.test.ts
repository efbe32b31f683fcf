import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { answerDatagrams } from './answer-datagrams.ts';

test('a datagram from port 0, which anybody can send who may send raw packets, ends nothing: the next client is answered', async () => {
  await using stack = new AsyncDisposableStack();
  const [server, client] = [createSocket('udp4'), createSocket('udp4')];
  for (const one of [server, client]) stack.defer(() => void one.close());
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  answerDatagrams(server, (message) => Uint8Array.of(...message, 0x21));
  server.emit('message', Buffer.from('from nowhere'), { address: '127.0.0.1', port: 0, family: 'IPv4', size: 12 });
  client.send(Buffer.from('hello'), server.address().port, '127.0.0.1');
  const [answer] = (await once(client, 'message')) as [Buffer];
  expect(answer.toString()).toBe('hello!');
});
