import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { memoryLog, noLog } from '../log/log.ts';
import { createHealthHandler } from './health.ts';
import { startHealthServer } from './health-server.ts';
import { textResponse } from './http-handler.ts';

const handler = createHealthHandler({ ready: [{ name: 'caches', check: () => 'not yet' }] });
const start = (host: string | undefined = '127.0.0.1') => startHealthServer({ host, port: 0 }, handler, noLog);

function ask(port: number, path: string, method = 'GET'): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method }, (response) => {
      let text = `${response.statusCode} ${response.headers['content-type']} `;
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    });
    outgoing.on('error', reject).end();
  });
}

describe('health server', () => {
  it('serves the handler on the address that it was given', async () => {
    await using server = await start();
    const { host, port } = server.address;
    expect(host).toBe('127.0.0.1');
    expect(await ask(port, '/healthz')).toBe('200 text/plain; charset=utf-8 ok');
    expect(await ask(port, '/readyz')).toBe(
      '500 text/plain; charset=utf-8 [-]caches failed: not yet\nreadyz check failed\n',
    );
    expect(await ask(port, '/readyz', 'HEAD')).toBe('500 text/plain; charset=utf-8 ');
  });

  it('survives clients that send garbage or nothing, and ends although they stay', async () => {
    const server = await start();
    const { port } = server.address;
    const silent = connect(port, '127.0.0.1');
    const garbage = connect(port, '127.0.0.1');
    const closed = new Promise((resolve) => silent.on('close', resolve).on('error', () => {}));
    garbage
      .on('error', () => {})
      .resume()
      .write('\u0000\u0001 nonsense\r\n\r\n');
    expect(await ask(port, '/healthz')).toContain('ok');
    await server[Symbol.asyncDispose]();
    await closed;
    await expect(ask(port, '/healthz')).rejects.toThrow('ECONNREFUSED');
  });

  it('answers every probe while others hold more connections than there is room for', async () => {
    await using server = await start();
    const { port } = server.address;
    const holders = Array.from({ length: 300 }, (_, at) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      // Some are silent, some have begun a request.
      if (at % 2 === 1) socket.write('GET /healthz HTTP/1.1\r\n');
      return socket;
    });
    await Promise.all(
      holders.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
    );
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask(port, '/healthz')));
    expect(answers.filter((text) => text.startsWith('200'))).toHaveLength(16);
    for (const socket of holders) socket.destroy();
  });

  it('drops those that hold connections, not a request that waits for its answer', async () => {
    const slow = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await using server = await startHealthServer(
      { host: '127.0.0.1', port: 0 },
      async (request) => {
        asked.resolve();
        await slow.promise;
        return handler(request);
      },
      noLog,
    );
    const { port } = server.address;
    const probe = ask(port, '/healthz');
    await asked.promise;
    const holders = Array.from({ length: 150 }, () =>
      connect(port, '127.0.0.1')
        .on('error', () => {})
        .resume(),
    );
    const dropped = holders.slice(0, 20).map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    await Promise.all(dropped);
    slow.resolve();
    expect(await probe).toContain('ok');
    for (const socket of holders) socket.destroy();
  });

  it('answers every probe while others do not read their answers', async () => {
    const large = textResponse(200, 'x'.repeat(16_000_000));
    await using server = await startHealthServer(
      { host: '127.0.0.1', port: 0 },
      async (asked) => (asked.url === '/large' ? large : handler(asked)),
      noLog,
      3,
    );
    const { port } = server.address;
    const holders = Array.from({ length: 3 }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
      // The answer has begun, and the rest of it waits in the server.
      return { socket, begun: new Promise((resolve) => socket.once('readable', resolve).once('close', resolve)) };
    });
    await Promise.all(holders.map(({ begun }) => begun));
    for (let count = 0; count < 5; count++)
      expect(await ask(port, '/healthz')).toBe('200 text/plain; charset=utf-8 ok');
    for (const { socket } of holders) socket.destroy();
  });

  it('drops who asks again and again without waiting for the answers', async () => {
    let asked = 0;
    await using server = await startHealthServer(
      { host: '127.0.0.1', port: 0 },
      (request) => (asked++, handler(request)),
      noLog,
    );
    const { port } = server.address;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(asked).toBeLessThan(10);
    expect(await ask(port, '/healthz')).toContain('ok');
  });

  it('logs why a request gets no answer, and answers the next one', async () => {
    const log = memoryLog();
    const failure = new Error('the registry is broken');
    await using server = await startHealthServer(
      { host: '127.0.0.1', port: 0 },
      async (asked) => (asked.url === '/broken' ? Promise.reject(failure) : handler(asked)),
      log,
    );
    await expect(ask(server.address.port, '/broken')).rejects.toThrow('socket hang up');
    expect(log.entries).toMatchObject([
      { level: 'error', message: 'cannot answer a request for health or metrics', error: failure },
    ]);
    expect(await ask(server.address.port, '/healthz')).toContain('ok');
  });

  it('names the address when it is taken', async () => {
    await using server = await start();
    const { port } = server.address;
    await expect(startHealthServer({ host: '127.0.0.1', port }, handler, noLog)).rejects.toThrow(
      `listening on 127.0.0.1:${port} for health and metrics: another process uses this port; choose another port`,
    );
  });
});
